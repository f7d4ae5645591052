"""Which process works on which job: workers claim jobs, and claim those of dead workers again.

A claim is one SQLite transaction, so two workers never hold one job. A worker is alive as long as it holds
its lock (`locks.py`); after a kill its jobs count as abandoned (`Progress.left`), and the next worker claims
them. Every attempt is a row of its own that records how it ended.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.results import ledger, locks, provenance, seal
from assay.results.document import Document
from assay.results.journal import LEDGER, SEALED, Attempt
from assay.results.ledger import explain_errors, writing
from assay.results.reading import Records
from assay.results.record import Job, Record, columns, to_row

_END = """
UPDATE attempt SET ended = ?, outcome = ?
WHERE rowid = (
    SELECT max(rowid) FROM attempt WHERE job = ? AND worker = ? AND (outcome IS NULL OR outcome = 'died')
)
"""
_GONE = "UPDATE attempt SET ended = ?, outcome = 'died' WHERE job = ? AND outcome IS NULL"
_RUNNING = "UPDATE job SET status = 'running', started = ?, host = ? WHERE id = ?"
_FAILED = "UPDATE job SET status = 'failed', ended = ?, host = ? WHERE id = ? AND status != 'done'"


class Claims(Records):
    """The records of a run, with the jobs that this process works on."""

    def __init__(self, folder: Path, document: Document, connection: sqlite3.Connection) -> None:
        super().__init__(folder, document, connection)
        self._worker: locks.Worker | None = None

    def claim(self, limit: int = 1, ids: Collection[str] | None = None) -> list[Job]:
        """Take up to `limit` jobs that wait or whose worker died; if `ids` is given, only among these."""
        with explain_errors(self.folder), self._writing():
            left = self.progress().left
            taken = [job for job in left if ids is None or job in ids][:limit]
            self._take(taken)
            return self.jobs(id=taken)

    def begin_again(self, ids: Collection[str]) -> None:
        """Begin another attempt at jobs that were claimed here and whose worker died."""
        with explain_errors(self.folder), self._writing():
            self._take(ids)

    def _take(self, ids: Collection[str]) -> None:
        now, host = time.time(), provenance.host()
        for job in ids:
            self._execute(_GONE, now, job)
            self._begin_attempt(job, now)
            self._execute(_RUNNING, now, host, job)
            self._seal_job(job)

    def fail(self, job_id: str, why: str) -> None:
        """Record that a job failed, and why; a result that is already stored stays."""
        self.job(job_id)
        with explain_errors(self.folder), self._writing():
            if self._execute(_FAILED, time.time(), provenance.host(), job_id).rowcount:
                self._end_attempt(job_id, f"failed: {why}")

    def retry(self, ids: Collection[str] | None = None) -> int:
        """Let failed jobs wait again, all or those among `ids`; returns how many there were."""
        with explain_errors(self.folder), self._writing():
            failed = [job for job in self.progress().failed if ids is None or job in ids]
            for job in failed:
                self._execute("UPDATE job SET status = 'waiting' WHERE id = ?", job)
                self._seal_job(job)
            return len(failed)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction that removes the seal of the folder if it changes anything."""
        # The worker is made first: inside the transaction it could wait for a sweep that waits for this one.
        self._worker_name()
        with writing(self._connection):
            before = self._connection.total_changes
            yield
            if self._connection.total_changes != before:
                seal.remove(self.folder)

    def _begin_attempt(self, job: str, now: float, outcome: str | None = None) -> None:
        ended = None if outcome is None else now
        self._insert([Attempt(job=job, worker=self._worker_name(), host=provenance.host(), pid=os.getpid(),
                              started=now, ended=ended, outcome=outcome)])  # fmt: skip

    def _end_attempt(self, job: str, outcome: str) -> None:
        now = time.time()
        if not self._execute(_END, now, outcome, job, self._worker_name()).rowcount:
            self._begin_attempt(job, now, outcome)  # ended without a claim, or twice
        self._seal_job(job)

    def _seal_job(self, job: str) -> None:
        """Seals a job's row and its attempts after a change to them."""
        seal.seal_rows(self._connection, "job", "id = ?", job)
        seal.seal_rows(self._connection, "attempt", "job = ?", job)

    def _worker_name(self) -> str:
        self._worker = self._worker or locks.Worker(self.folder)
        return self._worker.name

    def _insert(self, records: Sequence[Record], otherwise: str = "") -> int:
        if not records:
            return 0
        table = next(name for name, kind in LEDGER.items() if kind is type(records[0]))
        return self._insert_rows(table, list(map(to_row, records)), otherwise)

    def _insert_rows(self, table: str, rows: list[tuple[Any, ...]], otherwise: str = "") -> int:
        names = [f'"{column.name}"' for column in columns(LEDGER[table])]
        if table in SEALED:
            names.append(ledger.SEAL)
            rows = [(*row, seal.seal_of(table, row)) for row in rows]
        marks = ", ".join("?" * len(names))
        sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}) {otherwise}"
        return max(self._connection.executemany(sql, rows).rowcount, 0)
