"""Whether a run's records are the ones that were written: every digest is computed anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.results import parts, tables
from assay.results.ledger import reading
from assay.results.record import Job, curves_digest, episodes_digest, from_row, weights_digest


class Finding(NamedTuple):
    """One thing that does not match."""

    job: str
    what: str  # ledger, job, episodes, curves or weights
    says: str


class Verified(NamedTuple):
    """How many jobs that are done were looked at, and what was found wrong."""

    checked: int
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        return not self.findings


def verify(run: Path, connection: sqlite3.Connection) -> Verified:
    """Compare every record with its digest, and name what differs."""
    with reading(connection):
        findings = list(_of_ledger(run, connection))
        rows = tables.rows(connection, "job", {})
        for row in rows:
            findings += _of_job(run, connection, row)
        (done,) = connection.execute("SELECT count(*) FROM job WHERE status = 'done'").fetchone()
    return Verified(done, tuple(findings))


def _of_ledger(run: Path, connection: sqlite3.Connection) -> Iterator[Finding]:
    for (fault,) in connection.execute("PRAGMA integrity_check(5)"):
        if fault != "ok":
            yield Finding("", "ledger", f"the ledger of {run} is torn: {fault}.")
    strays = "SELECT DISTINCT job FROM episode WHERE job NOT IN (SELECT id FROM job WHERE status = 'done')"
    for (job,) in connection.execute(strays):
        yield Finding(job, "episodes", f"there are episodes of job {job}, which is not done.")


def _of_job(run: Path, connection: sqlite3.Connection, row: tuple) -> Iterator[Finding]:
    """What is wrong with one job; its digest is that of its episodes, of its curves and of its weights."""
    try:
        job = from_row(Job, row)
    except ValueError as error:  # an AssayError is one, a broken JSON text another
        yield Finding(row[0], "job", f"the row of job {row[0]} is no job: {error}")
        return
    if job.id != job.expected_id:
        yield Finding(job.id, "job", f"the columns of job {job.id} are not the ones that gave it its id.")
    if job.status != "done":
        return
    expected = (job.digest or "").split("-")
    if len(expected) != 3:
        yield Finding(job.id, "job", f"the digest of job {job.id} is no digest: {job.digest!r}.")
        return
    for what, written, digest in zip(
        ("episodes", "curves", "weights"), expected, (_episodes, _curves, _weights)
    ):
        same, says = False, f"the {what} of job {job.id} are not the ones that were written."
        try:
            same = digest(run, connection, job.id) == written
        except AssayError as error:  # it names the file, and what is wrong with it
            says = str(error)
        except ValueError:
            pass  # a number that no record can hold, such as infinity
        if not same:
            yield Finding(job.id, what, says)


def _episodes(run: Path, connection: sqlite3.Connection, job: str) -> str:
    return episodes_digest(job, tables.rows(connection, "episode", {"job": job}))


def _curves(run: Path, connection: sqlite3.Connection, job: str) -> str:
    path = parts.part(run, parts.CURVES, job)
    return curves_digest(job, parts.read_curves(path, job) if path.exists() else None)


def _weights(run: Path, connection: sqlite3.Connection, job: str) -> str:
    path = parts.part(run, parts.WEIGHTS, job)
    return weights_digest(job, path.read_bytes() if path.exists() else None)
