"""The report's files, each whole or not there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.report.exam import Exam
from assay.report.markdown import markdown
from assay.report.page import page
from assay.report.table import as_json, csv_rows


def _json_text(exam: Exam) -> str:
    return json.dumps(as_json(exam), indent=1, allow_nan=False) + "\n"


FORMS: dict[str, Callable[[Exam], str]] = {
    "html": page,
    "md": markdown,
    "csv": csv_rows,
    "json": _json_text,
}


def write(exam: Exam, folder: Path, formats: Sequence[str] = tuple(FORMS)) -> list[Path]:
    """`report.html` and the other forms in `folder`, which is made if need be; returns their paths.

    All are written aside before the first takes its name: an error leaves the old files as they were.
    """
    for form in formats:
        if form not in FORMS:
            raise AssayError(f"a report has no form {form!r}; choose from {', '.join(FORMS)}.")
    texts = {folder / f"report.{form}": FORMS[form](exam) for form in formats}
    folder.mkdir(parents=True, exist_ok=True)
    asides = {path: path.with_name(f"{path.name}.{os.getpid()}.part") for path in texts}
    try:
        for path, text in texts.items():
            # A name from the command line may hold bytes that are no UTF-8; they must not stop a report.
            asides[path].write_bytes(text.encode("utf-8", errors="backslashreplace"))
        for path, aside in asides.items():
            os.replace(aside, path)
    finally:
        for aside in asides.values():
            aside.unlink(missing_ok=True)
    return list(texts)
