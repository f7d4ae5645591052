"""`assay rules references`: errors of random, blind and perfect play under a rule."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.output import Progress, print_json, print_table, print_text
from assay.cli.rules_lint import find_text

if TYPE_CHECKING:
    from assay.envs.rules.player_references import RuleReferences
    from assay.envs.rules.random_play import Estimate

EXAMPLES = (
    "assay rules references clockwise --boards 20",
    "assay rules references shape_match b3_then_b1 --horizon 50 --boards 20 --json",
)


def run(
    rules: Annotated[
        list[str] | None,
        typer.Argument(help="Rule files, or names of benchmark rules.", show_default="all benchmark rules"),
    ] = None,
    horizon: Annotated[int, typer.Option(min=1, help="Attempts after which an episode is cut.")] = 100,
    pieces: Annotated[int, typer.Option(min=1, help="Pieces on a board.")] = 9,
    boards: Annotated[int, typer.Option(min=2, help="Boards behind what is not exact.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of these boards.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many errors random and blind play make, and whether perfect play clears boards."""
    from assay.envs.rules.benchmark import RULES
    from assay.envs.rules.language.parse import parse
    from assay.envs.rules.player_references import find_references
    from assay.envs.rules.random_boards import BoardDraw

    names = rules or [rule.name for rule in RULES]
    kinds = (min(4, pieces),) * 2
    asked = BoardDraw(objects=(pieces, pieces), shapes=kinds, colors=kinds)
    progress, found = Progress(), []
    for number, name in enumerate(names):
        progress(number, len(names), name)
        rule = parse(find_text(name), source=name)
        found.append(find_references(rule, name, asked=asked, horizon=horizon, boards=boards, seed=seed))
    progress.close()
    if json:
        return print_json([asdict(each) for each in found])
    tell_references(found, horizon)


def tell_references(found: list[RuleReferences], horizon: int) -> None:
    rows = []
    for each in found:
        for random, blind in zip(each.random, each.blind):
            rows.append([
                each.rule, random.actions, tell(random.errors), tell(random.cleared, 3), random.errors.how,
                tell(blind.errors), blind.player, tell(each.oracle.clears, 3),
            ])  # fmt: skip
    headings = ("rule", "actions", "random errors", "random clears", "how", "blind errors",
                "best blind player", "oracle clears")  # fmt: skip
    print_table(headings, rows)
    says = f"errors  within {horizon} attempts; the oracle makes none. Intervals are of 95%, over boards."
    print_text(says, indent=2)


def tell(estimate: Estimate, digits: int = 2) -> str:
    """`45.2 [40.1, 50.3]`, or the value alone where it is exact."""
    value = f"{estimate.value:.{digits}f}"
    if estimate.low == estimate.high:
        return value
    return f"{value} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
