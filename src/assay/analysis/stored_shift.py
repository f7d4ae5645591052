"""`shift.json`: the induced-policy shift of a run's agents, beside its records, and whether it still holds.

It is signed, and names the records, the code behind them and the code that measured it. If one of these is
another, the file is of no use: it is refused with a sentence, and `assay shift` measures anew.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assay.analysis.shift import Shift
from assay.digests.closure import closure
from assay.digests.syntax import digest_of_file
from assay.errors import AssayError
from assay.results import Run, seal
from assay.results.record import digest_of
from assay.strict_json import WrongDocument, from_json, to_json

FILE = "shift.json"
FORM = "assay-shift-1"
MEASURING = ("assay.runs.shift_jobs", "assay.analysis.shift")  # with all that they import


@dataclass(frozen=True)
class ShiftDocument:
    """The content of `shift.json`."""

    form: str
    request: str  # the digest of what was asked
    fingerprint: str  # of the run's records, or of the plan where nothing was trained
    source_digest: str  # of the code of agent and task
    measuring_digest: str  # of the code that renders states and computes the findings
    shift: Shift


class StoredShift(NamedTuple):
    document: ShiftDocument | None  # None where there is none, or none that holds
    why_not: str = ""  # why one that is there does not hold


def write_shift(folder: Path, document: ShiftDocument) -> Path:
    """Writes the file whole, or leaves the old one."""
    path = folder / FILE
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        aside.write_bytes(seal.render(seal.sign(to_json(document))))
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    return path


def read_shift(run: Run) -> StoredShift:
    """The shift that was measured of a run as it is now."""
    return read_document(run.folder, run)


def read_document(folder: Path, run: Run | None = None) -> StoredShift:
    """The shift that a folder keeps; of a run, only one that was measured of it as it is now."""
    try:
        data = (folder / FILE).read_bytes()
    except FileNotFoundError:
        return StoredShift(None)
    try:
        if not seal.is_as_signed(data):
            raise AssayError(f"{FILE} is not the one that was written")
        held = json.loads(data)
        held.pop(seal.SIGNATURE)
        document = from_json(ShiftDocument, held, FILE)
        if run is not None:
            require_fresh(document, run)
    except (AssayError, WrongDocument) as error:
        return StoredShift(None, str(error).rstrip("."))
    return StoredShift(document)


def require_fresh(document: ShiftDocument, run: Run) -> None:
    """Refuses a shift of other records, or one that other code measured."""
    if document.form != FORM:
        raise AssayError(f"{FILE} has the form {document.form!r}, not {FORM!r}")
    if document.fingerprint != run.fingerprint():
        raise AssayError(f"{FILE} was measured before the run's records or its plan changed")
    if document.source_digest != run.document.source_digest:
        raise AssayError(f"{FILE} was measured with other code of the agent or the task")
    if document.measuring_digest != measuring_digest():
        raise AssayError(f"{FILE} was measured by another version of assay")


@cache
def measuring_digest() -> str:
    """The digest of the code that measures: other code may measure something else."""
    code = sorted(closure(MEASURING).items())
    return digest_of(f"{name}\0{digest_of_file(path)}\n".encode() for name, path in code)
