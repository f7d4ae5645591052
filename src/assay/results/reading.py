"""Reading an open run: its records, its progress, and whether all of it is as it was written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from assay.errors import AssayError
from assay.results import ledger, locks, parts, seal, tables
from assay.results.document import Document
from assay.results.journal import Attempt, Decision
from assay.results.ledger import explain_errors
from assay.results.record import STATUSES, Job, Reference, from_row
from assay.results.remote_parts import file_of
from assay.results.transcripts import read_transcript
from assay.results.verify import Verified, verify

_STANDING = """
SELECT id, status, (SELECT worker FROM attempt WHERE job = job.id ORDER BY rowid DESC LIMIT 1)
FROM job ORDER BY rowid
"""


class Progress(NamedTuple):
    """The ids of a run's jobs by their state, each in the order planned."""

    waiting: tuple[str, ...]
    running: tuple[str, ...]  # by a living process
    abandoned: tuple[str, ...]  # by a process that is gone: they are claimed again
    failed: tuple[str, ...]
    done: tuple[str, ...]

    @property
    def left(self) -> tuple[str, ...]:
        """The jobs that a resumed run has to do."""
        return self.abandoned + self.waiting


class Records:
    """The records of a run, as its ledger and files hold them now."""

    def __init__(self, folder: Path, document: Document, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.document = document  # the whole run.json
        self._connection = connection

    @property
    def plan(self) -> Mapping[str, Any]:
        """The plan as JSON, as it was written when the run was made."""
        return self.document.plan

    @property
    def sealed(self) -> bool:
        """Whether the run is finished and nothing was changed since."""
        return (self.folder / seal.FILE).exists()

    def progress(self) -> Progress:
        """Which jobs are done, failed, running and left."""
        with explain_errors(self.folder):
            by_status: dict[str, list[str]] = {name: [] for name in Progress._fields}
            alive = cache(lambda worker: locks.is_alive(self.folder, worker))
            for job, status, worker in self._execute(_STANDING):
                if status not in STATUSES:
                    raise AssayError(
                        f"job {job} of {self.folder} has the unknown status {status!r}; "
                        "restore the ledger from a copy."
                    )
                dead = status == "running" and not (worker and alive(worker))
                by_status["abandoned" if dead else status].append(job)
        return Progress(**{name: tuple(jobs) for name, jobs in by_status.items()})

    def job(self, job_id: str) -> Job:
        """One job by its id."""
        jobs = self.jobs(id=job_id)
        if not jobs:
            raise AssayError(f"{self.folder} has no job {job_id!r}; jobs() lists those that it has.")
        return jobs[0]

    def jobs(self, **filters: Any) -> list[Job]:
        """The jobs, in the order planned; a filter is a column's value or a list of values."""
        with explain_errors(self.folder):
            return [from_row(Job, row) for row in tables.rows(self._connection, "job", filters)]

    def episodes(self, **filters: Any) -> pa.Table:
        """The episodes of finished jobs, filtered as `jobs` are."""
        with explain_errors(self.folder):
            return tables.to_table(self._connection, "episode", filters)

    def references(self, **filters: Any) -> list[Reference]:
        """The references, filtered as `jobs` are."""
        with explain_errors(self.folder):
            return [from_row(Reference, row) for row in tables.rows(self._connection, "reference", filters)]

    def curves(self, **filters: Any) -> pa.Table:
        """The curves of finished jobs, filtered as `jobs` are."""
        with explain_errors(self.folder):
            return tables.curves(self.folder, self._connection, filters)

    def weights(self, job_id: str) -> parts.Weights:
        """The arrays that a finished job left."""
        with explain_errors(self.folder):
            return parts.read_weights(file_of(self.folder, parts.WEIGHTS, self.job(job_id)))

    def transcript(self, job_id: str) -> pa.Table:
        """Every step of a finished job's evaluation, if the run was made with transcripts."""
        with explain_errors(self.folder):
            return read_transcript(file_of(self.folder, parts.TRANSCRIPTS, self.job(job_id)))

    def attempts(self) -> list[Attempt]:
        """All attempts at jobs, in order: the worker, and how it ended."""
        with explain_errors(self.folder):
            return [from_row(Attempt, row) for row in tables.rows(self._connection, "attempt", {})]

    def decisions(self, **filters: Any) -> list[Decision]:
        """The decisions that were made from the records, in order, filtered as `jobs` are."""
        with explain_errors(self.folder):
            return [from_row(Decision, row) for row in tables.rows(self._connection, "decision", filters)]

    def failures(self) -> list[str]:
        """The reasons of the jobs that failed, each once."""
        failed = set(self.progress().failed)
        last = {attempt.job: attempt.outcome or "" for attempt in self.attempts() if attempt.job in failed}
        return list(dict.fromkeys(outcome.removeprefix("failed: ") for outcome in last.values()))

    def versions(self) -> dict[str, str]:
        """The versions behind the results: those at the start of the run, and those that its jobs used."""
        versions = {name: [version] for name, version in self.document.versions.items()}
        for job in self.jobs(status="done"):
            for name, version in sorted((job.versions or {}).items()):
                versions[name] = [*dict.fromkeys([*versions.get(name, ()), version])]
        return {name: " and ".join(each) for name, each in versions.items()}

    def query(self, sql: str) -> pa.Table:
        """The answer of DuckDB to a query on the tables job, episode, reference and curve."""
        with explain_errors(self.folder):
            return tables.query(self.folder, self._connection, sql)

    def export(self, folder: str | Path, format: str = "csv") -> list[Path]:
        """Write every table as csv, json or parquet into a folder; returns the files."""
        with explain_errors(Path(folder)):
            return tables.export(self.folder, self._connection, Path(folder), format)

    def verify(self) -> Verified:
        """Compute every record's digest again, and list what does not match."""
        with explain_errors(self.folder):
            return verify(self.folder, self._connection)

    def fingerprint(self) -> str:
        """One digest over all that the run holds now."""
        with explain_errors(self.folder), ledger.reading(self._connection):
            return seal.fingerprint_of(seal.digests(self.folder, self._connection))

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)
