"""A run on the disk: it is made, opened, worked on by many processes, and read.

A job is finished by one SQLite transaction, and its files are renamed just before that commits: kill -9 at
any moment leaves a finished job or one to be done again, and files without a finished job are swept.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from assay.errors import AssayError
from assay.results import ledger, locks, parts, provenance, seal, tables
from assay.results.claims import Claims
from assay.results.document import Document, Pieces
from assay.results.folder import make, read_document
from assay.results.journal import Decision
from assay.results.ledger import explain_errors, writing
from assay.results.record import (
    Cost,
    Curve,
    Episode,
    Job,
    Reference,
    canonical,
    digest_of,
    file_digest,
    to_row,
)
from assay.results.stored_result import MadeWith, Packed, pack

_DONE = """
UPDATE job
SET status = 'done', ended = ?, wall_s = ?, cpu_s = ?, device_s = ?, host = ?, versions = ?, digest = ?,
    part_digest = ?, uncovered = ?, lanes = ?, device = ?, elsewhere = ?, transcript_digest = ?,
    notes_digest = ?
WHERE id = ?
"""
_LOST = """
UPDATE job
SET status = 'waiting', ended = NULL, wall_s = NULL, cpu_s = NULL, device_s = NULL, versions = NULL,
    digest = NULL, part_digest = NULL, uncovered = NULL, lanes = NULL, device = NULL,
    elsewhere = NULL, transcript_digest = NULL, notes_digest = NULL
