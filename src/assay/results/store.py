"""A run on the disk: made, opened, worked on by many processes, and read.

A job is finished by one SQLite transaction, its files renamed just before that commits: kill -9 at any moment
leaves either a finished job or one to be done again, and files without a finished job are swept.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from assay.errors import AssayError
from assay.results import ledger, locks, parts, provenance, tables
from assay.results.folder import make, read_plan
from assay.results.ledger import explained, writing
from assay.results.record import (
    TABLES,
    Cost,
    Curve,
    Episode,
    Job,
    Reference,
    canonical,
    columns,
    curves_digest,
    episodes_digest,
    from_row,
    to_row,
    weights_digest,
)
from assay.results.verify import Verified, verify

_BEGIN = "INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)"
_END = """
UPDATE attempt SET ended = ?, outcome = ?
WHERE rowid = (
    SELECT max(rowid) FROM attempt WHERE job = ? AND worker = ? AND (outcome IS NULL OR outcome = 'died')
)
"""
_GONE = "UPDATE attempt SET ended = ?, outcome = 'died' WHERE job = ? AND outcome IS NULL"
_RUNNING = "UPDATE job SET status = 'running', started = ?, host = ? WHERE id = ?"
_FAILED = "UPDATE job SET status = 'failed', ended = ?, host = ? WHERE id = ? AND status != 'done'"
_DONE = """
UPDATE job
SET status = 'done', ended = ?, wall_s = ?, cpu_s = ?, device_s = ?, host = ?, versions = ?, digest = ?
WHERE id = ?
"""
_STANDING = """
SELECT id, status, (SELECT worker FROM attempt WHERE job = job.id ORDER BY rowid DESC LIMIT 1)
FROM job ORDER BY rowid
"""


class Progress(NamedTuple):
    """The ids of a run's jobs by where they stand, each in the order planned."""

    waiting: tuple[str, ...]
    running: tuple[str, ...]  # by a living process
    abandoned: tuple[str, ...]  # by a process that is gone: they are claimed again
    failed: tuple[str, ...]
    done: tuple[str, ...]

    @property
    def left(self) -> tuple[str, ...]:
        """What a resumed run has to do."""
        return self.abandoned + self.waiting


class Finished(NamedTuple):
    """Whether a result was kept; of two for one job the first one is."""

    kept: bool
    says: str


class Attempt(NamedTuple):
    """Who took a job, and how that ended; None while it lasts."""

    job: str
    worker: str
    host: str
    pid: int
    started: float
    ended: float | None
    outcome: str | None


def create(folder: str | Path, plan: Mapping[str, Any], command: Iterable[str] = ()) -> Run:
    """A new run in a folder that is empty or not there yet."""
    run = Path(folder).absolute()
    with explained(run):
        make(run, plan, command)
    return open_run(run)


def open_run(folder: str | Path) -> Run:
    """A run that is there; what dead processes left half-written is swept."""
    run = Path(folder).absolute()
    with explained(run):
        plan = read_plan(run)
        opened = Run(run, plan, ledger.connect(run))
        try:
            opened.sweep()
        except BaseException:
            opened.close()
            raise
    return opened


