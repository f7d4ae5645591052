"""`assay rules references`: errors of random, blind and perfect play under a rule."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.analysis.board_intervals import COVERAGE, interval_over_boards
from assay.cli.output import Progress, print_json, print_table, print_text
from assay.cli.rules_lint import find_texts, read_table
from assay.report.text import bounds
from assay.stats.bounded_mean import Range

if TYPE_CHECKING:
    from assay.envs.rules.player_references import RuleReferences
    from assay.envs.rules.random_play import Estimate

EXAMPLES = (
    "assay rules references clockwise --boards 20",
    "assay rules references shape_match b3_then_b1 --horizon 50 --boards 20 --json",
)

SHARE = Range(0.0, 1.0)  # the chance of clearing a board
WON = Range(0.0, 1.0, two_valued=True)  # a board is cleared or it is not


def run(
    rules: Annotated[
        list[str] | None,
        typer.Argument(help="Rule files, or names of benchmark rules.", show_default="all benchmark rules"),
    ] = None,
    horizon: Annotated[int, typer.Option(min=1, help="Attempts after which an episode is cut.")] = 100,
    pieces: Annotated[int, typer.Option(min=1, help="Pieces on a board.")] = 9,
    boards: Annotated[int, typer.Option(min=1, help="Boards behind what is not exact.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of these boards.")] = 1,
    pieces_table: Annotated[
        Path | None,
        typer.Option(help="A CSV file of pieces with properties, of which boards are drawn.",
                     metavar="FILE.csv"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:  # fmt: skip
    """Say how many errors random and blind play make, and whether perfect play clears boards."""
    from assay.envs.rules.benchmark import RULES
    from assay.envs.rules.language.parse import parse
    from assay.envs.rules.player_references import find_references
    from assay.envs.rules.random_boards import BoardDraw

    names = rules or [rule.name for rule in RULES]
    features = (min(4, pieces),) * 2
    kinds = read_table(pieces_table) if pieces_table else ()
    asked = BoardDraw(objects=(pieces, pieces), shapes=features, colors=features, kinds=kinds)
    progress, found = Progress(), []
    for number, (name, text) in enumerate(find_texts(names)):
        progress(number, len(names), name)
        rule = parse(text, source=name)
        found.append(find_references(rule, name, asked=asked, horizon=horizon, boards=boards, seed=seed))
    progress.close()
    if json:
        return print_json([as_json(each) for each in found])
    tell_references(found, horizon)


def tell_references(found: list[RuleReferences], horizon: int) -> None:
    rows, errors = [], Range(0, horizon)
    for each in found:
        for random, blind in zip(each.random, each.blind):
            rows.append([
                each.rule, random.actions, tell(random.errors, errors), tell(random.cleared, SHARE, 3),
                random.errors.how, tell(blind.errors, errors), blind.player,
                tell(each.oracle.clears, WON, 3),
            ])  # fmt: skip
    headings = ("rule", "actions", "random errors", "random clears", "how", "blind errors",
                "best blind player", "oracle clears")  # fmt: skip
    print_table(headings, rows)
    print_text(f"errors  within {horizon} attempts; the oracle makes none", indent=2)
    print_text(f"intervals  {describe_intervals(found)}", indent=2)


def describe_intervals(found: list[RuleReferences]) -> str:
    """How the intervals were made, and over how many boards."""
    boards = max(len(each.blind[0].errors.by_board) for each in found)
    if boards == 1:
        return "none over 1 board; what is exact needs none"
    return (f"of {COVERAGE:.0%}, over {boards} boards; they hold for any number of boards, so that they are "
            "wide where boards are few")  # fmt: skip


def tell(estimate: Estimate, known: Range, digits: int = 2) -> str:
    """`45.2 [40.1, 50.3]`, or the value alone where it is exact; `45.2 (one board, no interval)`."""
    value = f"{estimate.value:.{digits}f}"
    if not estimate.by_board:
        return value
    found = interval_over_boards(estimate.by_board, known)
    return f"{value} (one board, no interval)" if found is None else f"{value} {bounds(found, f'.{digits}f')}"


def as_json(found: RuleReferences) -> dict[str, Any]:
    """All fields, and each estimate with its interval and number of boards."""
    errors = Range(0, found.horizon)
    document = asdict(found)
    for told, random in zip(document["random"], found.random):
        told |= {"errors": as_interval(random.errors, errors), "cleared": as_interval(random.cleared, SHARE)}
    for told, blind in zip(document["blind"], found.blind):
        told |= {"errors": as_interval(blind.errors, errors), "cleared": as_interval(blind.cleared, WON)}
    document["oracle"]["clears"] = as_interval(found.oracle.clears, WON)
    return document


def as_interval(estimate: Estimate, known: Range) -> dict[str, Any]:
    """An exact value is both of its ends; one of a single board has none."""
    value, boards = estimate.value, len(estimate.by_board)
    found = interval_over_boards(estimate.by_board, known)
    low, high = (value, value) if not boards else (None, None) if found is None else found[1:]
    return {"value": value, "low": low, "high": high, "how": estimate.how, "boards": boards}
