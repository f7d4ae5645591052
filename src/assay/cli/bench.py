"""`assay bench`: steps per second on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.output import Progress, print_json, print_table
from assay.errors import AssayError

EXAMPLES = ("assay bench toy --seconds 0.2",)
WHAT = ("toy",)


def run(
    what: Annotated[str, typer.Argument(help="What to measure: toy.")] = "toy",
    seconds: Annotated[
        float, typer.Option(help="How long one try takes; each figure is the best of three.", min=0)
    ] = 1.0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure steps per second on this machine, compiling apart."""
    if what not in WHAT:
        raise AssayError(f"assay has no benchmark called {what!r}; it has {', '.join(WHAT)}.")
    from assay.bench import toy  # brings jax, which --help does without

    progress, found = Progress(), []
    for figure in toy.figures(seconds):
        found.append(figure)
        progress(len(found) - 1, 4, figure.name)
    progress.close()
    if json:
        return print_json({"machine": toy.machine(), "figures": [figure._asdict() for figure in found]})
    rows = [
        (f.name, f"{f.steps_per_second:,.0f}", f"{f.steps_per_cpu_second:,.0f}", f"{f.compile_seconds:.1f} s")
        for f in found
    ]
    print_table((toy.TASK, "steps per second", "per CPU second", "compiling"), rows)
    print("  " + ", ".join(f"{name} {value}" for name, value in toy.machine().items()))