class Run:
    """An open run. One per process and thread: workers are spawned and open the folder themselves."""

    def __init__(self, folder: Path, plan: dict[str, Any], connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.plan = plan  # run.json, whole
        self._connection = connection
        self._worker: locks.Worker | None = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the run; jobs claimed here and not finished can be claimed by others."""
        self._connection.close()
        if self._worker:
            self._worker.leave()
            self._worker = None

    def add_jobs(self, jobs: Iterable[Job]) -> int:
        """Plan jobs; those already there are kept as they are. How many are new."""
        jobs = list(jobs)
        for job in jobs:
            if job != Job.planned(**job.identity):
                raise AssayError(f"job {job.id!r} is not as planned; make it by Job.planned.")
        with explained(self.folder), writing(self._connection):
            return self._insert("job", map(to_row, jobs), "ON CONFLICT (id) DO NOTHING")

    def add_references(self, references: Iterable[Reference], replace: bool = False) -> int:
        """Store references, and say how many are new; one that is there must be equal or be replaced."""
        rows = []
        with explained(self.folder), writing(self._connection):
            for each in references:
                there = tables.rows(self._connection, "reference", {"task": each.task, "kind": each.kind})
                if there == [to_row(each)]:
                    continue
                if there and not replace:
                    raise AssayError(
                        f"{self.folder} has another {each.kind} reference of {each.task}: {there[0][2]!r}, "
                        f"not {each.value!r}; replace=True lets the new one stand."
                    )
                self._execute("DELETE FROM reference WHERE task = ? AND kind = ?", each.task, each.kind)
                rows.append(to_row(each))
            return self._insert("reference", rows)

    def claim(self, limit: int = 1, ids: Collection[str] | None = None) -> list[Job]:
        """Take up to `limit` jobs, perhaps only among `ids`: those whose worker died, and those that wait."""
        with explained(self.folder):
            worker = self._worker_name()
            with writing(self._connection):
                left = self.progress().left
                taken = [job for job in left if ids is None or job in ids][:limit]
                now, host = time.time(), provenance.host()
                for job in taken:
                    self._execute(_GONE, now, job)
                    self._execute(_BEGIN, job, worker, host, os.getpid(), now, None, None)
                    self._execute(_RUNNING, now, host, job)
                return self.jobs(id=taken)

    def finish(
        self,
        job_id: str,
        episodes: Iterable[Episode],
        curves: pa.Table | Iterable[Curve] = (),
        weights: Mapping[str, np.ndarray] | None = None,
        cost: Cost = Cost(),
    ) -> Finished:
        """Store a job's result, all of it or nothing; if the job is done already, what is there stays."""
        rows, table, data, digest = _packed(self.job(job_id), episodes, curves, weights)
        files = {parts.CURVES: None if table is None else parts.curve_bytes(table), parts.WEIGHTS: data}
        asides: dict[Path, Path | None] = {}
        with explained(self.folder):
            try:
                for kind, content in files.items():
                    path = parts.part(self.folder, kind, job_id)
                    asides[path] = None
                    if content is not None:
                        asides[path] = parts.write_aside(path, self._worker_name(), content)
                with writing(self._connection):
                    finished = self._commit(job_id, rows, asides, digest, cost)
            except BaseException:
                _remove(asides.values())
                # Perhaps the files were in place and only the commit failed, as on a disk that is full.
                with suppress(AssayError, OSError, sqlite3.Error):
                    self.sweep()
                raise
            if not finished.kept:
                _remove(asides.values())
            return finished

    def fail(self, job_id: str, why: str) -> None:
        """Give a job up, and say why; a result that is there already stays."""
        self.job(job_id)
        with explained(self.folder), writing(self._connection):
            if self._execute(_FAILED, time.time(), provenance.host(), job_id).rowcount:
                self._end_attempt(job_id, f"failed: {why}")

    def retry(self, ids: Collection[str] | None = None) -> int:
        """Let failed jobs wait again: all, or those among `ids`. How many there were."""
        with explained(self.folder), writing(self._connection):
            failed = [job for job in self.progress().failed if ids is None or job in ids]
            for job in failed:
                self._execute("UPDATE job SET status = 'waiting' WHERE id = ?", job)
            return len(failed)

    def sweep(self) -> None:
        """Remove what dead processes left, if this process alone does so; never what a living one writes."""
        if not os.access(self.folder, os.W_OK):
            return
        with locks.alone(self.folder) as may:
            if not may:
                return
            _remove(
                path
                for path, worker in parts.leftovers(self.folder)
                if not locks.is_alive(self.folder, worker)
            )
            if not {job for _, job in parts.in_place(self.folder)} <= set(self.progress().done):
                # Inside a transaction nobody stands between renaming a file and calling its job done.
                with writing(self._connection):
                    done = set(self.progress().done)
                    _remove(path for path, job in parts.in_place(self.folder) if job not in done)
            locks.sweep(self.folder)

    def progress(self) -> Progress:
        """Which jobs are done, which are left, and which somebody is at."""
        with explained(self.folder):
            found: dict[str, list[str]] = {name: [] for name in Progress._fields}
            alive = cache(lambda worker: locks.is_alive(self.folder, worker))
            for job, status, worker in self._execute(_STANDING):
                dead = status == "running" and not (worker and alive(worker))
                found["abandoned" if dead else status].append(job)
        return Progress(**{name: tuple(jobs) for name, jobs in found.items()})

    def job(self, job_id: str) -> Job:
        """One job by its id."""
        found = self.jobs(id=job_id)
        if not found:
            raise AssayError(f"{self.folder} has no job {job_id!r}; its jobs() lists those that it has.")
        return found[0]

    def jobs(self, **filters: Any) -> list[Job]:
        """The jobs, in the order planned; a filter is a column's value or a list of values."""
        with explained(self.folder):
            return [from_row(Job, row) for row in tables.rows(self._connection, "job", filters)]

    def episodes(self, **filters: Any) -> pa.Table:
        """The episodes of finished jobs, filtered as `jobs` are."""
        with explained(self.folder):
            return tables.stored(self._connection, "episode", filters)

    def references(self, **filters: Any) -> list[Reference]:
        """The references, filtered as `jobs` are."""
        with explained(self.folder):
            return [from_row(Reference, row) for row in tables.rows(self._connection, "reference", filters)]

    def curves(self, **filters: Any) -> pa.Table:
        """The curves of finished jobs, filtered as `jobs` are."""
        with explained(self.folder):
            return tables.curves(self.folder, self._connection, filters)

    def weights(self, job_id: str) -> parts.Weights:
        """The arrays that a finished job left."""
        with explained(self.folder):
            return parts.read_weights(parts.part(self.folder, parts.WEIGHTS, job_id), job_id)

    def attempts(self) -> list[Attempt]:
        """Who took which job, in order, and how that ended."""
        with explained(self.folder):
            return [Attempt(*row) for row in self._execute("SELECT * FROM attempt ORDER BY rowid")]

    def failures(self) -> list[str]:
        """Why the jobs that failed did, each reason once."""
        failed = set(self.progress().failed)
        last = {attempt.job: attempt.outcome or "" for attempt in self.attempts() if attempt.job in failed}
        return list(dict.fromkeys(outcome.removeprefix("failed: ") for outcome in last.values()))

    def query(self, sql: str) -> pa.Table:
        """What DuckDB answers on the tables job, episode, reference and curve."""
        with explained(self.folder):
            return tables.query(self.folder, self._connection, sql)

    def export(self, folder: str | Path, format: str = "csv") -> list[Path]:
        """Write every table as csv, json or parquet into a folder; which files."""
        with explained(Path(folder)):
            return tables.export(self.folder, self._connection, Path(folder), format)

    def verify(self) -> Verified:
        """Compute every record's digest anew, and name what does not match."""
        with explained(self.folder):
            return verify(self.folder, self._connection)

    def _commit(
        self, job: str, rows: list[tuple], asides: Mapping[Path, Path | None], digest: str, cost: Cost
    ) -> Finished:
        """The part of `finish` inside its transaction."""
        ((status, earlier),) = self._execute("SELECT status, digest FROM job WHERE id = ?", job)
        if status == "done":
            same = "the same" if earlier == digest else "ANOTHER"
            says = f"job {job} was done already, with {same} result; the first one stays."
            self._end_attempt(job, f"second, with {same} result")
            return Finished(False, says)
        ledger.add_columns(self._connection, "episode")
        self._insert("episode", rows)
        versions = canonical(provenance.versions())
        self._execute(_DONE, time.time(), *map(_seconds, cost), provenance.host(), versions, digest, job)
        self._end_attempt(job, "done")
        for path, aside in asides.items():
            if aside:
                parts.put_in_place(aside, path)
            else:
                path.unlink(missing_ok=True)  # of an attempt that was killed before its commit
        return Finished(True, f"job {job} is done.")

    def _end_attempt(self, job: str, outcome: str) -> None:
        now, worker = time.time(), self._worker_name()
        if not self._execute(_END, now, outcome, job, worker).rowcount:  # ended without a claim, or twice
            self._execute(_BEGIN, job, worker, provenance.host(), os.getpid(), now, now, outcome)

    def _worker_name(self) -> str:
        self._worker = self._worker or locks.Worker(self.folder)
        return self._worker.name

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)

    def _insert(self, table: str, rows: Iterable[tuple], otherwise: str = "") -> int:
        marks = ", ".join("?" * len(columns(TABLES[table])))
        sql = f"INSERT INTO {table} VALUES ({marks}) {otherwise}"
        return max(self._connection.executemany(sql, rows).rowcount, 0)


