"""The ledger: one SQLite file of jobs, episodes and references, written by many processes at once.

Beside the three tables of records it holds attempts and decisions. In every table a row ends with its `seal`,
the digest of all its columns; only episodes have none, because the digest of their job covers them.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError
from assay.results.journal import LEDGER, SEALED
from assay.results.record import ADDED, REFERENCE_KINDS, SCHEMA, STATUSES, TABLES, columns

FILE = "ledger.sqlite"
STORED = ("job", "episode", "reference")  # curves are bulk, and are stored as Parquet
SEAL = "seal"
PATIENCE_S = 60.0  # how long a process waits for another one's transaction, which takes milliseconds
_CONSTRAINTS = {
    "job": f"PRIMARY KEY (id), CHECK (status IN {STATUSES})",
    "episode": "FOREIGN KEY (job) REFERENCES job (id)",
    "reference": f"PRIMARY KEY (task, kind), CHECK (kind IN {REFERENCE_KINDS})",
    "attempt": "FOREIGN KEY (job) REFERENCES job (id)",
    "decision": "PRIMARY KEY (number)",
}
_FULL = (errno.ENOSPC, errno.EDQUOT)
_TORN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SHUT = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def create(run: Path) -> None:
    """Creates an empty ledger of this schema."""
    connection = _connect(run, "mode=rwc")
    try:
        # WAL lasts with the file: readers never wait, and a killed writer leaves whole transactions only.
        connection.execute("PRAGMA journal_mode = WAL")
        with writing(connection):
            for name in LEDGER:
                connection.execute(_create_table(name))
            connection.execute("CREATE INDEX episode_job ON episode (job)")
            connection.execute("CREATE INDEX attempt_job ON attempt (job)")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
    finally:
        connection.close()


def connect(run: Path) -> sqlite3.Connection:
    """Opens a ledger, and refuses one that is torn or of another schema."""
    if not (run / FILE).is_file():
        raise AssayError(f"{run} has no {FILE}, which holds the records; restore it from a copy.")
    connection = _connect(run, _mode(run))
    try:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if not set(STORED) <= tables:
            raise _torn(run)
        require_schema(run, schema)
        if not set(LEDGER) <= tables:
            raise _torn(run)
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise _torn(run)
    except BaseException:
        connection.close()
        raise
    return connection


def added_columns_missing(connection: sqlite3.Connection, name: str) -> list[str]:
    """The columns that a table lacks because its run is older than they are."""
    added = ADDED.get(name, ())
    present = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} if added else set()
    return [column for column in added if column not in present]


def select_columns(connection: sqlite3.Connection, name: str) -> str:
    """The columns of a table for a SELECT, in order; NULL for those that an older run's table lacks."""
    # SQLite takes a quoted name that is no column for a text, so what is not there must not be named.
    lacks = added_columns_missing(connection, name)
    return ", ".join("NULL" if c.name in lacks else f'"{c.name}"' for c in columns(LEDGER[name]))


def add_columns(connection: sqlite3.Connection) -> None:
    """Adds the columns that an older run's tables lack, before something is written into them."""
    for name in ADDED:
        kinds = {column.name: column.sql for column in columns(TABLES[name])}
        for column in added_columns_missing(connection, name):
            connection.execute(f'ALTER TABLE {name} ADD COLUMN "{column}" {kinds[column]}')


def require_schema(run: Path, schema: object) -> None:
    if schema != SCHEMA:
        raise AssayError(
            f"{run} is a run of schema {schema}, and this assay reads schema {SCHEMA}; "
            "read it with the version of assay named in its run.json, or run it anew."
        )


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction: all of it or, on any error, nothing."""
    # IMMEDIATE waits for its turn at the start; a transaction that began by reading could not wait later.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction for several reads that all see the same state."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


@contextmanager
def explain_errors(run: Path) -> Iterator[None]:
    """Turns errors of the disk or of SQLite into an AssayError with one sentence on this run."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _full(run) from None
        raise AssayError(f"{error.filename or run} cannot be used: {error.strerror or error}.") from None
    except UnicodeDecodeError:  # sqlite3 raises it where the text of a row, or of its own error, is damaged
        raise _torn(run) from None
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF  # the higher bits say where in SQLite
        if code == sqlite3.SQLITE_FULL:
            raise _full(run) from None
        if code in _TORN:
            raise _torn(run) from None
        if code in _SHUT:
            raise AssayError(f"the ledger of {run} cannot be opened or written: {error}.") from None
        if code in _BUSY:
            raise AssayError(
                f"the ledger of {run} was kept busy by another process for {PATIENCE_S:.0f} s; try again."
            ) from None
        raise AssayError(f"the ledger of {run} failed: {error}.") from None


def _connect(run: Path, mode: str) -> sqlite3.Connection:
    # A path in a URI: ?, # and % in a folder's name would end or change it.
    address = f"{(run / FILE).absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE_S, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")  # a finished job outlives a power cut
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _mode(run: Path) -> str:
    """The mode of opening: to read and write, or else only to read; immutable if the log is empty."""
    if os.access(run, os.W_OK):
        return "mode=rw"
    log = run / f"{FILE}-wal"
    return "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"


def _create_table(name: str) -> str:
    lines = [
        f'"{column.name}" {column.sql}{"" if column.optional else " NOT NULL"}'
        for column in columns(LEDGER[name])
    ]
    if name in SEALED:
        lines.append(f"{SEAL} TEXT NOT NULL")
    return f"CREATE TABLE {name} ({', '.join([*lines, _CONSTRAINTS[name]])}) STRICT"


def _full(run: Path) -> AssayError:
    return AssayError(
        f"the disk that holds {run} is full; free some space and resume: what was finished before is intact."
    )


def _torn(run: Path) -> AssayError:
    return AssayError(
        f"the ledger of {run} is torn: {FILE} is no whole SQLite file; restore it from a copy, or run anew."
    )
