"""Makes the report of a drift anew from the records, and compares it with the files in the run's folder."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from assay.analysis.drift import find_drift
from assay.plans.drift_request import is_drift, question_of
from assay.plans.plan import plan_of
from assay.report.drift_files import DRIFT_FILES, DRIFT_RECORD, drift_files
from assay.results import Run, seal


def drift_differences(run: Run) -> Iterator[str]:
    """Reports on the drift, listed in the seal or not, that differ from what the records give."""
    plan = plan_of(run)
    paths = [path for name in DRIFT_FILES if (path := run.folder / name).exists()]
    if not paths or not is_drift(plan):
        return
    command = shlex.join(run.document.command)
    try:
        asked = asked_of(run)
        drift = find_drift(run, plan, question_of(plan, asked["window"], asked["margin"]))
        expected = drift_files(drift, command, run.fingerprint())
    except (KeyError, TypeError, ValueError):  # an AssayError is a ValueError or explains itself below
        expected = {}
    for path in paths:
        if path.read_bytes() != expected.get(path.name):
            yield f"{path} does not match the records; `{command}` writes it anew."


def asked_of(run: Run) -> dict[str, Any]:
    """The options that the report was made with, from the seal, or else from the report itself."""
    kept = seal.read(run.folder)
    sealed = [each.question for each in (kept.reports.values() if kept else ()) if each.question]
    asked: dict[str, Any] = (
        json.loads(sealed[0]) if sealed else json.loads((run.folder / DRIFT_RECORD).read_bytes())["question"]
    )
    return asked


def missing_drift_report(run: Run) -> list[str]:
    """A sentence where a finished run of a drift has no report of it, and had none."""
    kept = seal.read(run.folder)
    if kept is None or not is_drift(plan_of(run)):
        return []
    if any((run.folder / name).exists() or name in kept.reports for name in DRIFT_FILES):
        return []
    command = shlex.join(run.document.command)
    return [f"the run has no report of its drift; `{command}` writes it, or says why there is none."]