WHERE id = ? AND status = 'done'
"""


class Finished(NamedTuple):
    """Whether a result was kept; of two results for one job the first is."""

    kept: bool
    says: str


def create(
    folder: str | Path,
    plan: Mapping[str, Any],
    command: Iterable[str] = (),
    sources: Pieces | None = None,
) -> Run:
    """Makes a run in a folder that is empty or not there yet; `sources` lists the code of its jobs."""
    run = Path(folder).absolute()
    with explain_errors(run):
        make(run, plan, command, sources)
    return open_run(run)


def open_run(folder: str | Path, sweep: bool = True) -> Run:
    """Opens a run; with `sweep`, files that dead processes left are removed."""
    run = Path(folder).absolute()
    with explain_errors(run):
        opened = Run(run, read_document(run), ledger.connect(run))
        try:
            if sweep:
                opened.sweep()
        except BaseException:
            opened.close()
            raise
    return opened


class Run(Claims):
    """An open run. One per process and thread: workers are spawned and open the folder themselves."""

    def __init__(self, folder: Path, document: Document, connection: sqlite3.Connection) -> None:
        super().__init__(folder, document, connection)
        self.opened = time.time()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the run; other processes may then claim the jobs that were claimed here and not finished."""
        self._connection.close()
        if self._worker:
            self._worker.leave()
            self._worker = None

    def add_jobs(self, jobs: Iterable[Job]) -> int:
        """Add planned jobs, and return how many are new; those already there stay as they are."""
        jobs = list(jobs)
        for job in jobs:
            if job != Job.planned(**job.identity):
                raise AssayError(f"job {job.id!r} is not as planned; make it by Job.planned.")
        with explain_errors(self.folder), self._writing():
            ledger.add_columns(self._connection)
            return self._insert(jobs, "ON CONFLICT (id) DO NOTHING")

    def add_references(self, references: Iterable[Reference], replace: bool = False) -> int:
        """Store references, and return how many are new; one already there must be equal, or be replaced."""
        new = []
        with explain_errors(self.folder), self._writing():
            for each in references:
                present = tables.rows(self._connection, "reference", {"task": each.task, "kind": each.kind})
                if present == [to_row(each)]:
                    continue
                if present and not replace:
                    raise AssayError(
                        f"{self.folder} has another {each.kind} reference of {each.task}: {present[0][2]!r}, "
                        f"not {each.value!r}; pass replace=True to replace it."
                    )
                self._execute("DELETE FROM reference WHERE task = ? AND kind = ?", each.task, each.kind)
                new.append(each)
            return self._insert(new)

    def add_decision(self, kind: str, decided: Mapping[str, Any]) -> bool:
        """Record a decision, unless the last one of its kind was the same; returns whether it is new."""
        with explain_errors(self.folder), self._writing():
            earlier = self.decisions()
            decision = Decision(number=len(earlier), kind=kind, decided=dict(decided))
            same = [each.decided for each in earlier if each.kind == kind][-1:] == [decision.decided]
            return not same and bool(self._insert([decision]))

    def finish(
        self,
        job_id: str,
        episodes: Iterable[Episode],
        curves: pa.Table | Iterable[Curve] = (),
        weights: Mapping[str, np.ndarray] | None = None,
        cost: Cost = Cost(),
        made_with: MadeWith = MadeWith(),
        transcript: pa.Table | None = None,
    ) -> Finished:
        """Store a job's result, all of it or nothing; if the job is done already, its first result stays."""
        packed = pack(self.job(job_id), episodes, curves, weights, transcript)
        return self.finish_packed(job_id, packed, cost, made_with)

    def finish_packed(self, job_id: str, packed: Packed, cost: Cost, made_with: MadeWith) -> Finished:
        """Store a result that another process packed, perhaps on another machine."""
        asides: dict[Path, Path | None] = {}
        with explain_errors(self.folder):
            try:
                for kind, content in packed.files.items():
                    path = parts.part(self.folder, kind, job_id)
                    asides[path] = None
                    if content is not None:
                        path.parent.mkdir(
                            exist_ok=True
                        )  # there are transcripts only where they are asked for
                        asides[path] = parts.write_aside(path, self._worker_name(), content)
                with self._writing():
                    finished = self._commit(job_id, packed, asides, cost, made_with)
            except BaseException:
                _remove(asides.values())
                # Perhaps the files were in place and only the commit failed, as on a disk that is full.
                with suppress(AssayError, OSError, sqlite3.Error):
                    self.sweep()
                raise
            if not finished.kept:
                _remove(asides.values())
            return finished

    def give_up_results(self, jobs: Mapping[str, str]) -> None:
        """Drop the results of finished jobs, which then wait again; the log keeps the reason of each."""
        with explain_errors(self.folder), self._writing():
            if jobs:
                ledger.add_columns(self._connection)
            for job, why in jobs.items():
                if self._execute(_LOST, job).rowcount:
                    self._execute("DELETE FROM episode WHERE job = ?", job)
                    self._end_attempt(job, why)
                    _remove(parts.part(self.folder, kind, job) for kind in parts.SUFFIX)

    def sweep(self) -> None:
        """Remove files of dead processes, unless another process does so; those of living ones stay."""
        if not os.access(self.folder, os.W_OK):
            return
        with locks.alone(self.folder) as may_sweep:
            if not may_sweep:
                return
            _remove(
                path
                for path, worker in parts.leftovers(self.folder)
                if not locks.is_alive(self.folder, worker)
            )
            if not {job for _, job in parts.in_place(self.folder)} <= set(self.progress().done):
                # Inside a transaction no other process is between renaming a file and marking its job done.
                with writing(self._connection):
                    progress = self.progress()
                    # A file of a job that is not known at all stays: perhaps its row was lost.
                    undone = {job for jobs in progress for job in jobs} - set(progress.done)
                    _remove(path for path, job in parts.in_place(self.folder) if job in undone)
            locks.sweep(self.folder)

    def seal(self) -> str:
        """Seal a finished run, and return its fingerprint, which `seal.json` keeps until the next change."""
        with explain_errors(self.folder), self._writing():
            digests = seal.digests(self.folder, self._connection)
            kept = seal.read(self.folder)
            if kept is None or kept.digests != digests:
                seal.write(self.folder, self._worker_name(), digests, {})
            return seal.fingerprint_of(digests)

    def seal_reports(self, paths: Iterable[Path], how: Mapping[str, str]) -> None:
        """Add reports on these records to the seal, with their digests and options."""
        with explain_errors(self.folder), self._writing():
            kept = seal.read(self.folder)
            if kept is not None:  # a report on an unfinished run soon changes
                new = {path.name: seal.SealedReport(digest_of([path.read_bytes()]), **how) for path in paths}
                seal.write(self.folder, self._worker_name(), kept.digests, {**kept.reports, **new})

    def _commit(
        self,
        job: str,
        packed: Packed,
        asides: Mapping[Path, Path | None],
        cost: Cost,
        made_with: MadeWith,
    ) -> Finished:
        """Store a result; call it inside a transaction."""
        ((status, earlier),) = self._execute("SELECT status, digest FROM job WHERE id = ?", job)
        if status == "done":
            same = "the same" if earlier == packed.digest else "ANOTHER"
            says = f"job {job} was done already, with {same} result; the first one stays."
            self._end_attempt(job, f"second, with {same} result")
            return Finished(False, says)
        ledger.add_columns(self._connection)
        self._insert_rows("episode", packed.rows)
        versions = canonical({**provenance.versions(), **made_with.versions})
        uncovered = canonical(dict(made_with.uncovered)) if made_with.uncovered else None
        host = made_with.host or provenance.host()
        notes = parts.read_notes(self.folder, job)
        self._execute(_DONE, time.time(), *map(_seconds, cost), host, versions, packed.digest,
                      packed.part_digest, uncovered, made_with.lanes, made_with.device,
                      packed.elsewhere or None, packed.transcript_digest,
                      None if notes is None else file_digest(job, notes), job)  # fmt: skip
        self._end_attempt(job, "done")
        for path, aside in asides.items():
            if aside:
                parts.put_in_place(aside, path)
            else:
                path.unlink(missing_ok=True)  # of an attempt that was killed before its commit
        return Finished(True, f"job {job} is done.")


def _seconds(cost: float | None) -> float | None:
    return None if cost is None else float(cost)


def _remove(paths: Iterable[Path | None]) -> None:
    for path in paths:
        if path:
            path.unlink(missing_ok=True)
