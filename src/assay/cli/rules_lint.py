"""`assay rules lint`: what a rule uses, whether it can get stuck, and slips in it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.output import print_json, print_text
from assay.errors import AssayError

EXAMPLES = ("assay rules lint clockwise", "assay rules lint shape_match red_then_blue --json")


def run(
    files: Annotated[list[str], typer.Argument(help="Rule files, or names of benchmark rules.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look through rule files; the exit status is 1 where strict reading refuses one."""
    from assay.envs.rules.language.lint import lint, tell_report

    reports = [lint(find_text(each), each) for each in files]
    if json:
        print_json([asdict(report) | {"is_clean": report.is_clean} for report in reports])
    else:
        print_text("\n".join(map(tell_report, reports)))
    if any(report.faults for report in reports):
        raise typer.Exit(1)


def find_text(name: str) -> str:
    """The text of a file, or of a benchmark rule where there is no such file."""
    from assay.envs.rules.benchmark import BY_NAME

    path = Path(name)
    if not path.is_file() and name in BY_NAME:
        return BY_NAME[name].text
    if not path.is_file():
        raise AssayError(f"{name!r} is neither a file nor a benchmark rule; name one that is there.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise AssayError(f"{path} is no text in UTF-8; save it as one.") from None
