"""The book-keeping of a run beside its records: attempts at jobs, and decisions between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.results.record import TABLES, Curve, Record

RETRAINING = "retrain"  # the decision where to train anew


@dataclass(frozen=True, kw_only=True)
class Attempt(Record):
    """An attempt at a job by a worker; `ended` and `outcome` are None while it lasts."""

    job: str
    worker: str
    host: str
    pid: int
    started: float
    ended: float | None = None
    outcome: str | None = None


@dataclass(frozen=True, kw_only=True)
class Decision(Record):
    """A decision that was made from records, and its grounds; plan and decisions determine the jobs."""

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
