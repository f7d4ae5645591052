"""The book-keeping of a run beside its records: who took which job, and what was decided on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.results.record import TABLES, Curve, Record

RETRAINING = "retrain"  # the decision where to train anew


@dataclass(frozen=True, kw_only=True)
class Attempt(Record):
    """Who took a job, and how that ended; None while it lasts."""

    job: str
    worker: str
    host: str
    pid: int
    started: float
    ended: float | None = None
    outcome: str | None = None


@dataclass(frozen=True, kw_only=True)
class Decision(Record):
    """What was decided from records, and what it rests on: with the plan it says which jobs there are."""

    number: int  # a run that is resumed may decide again
    kind: str
    decided: dict[str, Any]


LEDGER: dict[str, type[Record]] = {
    **{name: record for name, record in TABLES.items() if record is not Curve},  # curves are bulk: Parquet
    "attempt": Attempt,
    "decision": Decision,
}
# Each row of these has a digest of all its columns; a job's digest is that of its episodes too.
SEALED = ("job", "reference", "attempt", "decision")
