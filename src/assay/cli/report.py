"""`assay report`: what a run found, from its records alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Folder, Json
from assay.cli.results import tell_exam, tell_pairs
from assay.errors import AssayError
from assay.report.formats import FORMATS

EXAMPLES = ("assay report runs/first", "assay report runs/first --format md --to .")


def run(
    folder: Folder,
    format: Annotated[
        str,
        typer.Option(help=f"Forms to write, with commas: {', '.join(FORMATS)}.", show_default="all of them"),
    ] = "",
    to: Annotated[
        Path | None, typer.Option(help="Folder for the files.", show_default="the run's folder")
    ] = None,
    records: Annotated[
        str, typer.Option(help="Also write all records into this folder, as CSV.", show_default=False)
    ] = "",
    intervals: Annotated[
        str,
        typer.Option(
            help="For runs of pairs, intervals of means: percentile, bca or t.",
            show_default="assay's own",
        ),
    ] = "",
    compat: Annotated[
        str,
        typer.Option(
            help="For runs of pairs, values as in MDP Playground (playground) or KAGE-Bench (kage).",
            show_default=False,
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Say what a run found, and write its report again, from its records alone.

    No job is done, and runs of other code can be read too.
    """
    wanted = tuple(format.split(",")) if format else FORMATS
    if not set(wanted) <= set(FORMATS):
        raise AssayError(f"--format takes {', '.join(FORMATS)}, not {format!r}.")
    from assay.conduct.records import require_intact
    from assay.plans.plan import ExamPlan, plan_of
    from assay.results import open_run

    with open_run(folder) as opened:
        require_intact(opened)
        if records:
            opened.export(records, "csv")
        if isinstance(plan_of(opened), ExamPlan):
            if intervals or compat:
                raise AssayError(f"{folder} is an exam; --intervals and --compat are for runs of pairs.")
            tell_exam(opened, [], json, wanted, to, worked=False)
        else:
            tell_pairs(opened, [], json, wanted, to, intervals, compat, worked=False)
