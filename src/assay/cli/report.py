"""`assay report`: what a run found, from its records alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import conducting as options
from assay.errors import AssayError
from assay.report.formats import FORMATS

EXAMPLES = ("assay report runs/first", "assay report runs/first --format md --to .")


def run(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    format: Annotated[
        str, typer.Option(help=f"{', '.join(FORMATS)}, with commas.", show_default="all of them")
    ] = "",
    to: Annotated[
        Path | None, typer.Option(help="Where the files go.", show_default="the run's folder")
    ] = None,
    records: Annotated[
        str, typer.Option(help="Also write all records here, as CSV.", show_default=False)
    ] = "",
    intervals: Annotated[
        str,
        typer.Option(help="Of pairs: percentile, bca or t, of means.", show_default="assay's own"),
    ] = "",
    compat: Annotated[
        str, typer.Option(help="Of pairs: values as in playground, or as in kage.", show_default=False)
    ] = "",
    json: options.Json = False,
) -> None:
    """Say what a run found, and write its page; nothing is run again, and other code's runs can be read."""
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
            options.tell_exam(opened, [], json, wanted, to, worked=False)
        else:
            options.tell_pairs(opened, [], json, wanted, to, intervals, compat, worked=False)
