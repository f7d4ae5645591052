"""`assay compare`: two exams of one task, and where they differ; or how alike two runs rank their levels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.output import print_json, print_table, print_text

EXAMPLES = (
    "assay compare runs/first runs/second",
    "assay compare runs/first runs/second --all",
)


def run(
    first: Annotated[Path, typer.Argument(help="The folder of a run.")],
    second: Annotated[Path, typer.Argument(help="The folder of another: an exam of the same task.")],
    everything: Annotated[
        bool, typer.Option("--all", help="Show every level, not only real differences.")
    ] = False,
    ranks: Annotated[
        bool, typer.Option("--ranks", help="Of two runs of pairs: do they rank their levels alike?")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say where two exams differ, and whether that is real: all intervals hold together.

    With --ranks two runs over the levels of one dimension, say of a toy env and of a game: Spearman's
    correlation of the mean AUCs, the levels matched by their place in the grid.
    """
    if ranks:
        return tell_ranks(first, second, everything, json)
    from assay.analysis.compare import compare
    from assay.analysis.strict import strict
    from assay.conduct.records import require_intact
    from assay.report.text import percent
    from assay.results import open_run

    with open_run(first) as one, open_run(second) as other:
        require_intact(one)
        require_intact(other)
        found = compare(one, other)
    if json:
        return print_json(strict(found))
    how = (
        f"{found.unit} with {found.unit}"
        if found.paired
        else f"as two groups, for their {found.unit}s differ"
    )
    print_text(f"{found.first} and {found.second} on {found.task}, compared {how}", "bold", indent=2)
    if found.same:
        print("  both are the same run, so nothing can differ")
    print(f"  plain task: {found.plain[0]:.4g} and {found.plain[1]:.4g}; the first beats the second in "
          f"{found.better.value:.0%} of pairs [{found.better.low:.0%}, {found.better.high:.0%}]")  # fmt: skip
    rows = [
        (f"{each.axis}={shorten(each.level)}", each.arm, f"{each.first:+.0%}", f"{each.second:+.0%}",
         percent(each.difference),
         "differs" if each.real else "")
        for each in found.differences
        if each.real or everything
    ]  # fmt: skip
    if rows:
        print_table(("level", "arm", "first", "second", "difference", ""), rows)
    real = sum(each.real for each in found.differences)
    print(f"  {real} of {len(found.differences)} levels differ"
          + ("" if everything or real == len(found.differences) else "; --all shows the others"))  # fmt: skip
    if found.left_out:
        print(f"  not compared, for only one run has it: {', '.join(map(shorten, found.left_out))}")


def tell_ranks(first: Path, second: Path, everything: bool, json: bool) -> None:
    from assay.analysis.ranks import rank
    from assay.analysis.strict import strict
    from assay.conduct.records import require_intact
    from assay.errors import AssayError
    from assay.results import open_run

    if everything:
        raise AssayError("--ranks tells all levels already; drop --all.")
    with open_run(first) as one, open_run(second) as other:
        require_intact(one)
        require_intact(other)
        found = rank(one, other)
    if json:
        return print_json(strict(found))
    print_text(f"{found.first} and {found.second}, {found.measure}", "bold", indent=2)
    rows = [(str(place + 1), one, f"{a:.4g}", other, f"{b:.4g}")
            for place, (one, a, other, b) in enumerate(found.levels)]  # fmt: skip
    print_table(("place", "first", "mean", "second", "mean"), rows)
    rho = found.rho
    over = f"{found.seeds[0]} and {found.seeds[1]} seeds"
    print(f"  rho {rho.value:.2f} [{rho.low:.2f}, {rho.high:.2f}] over {over}, "
          f"p {found.chance:.3f} (two-sided, {found.how})")  # fmt: skip


def shorten(text: str, most: int = 24) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
