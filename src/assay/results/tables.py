"""Reading a run: its records as Arrow tables, through SQL, or as files for other tools."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import uuid
from collections.abc import Callable, Collection, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from assay.errors import AssayError
from assay.results import parts
from assay.results.journal import LEDGER
from assay.results.ledger import STORED, added_columns_missing, reading, select_columns
from assay.results.record import NONE, TABLES, Curve, Job, Record, arrow_schema, columns, from_row
from assay.results.remote_parts import file_of

Filters = Mapping[str, object]  # by column: the value that it has, or a list of those that it may have


def rows(connection: sqlite3.Connection, name: str, filters: Filters) -> list[tuple[Any, ...]]:
    """The rows of a stored table that pass the filters, in the order written."""
    lacks = added_columns_missing(connection, name)
    clauses: list[str] = ["TRUE"]
    values: list[Any] = []
    for column, wanted in filters.items():
        among = _as_list(wanted)
        expression = "NULL" if column in lacks else f'"{_require_column(name, column)}"'
        clauses.append(f"{expression} IN ({', '.join('?' * len(among))})")
        values += among
    sql = (
        f"SELECT {select_columns(connection, name)} FROM {name} WHERE {' AND '.join(clauses)} ORDER BY rowid"
    )
    return connection.execute(sql, values).fetchall()


def to_table(connection: sqlite3.Connection, name: str, filters: Filters) -> pa.Table:
    """The same rows as an Arrow table."""
    record = TABLES[name]
    records = rows(connection, name, filters)
    across = zip(*records) if records else ([] for _ in columns(record))
    arrays = [
        pa.array(map(bool, values) if column.type is bool else values, column.arrow)
        for column, values in zip(columns(record), across)
    ]
    return pa.table(arrays, schema=arrow_schema(record))


def curves(run: Path, connection: sqlite3.Connection, filters: Filters) -> pa.Table:
    """The curves of the done jobs; a part that is missing or torn is an error, never a shorter table."""
    for column in filters:
        _require_column("curve", column)
    wanted = filters.get("job")
    tables = [arrow_schema(Curve).empty_table()]
    asked = {} if wanted is None else {"id": wanted}
    for job in (from_row(Job, row) for row in rows(connection, "job", {"status": "done", **asked})):
        if (job.digest or "").split("-")[1] != NONE:
            tables.append(parts.read_curves(file_of(run, parts.CURVES, job)))
    table = pa.concat_tables(tables)
    for column, wanted in filters.items():
        among = _as_list(wanted)
        table = table.filter(pc.is_in(table[column], pa.array(among, table[column].type)))
    return table


def every(
    run: Path, connection: sqlite3.Connection, names: Collection[str] = tuple(TABLES)
) -> dict[str, pa.Table]:
    """Whole tables by name, all read in one transaction."""
    with reading(connection):
        return {
            name: to_table(connection, name, {}) if name in STORED else curves(run, connection, {})
            for name in names
        }


def query(run: Path, connection: sqlite3.Connection, sql: str) -> pa.Table:
    """The answer of DuckDB to a query on the tables job, episode, reference and curve."""
    mentioned = [name for name in TABLES if re.search(rf"\b{name}\b", sql, re.IGNORECASE)]
    import duckdb  # only queries in SQL need it

    # Without replacements: else a name that is no table could mean a variable of this function.
    with duckdb.connect(config={"python_enable_replacements": False}) as database:
        for name, table in every(run, connection, mentioned).items():
            database.register(name, table)
        try:
            answer = database.sql(sql)
            return pa.table({}) if answer is None else answer.to_arrow_table()
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise AssayError(f"DuckDB cannot answer {sql!r}: {reason}") from None


def export(run: Path, connection: sqlite3.Connection, folder: Path, form: str) -> list[Path]:
    """Writes every table as one file into the folder; an old file of that name is replaced."""
    if form not in _WRITERS:
        raise AssayError(f"a run is exported as {', '.join(_WRITERS)}, not as {form!r}.")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in every(run, connection).items():
        path = folder / f"{name}.{form}"
        parts.put_in_place(parts.write_aside(path, uuid.uuid4().hex, _WRITERS[form](name, table)), path)
        written.append(path)
    return written


def _as_csv(name: str, table: pa.Table) -> bytes:
    sink = BytesIO()
    pyarrow.csv.write_csv(table, sink)
    return sink.getvalue()


def _as_parquet(name: str, table: pa.Table) -> bytes:
    sink = BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _as_json(name: str, table: pa.Table) -> bytes:
    nested = {column.name for column in columns(TABLES[name]) if column.type is dict}

    def value(column: str, stored: Any) -> Any:
        if column in nested and stored is not None:
            return json.loads(stored)
        return None if isinstance(stored, float) and math.isnan(stored) else stored  # JSON knows no NaN

    lines = [json.dumps({c: value(c, v) for c, v in row.items()}) for row in table.to_pylist()]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


_WRITERS: dict[str, Callable[[str, pa.Table], bytes]] = {
    "csv": _as_csv,
    "json": _as_json,
    "parquet": _as_parquet,
}


def _as_list(wanted: object) -> list[Any]:
    return list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]


def _require_column(table: str, column: str) -> str:
    record: type[Record] = {**TABLES, **LEDGER}[table]
    names = [each.name for each in columns(record)]
    if column not in names:
        raise AssayError(f"the table {table} has no column {column!r}; it has {', '.join(names)}.")
    return column
