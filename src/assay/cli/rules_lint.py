"""`assay rules lint`: what a rule uses, whether it can get stuck, and slips in it."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.output import print_json, print_text
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.envs.rules.language.errors import RuleError
    from assay.envs.rules.language.lint import LintReport
    from assay.envs.rules.language.strange_values import Known
    from assay.envs.rules.random_boards import Kind

EXAMPLES = ("assay rules lint clockwise", "assay rules lint shape_match red_then_blue --json")


def run(
    files: Annotated[list[str], typer.Argument(help="Rule files, or names of benchmark rules.")],
    pieces_table: Annotated[
        Path | None,
        typer.Option(help="A CSV file of pieces with properties, for rules that go by them.",
                     metavar="FILE.csv"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:  # fmt: skip
    """Look through rule files; the exit status is 1 where strict reading refuses one."""
    from assay.envs.rules.language.errors import RuleError
    from assay.envs.rules.language.lint import tell_report
    from assay.envs.rules.language.strange_values import known_of_kinds

    texts = find_texts(files)
    pieces = known_of_kinds(read_table(pieces_table)) if pieces_table else None
    reports = [lint_or_error(each, text, pieces) for each, text in texts]
    if json:
        print_json([tell_data(name, report) for (name, _), report in zip(texts, reports)])
    else:
        print_text(
            "\n".join(str(each) if isinstance(each, RuleError) else tell_report(each) for each in reports)
        )
    if any(isinstance(report, RuleError) or report.faults for report in reports):
        raise typer.Exit(1)


def lint_or_error(name: str, text: str, pieces: Known | None = None) -> LintReport | RuleError:
    """The report on a rule, or why it cannot be read: one file must not hide what is said of the others."""
    from assay.envs.rules.language.errors import RuleError
    from assay.envs.rules.language.lint import lint

    try:
        return lint(text, name, pieces=pieces)
    except RuleError as error:
        return error


def tell_data(name: str, report: LintReport | RuleError) -> dict[str, Any]:
    if isinstance(report, AssayError):
        return {"source": name, "is_clean": False, "unreadable": str(report)}
    return asdict(report) | {"is_clean": report.is_clean}


def find_texts(names: list[str]) -> list[tuple[str, str]]:
    """Names with their texts; all that are missing are told at once."""
    found, missing = [], []
    for name in names:
        try:
            found.append((name, find_text(name)))
        except AssayError as error:
            missing.append(str(error))
    if missing:
        raise AssayError("\n".join(missing))
    return found


def read_table(path: Path) -> tuple[Kind, ...]:
    """The kinds of pieces in a table, as pieces_table of a task reads it."""
    from assay.envs.rules.property_tables import read_kinds
    from assay.envs.rules.task_boards import find_file, read_text

    found = find_file(str(path), "--pieces-table", ".csv")
    return read_kinds(read_text(found, "--pieces-table"), found.name)


def find_text(name: str) -> str:
    """The text of a file, or of a benchmark rule where there is no such file."""
    from assay.envs.rules.benchmark import BY_NAME

    path = Path(name)
    if not path.is_file() and name in BY_NAME:
        return BY_NAME[name].text
    if not path.is_file():
        near = get_close_matches(name, BY_NAME, 1)
        says = f"did you mean {near[0]}?" if near else "`assay list rules` shows the benchmark rules."
        raise AssayError(f"{name!r} is neither a file nor a benchmark rule; {says}")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise AssayError(f"{path} is no text in UTF-8; save it as one.") from None
