"""`assay power`: how many seeds would see a difference of a given size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.output import print_json, print_table
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.analysis.power import Needed

EXAMPLES = (
    "assay power runs/first --effect 0.05",
    "assay power runs/first --axis transition_noise",
)


def run(
    folder: Annotated[
        Path, typer.Argument(help="The folder of an exam, from which the spread over seeds is taken.")
    ],
    effect: Annotated[
        float, typer.Option(help="The difference to see, as a share of the way from plain to random play.")
    ] = 0.05,
    chance: Annotated[float, typer.Option(help="The chance to see that difference if it is there.")] = 0.8,
    axis: Annotated[str, typer.Option(help="Show only this axis.", show_default="all")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many seeds an exam like this one needs to see a difference of a given size.

    The spread over seeds, or over the episodes of a given agent, is that of the finished exam. The chance of
    an error is shared over all levels, as in the exam's verdict.
    """
    if not 0 < effect < 10:
        raise AssayError(
            f"--effect is a share of the way from plain to random play, such as 0.05, not {effect}."
        )
    if not 0 < chance < 1:
        raise AssayError(f"--chance is between 0 and 1, such as 0.8, not {chance}.")
    from assay.analysis.power import count_units_needed
    from assay.conduct.records import require_intact
    from assay.results import open_run
    from assay.stats.power import FEWEST

    with open_run(folder) as opened:
        require_intact(opened)
        needs = count_units_needed(opened, effect, chance)
    if not needs.levels:
        raise AssayError(f"{folder} has nothing to plan by: its plain play cannot be told from random play.")
    shown = [each for each in needs.levels if axis in ("", each.axis)]
    if not shown:
        raise AssayError(
            f"{folder} has no axis {axis!r}; it has {', '.join(sorted({e.axis for e in needs.levels}))}."
        )
    if json:
        return print_json({"units": needs.unit, "had": needs.had, "effect": effect, "chance": chance,
                           "levels": [each._asdict() for each in shown]})  # fmt: skip
    rows = [
        (each.axis, each.level[:24], each.arm, say_seen(each),
         str(each.needed) if each.needed else "?")
        for each in shown
    ]  # fmt: skip
    unit = f"{needs.unit}s"
    print_table(("axis", "level", "arm", f"{needs.had} {unit} see", f"{unit} to see {effect:.0%}"), rows)
    known = [each.needed for each in shown if each.needed]
    if known:
        every = "every level above" if len(known) == len(shown) else "every level above that has a number"
        print(f"  {max(known)} {unit} would see {effect:.0%} at {every}, with chance {chance:.0%}")
    if needs.had < FEWEST:
        print(f"  ? because {needs.had} {unit} are too few to plan by; at least {FEWEST} are needed")
    elif any(each.bounded and not each.needed for each in shown):
        print(f"  ? marks levels at which all {unit} agree, which says nothing about their spread")
    if not all(each.bounded for each in shown):
        print(f"  none: {needs.had} {unit} see no difference there, its interval has no end (see the report)")


def say_seen(level: Needed) -> str:
    """The smallest difference that so many units see; above the whole way to random play they see none."""
    if not level.bounded or (level.sees is not None and level.sees > 1):
        return "none"
    return "?" if level.sees is None else f"{level.sees:.0%}"
