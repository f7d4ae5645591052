"""`assay compare`: two exams of one task, and where they differ; or how alike two runs rank their levels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json
from assay.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from assay.results import Run

EXAMPLES = (
    "assay compare runs/first runs/second",
    "assay compare runs/first runs/second --all",
)


def run(
    first: Annotated[Path, typer.Argument(help="The folder of an exam.")],
    second: Annotated[Path, typer.Argument(help="The folder of another exam of the same task.")],
    everything: Annotated[
        bool, typer.Option("--all", help="Show every level, not only those that differ.")
    ] = False,
    ranks: Annotated[
        bool, typer.Option("--ranks", help="Compare how two runs of pairs rank their levels.")
    ] = False,
    json: Json = False,
) -> None:
    """Say where two exams of one task differ, beyond what chance explains.

    All intervals hold together, so comparing many levels does not make false alarms more likely. --ranks
    compares two runs over the levels of one dimension, say of a toy env and of a game, by Spearman's
    correlation of their mean AUCs; levels are matched by their position in the grid.
    """
    if ranks:
        return tell_ranks(first, second, everything, json)
    from assay.analysis.compare import compare
    from assay.analysis.finite_json import strict
    from assay.report.text import percent

    with open_intact(first, second) as runs:
        comparison = compare(*runs)
    if json:
        return print_json(strict(comparison))
    how = (
        f"{comparison.unit} by {comparison.unit}"
        if comparison.paired
        else f"as two groups, because their {comparison.unit}s differ"
    )
    print_text(
        f"{comparison.first} and {comparison.second} on {comparison.task}, compared {how}", "bold", indent=2
    )
    if comparison.same:
        print("  both folders hold the same run, so nothing can differ")
    (one, other), (share, low, high) = comparison.plain, comparison.better
    print(f"  plain task: {one:.4g} and {other:.4g}; the first beats the second in {share:.0%} of pairs "
          f"[{low:.0%}, {high:.0%}]")  # fmt: skip
    rows = [
        (f"{each.axis}={shorten(each.level)}", each.arm, f"{each.first:+.0%}", f"{each.second:+.0%}",
         percent(each.difference),
         "differs" if each.real else "")
        for each in comparison.differences
        if each.real or everything
    ]  # fmt: skip
    if rows:
        print_table(("level", "arm", "first", "second", "difference", ""), rows)
    real = sum(each.real for each in comparison.differences)
    more = "" if everything or real == len(comparison.differences) else "; --all shows every level"
    print(f"  {real} of {len(comparison.differences)} levels differ{more}")
    if comparison.left_out:
        print(
            f"  not compared, because only one run has them: {', '.join(map(shorten, comparison.left_out))}"
        )


def tell_ranks(first: Path, second: Path, everything: bool, json: bool) -> None:
    from assay.analysis.finite_json import strict
    from assay.analysis.ranks import rank
    from assay.errors import AssayError
    from assay.stats.rank import warn_of_few

    if everything:
        raise AssayError("--ranks shows all levels already; drop --all.")
    with open_intact(first, second) as runs:
        ranking = rank(*runs)
    if json:
        return print_json(strict(ranking))
    print_text(f"{ranking.first} and {ranking.second}, {ranking.measure}", "bold", indent=2)
    rows = [(str(place + 1), one, f"{a:.4g}", other, f"{b:.4g}")
            for place, (one, a, other, b) in enumerate(ranking.levels)]  # fmt: skip
    print_table(("place", "first", "mean", "second", "mean"), rows)
    rho = ranking.rho
    over = f"{ranking.seeds[0]} and {ranking.seeds[1]} seeds"
    print(f"  rho {rho.value:.2f} [{rho.low:.2f}, {rho.high:.2f}] over {over}, "
          f"p {ranking.chance:.3f} (two-sided, {ranking.how})")  # fmt: skip
    if few := warn_of_few(min(ranking.seeds), "seed"):
        print_text(f"{few}.", indent=2)


@contextmanager
def open_intact(first: Path, second: Path) -> Iterator[tuple[Run, Run]]:
    """Both runs, open; records that were altered are refused."""
    from assay.conduct.records import require_intact
    from assay.results import open_run

    with open_run(first) as one, open_run(second) as other:
        require_intact(one)
        require_intact(other)
        yield one, other


def shorten(text: str, most: int = 24) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