def digest_of_result(
    job: Job,
    episodes: Iterable[Episode],
    curves: pa.Table | Iterable[Curve] = (),
    weights: Mapping[str, np.ndarray] | None = None,
) -> str:
    """The digest that a job would have, were this its result."""
    return _packed(job, episodes, curves, weights)[-1]


def _packed(job: Job, episodes: Any, curves: Any, weights: Any) -> tuple:
    """A result as it is stored: rows, curve table, bytes of the weights, and the digest of all three."""
    rows = _episode_rows(job.id, episodes)
    table = parts.curve_table(job.id, curves)
    data = None if weights is None else parts.weight_bytes(job, weights)
    digests = episodes_digest(job.id, rows), curves_digest(job.id, table), weights_digest(job.id, data)
    return rows, table, data, "-".join(digests)


def _episode_rows(job: str, episodes: Iterable[Episode]) -> list[tuple]:
    seen = set()
    rows = []
    for each in episodes:
        if each.job != job:
            raise AssayError(f"an episode of job {each.job!r} was given to job {job!r}; give each its own.")
        if each.key in seen:
            raise AssayError(
                f"job {job!r} was given episode {each.episode} of {each.task} twice; give it once."
            )
        seen.add(each.key)
        rows.append(to_row(each))
    return rows


def _seconds(cost: float | None) -> float | None:
    return None if cost is None else float(cost)


def _remove(paths: Iterable[Path | None]) -> None:
    for path in paths:
        if path:
            path.unlink(missing_ok=True)
