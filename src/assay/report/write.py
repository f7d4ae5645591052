"""The report's files, each whole or not there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from assay.analysis.exam import Exam
from assay.analysis.experiment import Experiment
from assay.errors import AssayError
from assay.report import pair_table, table
from assay.report.formats import FORMATS, HERE
from assay.report.markdown import markdown
from assay.report.page import page
from assay.report.pair_markdown import pair_markdown
from assay.report.pair_page import pair_page


def _json_text(exam: Exam) -> str:
    return json.dumps(table.as_json(exam), indent=1, allow_nan=False) + "\n"


def _pair_json_text(experiment: Experiment) -> str:
    return json.dumps(pair_table.as_json(experiment), indent=1, allow_nan=False) + "\n"


FORMS: dict[str, Callable[[Exam], str]] = {
    "html": page,
    "md": markdown,
    "csv": table.csv_rows,
    "json": _json_text,
}
PAIR_FORMS: dict[str, Callable[[Experiment], str]] = {
    "html": pair_page,
    "md": pair_markdown,
    "csv": pair_table.csv_rows,
    "json": _pair_json_text,
}


def texts_of(findings: Exam | Experiment, formats: Sequence[str]) -> dict[str, bytes]:
    """The content of each file of a report, by its name."""
    forms: dict[str, Callable] = PAIR_FORMS if isinstance(findings, Experiment) else FORMS
    for form in formats:
        if form not in forms:
            raise AssayError(f"a report has no form {form!r}; choose from {', '.join(forms)}.")
    # A name from the command line may hold bytes that are no UTF-8; they must not stop a report.
    return {
        f"report.{form}": forms[form](findings).encode("utf-8", errors="backslashreplace") for form in formats
    }


def write(findings: Exam | Experiment, folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """`report.html` and the other forms in `folder`, which is made if need be; returns their paths.

    All are written aside before the first takes its name: an error leaves the old files as they were.
    """
    if findings.folder and folder.resolve() == Path(findings.folder).resolve():
        findings = replace(findings, folder=HERE)  # a run may be copied or moved, with its reports
    texts = {folder / name: text for name, text in texts_of(findings, formats).items()}
    folder.mkdir(parents=True, exist_ok=True)
    asides = {path: path.with_name(f"{path.name}.{os.getpid()}.part") for path in texts}
    try:
        for path, text in texts.items():
            asides[path].write_bytes(text)
        for path, aside in asides.items():
            os.replace(aside, path)
    finally:
        for aside in asides.values():
            aside.unlink(missing_ok=True)
    return list(texts)
