"""Whether a run's records are the ones that were written: every digest and every seal is computed again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.results import parts, seal, tables
from assay.results.journal import SEALED
from assay.results.ledger import SEAL, reading, select_columns
from assay.results.record import (
    NONE,
    Job,
    curves_digest,
    digest_of,
    episodes_digest,
    file_digest,
    from_row,
)
from assay.results.remote_parts import file_of
from assay.results.transcripts import read_transcript, transcript_digest

# What reading a damaged ledger raises beside our own: text that is no UTF-8, numbers that are no JSON, blobs.
DAMAGE = (sqlite3.Error, ValueError, TypeError, OverflowError)
FILES = ("curves", "weights", "transcript")
_TABLE = {"schema": "the ledger's schema", **{name: f"the table {name}" for name in SEALED}}


class Finding(NamedTuple):
    """One thing that does not match."""

    job: str
    # run.json, ledger, job, reference, attempt, decision, episodes, one of FILES, notes, seal or report
    what: str
    says: str


class Verified(NamedTuple):
    """How many finished jobs were checked, and what was found wrong."""

    checked: int
    findings: tuple[Finding, ...]
    fingerprint: str = ""  # of the folder as it is now; "" where the ledger cannot be read
    sealed: bool = False  # the run is finished, and the fingerprint of that moment is kept

    @property
    def holds(self) -> bool:
        return not self.findings

    @property
    def lost(self) -> tuple[str, ...]:
        """The jobs of which only files are wrong; doing them again restores these."""
        torn = {each.job for each in self.findings if each.what in FILES}
        others = {each.job for each in self.findings if each.what not in FILES}
        return tuple(sorted(torn - others - {""}))


def verify(run: Path, connection: sqlite3.Connection) -> Verified:
    """Compare every record with its digest, and list what differs."""
    findings: list[Finding] = []
    done, fingerprint, sealed = 0, "", (run / seal.FILE).exists()
    with reading(connection):
        checks: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
            ("the ledger", lambda: _of_ledger(run, connection)),
            (seal.PLAN, lambda: _of_plan(run)),
            *((f"the table {name}", lambda name=name: _of_rows(connection, name)) for name in SEALED),
            ("the jobs", lambda: _of_jobs(run, connection)),
            ("the files", lambda: _of_strays(run, connection, sealed)),
            ("the seal", lambda: _of_seal(run, connection)),
        ]
        for what, check in checks:
            findings += _guard(run, what, check)
        try:
            (done,) = connection.execute("SELECT count(*) FROM job WHERE status = 'done'").fetchone()
            fingerprint = seal.fingerprint_of(seal.digests(run, connection))
        except DAMAGE as error:
            findings.append(_unreadable(run, "the ledger", error))
    return Verified(done, tuple(findings), fingerprint, sealed)


def _guard(run: Path, what: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """The findings of a check, as far as the records can be read."""
    try:
        yield from check()
    except DAMAGE as error:
        yield _unreadable(run, what, error)


def _unreadable(run: Path, what: str, error: Exception) -> Finding:
    says = str(error) if isinstance(error, AssayError) else f"{what} of {run} cannot be read: {error}."
    return Finding("", "ledger", says)


def _of_ledger(run: Path, connection: sqlite3.Connection) -> Iterator[Finding]:
    for (fault,) in connection.execute("PRAGMA integrity_check(5)"):
        if fault != "ok":
            yield Finding("", "ledger", f"the ledger of {run} is torn: {fault}.")
    strays = "SELECT DISTINCT job FROM episode WHERE job NOT IN (SELECT id FROM job WHERE status = 'done')"
    for (job,) in connection.execute(strays):
        yield Finding(job, "episodes", f"there are episodes of job {job}, which is not done.")
    ended = "SELECT job FROM attempt WHERE outcome = 'done'"
    for (job,) in connection.execute(f"SELECT id FROM job WHERE status = 'done' AND id NOT IN ({ended})"):
        yield Finding(
            job, "attempt", f"job {job} is done, but no recorded attempt at it ended with a result."
        )


def _of_plan(run: Path) -> Iterator[Finding]:
    if not seal.is_as_signed((run / seal.PLAN).read_bytes()):
        says = f"the {seal.PLAN} of {run} is not the one that was written: plan, command or versions."
        yield Finding("", seal.PLAN, says)


def _of_rows(connection: sqlite3.Connection, table: str) -> Iterator[Finding]:
    """The rows whose columns are not those that gave them their seals."""
    names = select_columns(connection, table)
    for *row, written in connection.execute(f"SELECT {names}, {SEAL} FROM {table} ORDER BY rowid"):
        try:
            same = seal.seal_of(table, tuple(row)) == written
        except DAMAGE:
            same = False
        if not same:
            job = row[0] if table in ("job", "attempt") else ""
            yield Finding(str(job), table, f"{_named(table, row)} is not the one that was written.")


def _named(table: str, row: list[Any]) -> str:
    return {
        "job": lambda: f"the row of job {row[0]}",
        "attempt": lambda: f"an attempt at job {row[0]} by worker {row[1]}",
        "reference": lambda: f"the {row[1]} reference of {row[0]}",
        "decision": lambda: f"decision {row[0]} ({row[1]})",
    }[table]()


def _of_jobs(run: Path, connection: sqlite3.Connection) -> Iterator[Finding]:
    for row in tables.rows(connection, "job", {}):
        yield from _guard(run, f"job {row[0]}", partial(_of_job, run, connection, row))


def _of_job(run: Path, connection: sqlite3.Connection, row: tuple[Any, ...]) -> Iterator[Finding]:
    """The findings on one job; its digest covers its episodes and the content of its files."""
    try:
        job = from_row(Job, row)
    except DAMAGE as error:  # an AssayError is one, a broken JSON text another
        yield Finding(str(row[0]), "job", f"the row of job {row[0]} is no job: {error}")
        return
    if job.id != job.expected_id:
        yield Finding(job.id, "job", f"the columns of job {job.id} are not the ones that gave it its id.")
    if job.status != "done":
        return
    expected = (job.digest or "").split("-")
    if len(expected) not in (3, 4):  # the last is that of a transcript
        yield Finding(job.id, "job", f"the digest of job {job.id} is no digest: {job.digest!r}.")
        return
    pieces = (
        ("episodes", expected[0], _episodes),
        ("curves", (expected[1], job.part_digest), _curves),
        ("weights", expected[2], _weights),
        ("transcript", (*(expected[3:] or [NONE]), job.transcript_digest or NONE), _transcript),
    )
    for what, written, digest in pieces:
        is_not = "is not the one that was" if what == "transcript" else "are not the ones that were"
        same, says = False, f"the {what} of job {job.id} {is_not} written."
        try:
            same = digest(run, connection, job) == written
        except AssayError as error:  # it names the file, and what is wrong with it
            says = str(error)
        except DAMAGE:
            pass  # a number that no record can hold, such as infinity
        if not same:
            yield Finding(job.id, what, says)
    yield from _of_notes(run, job)


def _of_notes(run: Path, job: Job) -> Iterator[Finding]:
    """Whether a language model's answers are those of the job. Older runs have no digest of them."""
    if job.notes_digest is None:
        return
    path, data = parts.notes_of(run, job.id), parts.read_notes(run, job.id)
    if data is None:
        yield Finding(job.id, "notes", f"the notes {path} are missing; restore them from a copy.")
    elif file_digest(job.id, data) != job.notes_digest:
        yield Finding(job.id, "notes", f"the notes {path} are not the ones that were written.")


