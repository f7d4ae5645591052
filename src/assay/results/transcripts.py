"""Transcripts: every step of a job's evaluation as one Parquet file, where a plan asks for them."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from assay.errors import AssayError
from assay.results.parts import JobFile
from assay.results.record import NONE, canonical, digest_of

# Actions differ from env to env: a number, a row of them, or parts by name. So they are JSON texts.
SCHEMA = pa.schema([
    pa.field("task", pa.string(), nullable=False),
    pa.field("episode", pa.int64(), nullable=False),
    pa.field("step", pa.int64(), nullable=False),  # from 1 on
    pa.field("action", pa.string(), nullable=False),  # what the agent chose
    pa.field("executed", pa.string(), nullable=False),  # what reached the env
    pa.field("reward", pa.float64(), nullable=False),  # what the agent was paid
    pa.field("score", pa.float64(), nullable=False),  # what the unmodified reward pays
    pa.field("terminated", pa.bool_(), nullable=False),
    pa.field("truncated", pa.bool_(), nullable=False),
    pa.field("events", pa.string()),  # what variations reported, by axis; null where none does
])  # fmt: skip


def transcript_bytes(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def transcript_digest(job: str, table: pa.Table | None) -> str:
    """The digest of a transcript's rows, in order; "none" if there is none."""
    if table is None:
        return NONE
    texts = [field.name for field in SCHEMA if field.type == pa.string()]
    numbers = [field.name for field in SCHEMA if field.name not in texts]
    pieces = [canonical(table[name].to_pylist()).encode() for name in texts]
    wide = {pa.int64(): "<i8", pa.float64(): "<f8", pa.bool_(): "?"}
    pieces += [table[name].to_numpy().astype(wide[SCHEMA.field(name).type]).tobytes() for name in numbers]
    return digest_of([job.encode(), *(b"\n" + piece for piece in pieces)])


def read_transcript(file: JobFile) -> pa.Table:
    """The transcript of a job; an error names the file if it is missing or torn."""
    what, move = f"the transcript {file.path}", f"restore it, or rerun job {file.job}"
    if file.data is None:
        raise AssayError(f"{what} is missing; {move}, with --transcripts.")
    try:
        return pq.ParquetFile(pa.BufferReader(file.data)).read().cast(SCHEMA)
    except (OSError, ValueError, pa.ArrowException):
        raise AssayError(f"{what} is torn or no Parquet; {move}.") from None
