"""The seals of a run: a digest over every row, over `run.json`, and one fingerprint over the whole folder.

Rows and `run.json` carry their own seals, which hold at every moment of a run. The fingerprint is kept in
`seal.json`, which is written when a run is finished and removed by the next change to the ledger: a run that
is under way, or was killed, is not sealed, and is never taken for one that was tampered with.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.results import parts
from assay.results.journal import SEALED
from assay.results.ledger import SEAL, select_columns
from assay.results.record import SCHEMA, as_written, canonical, digest_of
from assay.strict_json import Json

PLAN, FILE = "run.json", "seal.json"
SIGNATURE = "seal"  # the entry of a JSON file that is the digest of all others


class SealedReport(NamedTuple):
    """A report on a run: its digest, and the options of `assay report` or `assay drift` that made it."""

    digest: str
    intervals: str
    compat: str
    folder: str
    question: str = ""  # of a drift: its window and margin, as JSON


class Seal(NamedTuple):
    """The content of `seal.json`."""

    digests: Mapping[str, str]
    reports: Mapping[str, SealedReport]


def seal_of(table: str, row: tuple[Any, ...]) -> str:
    """The seal of a row, given its columns as stored."""
    return digest_of([table.encode(), b"\n", canonical(as_written(table, row)).encode()])


def seal_rows(connection: sqlite3.Connection, table: str, where: str, *values: Any) -> None:
    """Seals rows again after a change to them; call it inside the same transaction."""
    rows = connection.execute(
        f"SELECT rowid, {select_columns(connection, table)} FROM {table} WHERE {where}", values
    )
    seals = [(seal_of(table, tuple(row)), number) for number, *row in rows.fetchall()]
    connection.executemany(f"UPDATE {table} SET {SEAL} = ? WHERE rowid = ?", seals)


def sign(document: Mapping[str, Any]) -> dict[str, Json]:
    """A document for a JSON file, with the digest of its other entries as its last one."""
    plain = {name: value for name, value in document.items() if name != SIGNATURE}
    return {**plain, SIGNATURE: digest_of([canonical(plain).encode()])}


def render(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()


def is_as_signed(data: bytes) -> bool:
    """Whether a JSON file holds the very bytes that were written; even a changed space counts."""
    try:
        document = json.loads(data)
        return isinstance(document, dict) and render(sign(document)) == data
    except (ValueError, TypeError, RecursionError):
        return False


def digests(run: Path, connection: sqlite3.Connection) -> dict[str, str]:
    """Digests of `run.json`, of the ledger's schema and of every sealed table, all rows and columns in order.

    Episodes and files are covered through the digests of their jobs.
    """
    shape = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()
    numbers = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")]
    digests = {
        PLAN: digest_of([(run / PLAN).read_bytes()]),
        "schema": digest_of([canonical([shape, numbers]).encode()]),
    }
    for table in SEALED:
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")
        digests[table] = digest_of(canonical(row).encode() + b"\n" for row in rows)
    return digests


def fingerprint_of(digests: Mapping[str, str]) -> str:
    """One digest for the folder, from those of its pieces."""
    return digest_of([canonical(dict(digests)).encode()])


def read(run: Path) -> Seal | None:
    """The content of `seal.json`; None if the run is not sealed."""
    try:
        data = (run / FILE).read_bytes()
    except FileNotFoundError:
        return None
    if not is_as_signed(data) or not _is_whole(json.loads(data)):
        raise AssayError(
            f"the {FILE} of {run} is not the one that was written; restore it from a copy, or remove it and "
            "resume the run."
        )
    document = json.loads(data)
    reports = {
        name: SealedReport(**{each: report[each] for each in SealedReport._fields if each in report})
        for name, report in document["reports"].items()
    }
    return Seal(document["digests"], reports)


def _is_whole(document: Mapping[str, Any]) -> bool:
    """Whether a seal has all its entries, so that a forged one is refused with a sentence."""
    reports = document.get("reports")
    listed = reports.values() if isinstance(reports, dict) else [None]
    left_out = SealedReport._field_defaults  # older seals have no such entries
    return isinstance(document.get("digests"), dict) and all(
        isinstance(each, dict)
        and all(isinstance(each.get(name, left_out.get(name)), str) for name in SealedReport._fields)
        for each in listed
    )


def write(run: Path, worker: str, digests: Mapping[str, str], reports: Mapping[str, SealedReport]) -> None:
    """Seals the run as it is now; call it inside a transaction, so that the run cannot change meanwhile."""
    document = {
        "schema": SCHEMA,
        "fingerprint": fingerprint_of(digests),
        "digests": dict(digests),
        "reports": {name: report._asdict() for name, report in reports.items()},
    }
    data = render(sign(document))
    parts.put_in_place(parts.write_aside(run / FILE, worker, data), run / FILE)


def remove(run: Path) -> None:
    """Removes the seal durably, before the change that makes it wrong is committed."""
    try:
        os.unlink(run / FILE)
    except FileNotFoundError:
        return
    parts.sync_folder(run)
