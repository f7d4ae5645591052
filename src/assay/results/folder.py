"""The folder of a run: how it is made, and how its `run.json` is read."""

from __future__ import annotations

import json
import shutil
import time
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.results import ledger, locks, parts, provenance, seal
from assay.results.document import Document, Pieces
from assay.results.record import SCHEMA, canonical
from assay.strict_json import WrongDocument, from_json, to_json

PLAN = seal.PLAN


def make(run: Path, plan: Mapping[str, Any], command: Iterable[str], sources: Pieces | None = None) -> None:
    """Makes a new run, complete or not at all: it is built under another name and renamed."""
    document = Document(
        schema=SCHEMA,
        plan=_plain(run, plan),
        command=tuple(command),
        created=time.time(),
        host=provenance.host(),
        versions=provenance.versions(),
        source_digest=sources.digest if sources else provenance.source_digest(),
        sources=sources,
    )
    _require_room(run)
    run.parent.mkdir(parents=True, exist_ok=True)
    aside = run.parent / f".{run.name}.{uuid.uuid4().hex}.part"
    try:
        for name in (parts.CURVES, parts.WEIGHTS, locks.FOLDER):
            (aside / name).mkdir(parents=True)
        ledger.create(aside)
        data = seal.render(seal.sign(to_json(document)))
        parts.put_in_place(parts.write_aside(aside / PLAN, uuid.uuid4().hex, data), aside / PLAN)
        parts.put_in_place(aside, run)
    except BaseException as error:
        shutil.rmtree(aside, ignore_errors=True)
        if isinstance(error, OSError):
            _require_room(run)  # perhaps another process made a run here meanwhile
            # The error names the folder that the user gave, not the temporary one.
            raise OSError(error.errno, error.strerror, str(run)) from None
        raise


def read_document(run: Path) -> Document:
    """The content of `run.json`, refused if its schema is another."""
    if not run.is_dir():
        raise AssayError(f"there is no folder {run}; give the folder of a run.")
    try:
        document = json.loads((run / PLAN).read_bytes())
    except FileNotFoundError:
        raise AssayError(f"{run} is not a run: it has no {PLAN}; give the folder of a run.") from None
    except (ValueError, RecursionError):  # the latter where it is nested a thousandfold
        raise AssayError(f"the {PLAN} of {run} is torn: it is no JSON; restore it from a copy.") from None
    ledger.require_schema(run, document.get("schema") if isinstance(document, dict) else None)
    if not isinstance(document.get("plan"), dict):
        raise AssayError(f"the {PLAN} of {run} is torn: it holds no plan; restore it from a copy.")
    try:
        return from_json(Document, document, "it")
    except WrongDocument as error:
        says = str(error).rstrip(".")
        raise AssayError(
            f"the {PLAN} of {run} is not whole: {says}; restore it from a copy, or run anew."
        ) from None


def _plain(run: Path, plan: Mapping[str, Any]) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = json.loads(canonical(dict(plan)))
        return plain
    except (TypeError, ValueError) as error:
        raise AssayError(f"the plan of {run} does not fit JSON: {error}.") from None


def _require_room(run: Path) -> None:
    if (run / PLAN).exists():
        raise AssayError(f"{run} holds a run already; resume it, or give another folder.")
    if run.exists() and not run.is_dir():
        raise AssayError(f"{run} is a file; give a folder that is empty or not there yet.")
    if run.exists() and any(run.iterdir()):
        raise AssayError(f"{run} holds other files; give a folder that is empty or not there yet.")