def _episodes(run: Path, connection: sqlite3.Connection, job: Job) -> str:
    return episodes_digest(job.id, tables.rows(connection, "episode", {"job": job.id}))


def _curves(run: Path, connection: sqlite3.Connection, job: Job) -> tuple[str, str]:
    """Digests of the curves and of the bytes of the part: a Parquet file holds more than its rows."""
    file = file_of(run, parts.CURVES, job)
    if file.data is None:
        return curves_digest(job.id, None), file_digest(job.id, None)
    return curves_digest(job.id, parts.read_curves(file)), file_digest(job.id, file.data)


def _weights(run: Path, connection: sqlite3.Connection, job: Job) -> str:
    return file_digest(job.id, file_of(run, parts.WEIGHTS, job).data)


def _transcript(run: Path, connection: sqlite3.Connection, job: Job) -> tuple[str, str]:
    """Digests of its rows and of the bytes of the file, as for curves."""
    file = file_of(run, parts.TRANSCRIPTS, job)
    if file.data is None:
        return NONE, NONE
    return transcript_digest(job.id, read_transcript(file)), file_digest(job.id, file.data)


def _of_strays(run: Path, connection: sqlite3.Connection, sealed: bool) -> Iterator[Finding]:
    """Files that no job left. In a run at work a file is there just before its job is done."""
    which = "status = 'done'" if sealed else "TRUE"
    known = {job for (job,) in connection.execute(f"SELECT id FROM job WHERE {which}")}
    for path, job in parts.in_place(run):
        if job not in known:
            yield Finding(job, "ledger", f"no job of the ledger left {path}.")
    planned = {job for (job,) in connection.execute("SELECT id FROM job")}
    for path in sorted((run / parts.NOTES).glob("*")):  # a job that failed has notes as well
        if path.name.removesuffix(".jsonl") not in planned:
            yield Finding("", "ledger", f"no job of the ledger left {path}.")


def _of_seal(run: Path, connection: sqlite3.Connection) -> Iterator[Finding]:
    """Whether the folder is as it was when the run ended; a run that is not sealed has no findings."""
    kept = seal.read(run)
    if kept is None:
        return
    now = seal.digests(run, connection)
    changed = [name for name in now if now[name] != kept.digests.get(name)]
    if changed:
        says = f"since {run} was sealed, {' and '.join(_TABLE.get(name, name) for name in changed)} changed."
        yield Finding("", "seal", says)
    for name, written in kept.reports.items():
        if (run / name).exists() and digest_of([(run / name).read_bytes()]) != written.digest:
            yield Finding("", "report", f"{run / name} is not the one that was written.")
