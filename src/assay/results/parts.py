"""The files of a run beside its ledger, each written aside and renamed: Parquet, and .npz for weights.

A file under its final name is whole and on the disk. A file that a killed process left ends in `.part`; its
name holds the worker's, which tells it from a file that a living worker is writing.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.errors import AssayError
from assay.results.record import Curve, Job, arrow_schema, canonical, columns

CURVES, WEIGHTS, TRANSCRIPTS = "parts", "weights", "transcripts"
NOTES = "llm"  # the answers of language models, a file per job that grows while the job is at work
SUFFIX = {CURVES: ".parquet", WEIGHTS: ".npz", TRANSCRIPTS: ".parquet"}
_JOB = "__job__"  # the entry of an .npz that holds the job as JSON
_STAMP = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip, so that equal weights are equal bytes


class Weights(NamedTuple):
    """A trained agent's arrays, and the identity of its job."""

    arrays: dict[str, np.ndarray]
    job: dict[str, Any]


class JobFile(NamedTuple):
    """The curves, the weights or the transcript of a finished job, in the run's folder or elsewhere."""

    job: str
    path: str  # or URL, for messages
    data: bytes | None  # None where the file is missing


def part(run: Path, kind: str, job: str) -> Path:
    """The final path of a file of a job."""
    return run / kind / f"{job}{SUFFIX[kind]}"


def notes_of(run: Path, job: str) -> Path:
    """The file of a job's notes. Unlike its other files they outlive a kill, and are not swept."""
    return run / NOTES / f"{job}.jsonl"


def read_notes(run: Path, job: str) -> bytes | None:
    """The bytes of a job's notes; None if it has none."""
    path = notes_of(run, job)
    return path.read_bytes() if path.exists() else None


def write_aside(path: Path, worker: str, data: bytes) -> Path:
    """Writes the data durably to a file beside the final path, and returns it; a failure leaves nothing."""
    aside = path.with_name(f"{path.name}.{worker}.part")
    try:
        with open(aside, "wb") as file:
            write_all(file, data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    return aside


def write_all(file: BinaryIO, data: bytes) -> None:
    file.write(data)


def put_in_place(aside: Path, path: Path) -> None:
    """Rename durably to the final name: a rename is on the disk once its folder is synced."""
    os.replace(aside, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def leftovers(run: Path) -> Iterator[tuple[Path, str]]:
    """Every file that has no final name yet, with the worker that wrote it."""
    for folder in (run, *(run / kind for kind in SUFFIX)):
        for path in folder.glob("*.part"):
            yield path, path.name.split(".")[-2]


def in_place(run: Path) -> Iterator[tuple[Path, str]]:
    """Every file of a job under its final name, with the job."""
    for kind, suffix in SUFFIX.items():
        for path in (run / kind).glob(f"*{suffix}"):
            yield path, path.name.removesuffix(suffix)


def curve_table(job: str, curves: pa.Table | Iterable[Curve]) -> pa.Table | None:
    """Curves as the table that is stored; None if there are none. A given table has step, name and value."""
    schema = arrow_schema(Curve)
    if not isinstance(curves, pa.Table):
        rows = list(curves)
        other_jobs = {row.job for row in rows} - {job}
        if other_jobs:
            raise AssayError(
                f"a curve of job {other_jobs.pop()!r} was given to job {job!r}; give each its own."
            )
        values_by_name = {c.name: [getattr(row, c.field) for row in rows] for c in columns(Curve)}
        curves = pa.table(values_by_name, schema=schema)
    if not curves.num_rows:
        return None
    missing = {"step", "name", "value"} - set(curves.column_names)
    if missing:
        raise AssayError(
            f"the curves of job {job!r} have no column {missing.pop()!r}; give step, name and value."
        )
    if any(curves[name].null_count for name in ("step", "name", "value")):
        raise AssayError(
            f"the curves of job {job!r} hold nulls; write NaN for a value that was not measured."
        )
    try:
        steps, names, values = (
            pa.array(curves[c.name].to_pylist() if c.type is str else curves[c.name].to_numpy(), c.arrow)
            for c in columns(Curve)[1:]
        )
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise AssayError(f"the curves of job {job!r} do not fit their columns: {error}.") from None
    # NaNs come in many bit patterns, and the digest is over bits.
    values = pc.if_else(pc.is_nan(values), math.nan, values)
    return pa.table([pa.repeat(job, len(steps)), steps, names, values], schema=schema)


def curve_bytes(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", use_dictionary=["job", "name"])
    return sink.getvalue()


def read_curves(file: JobFile) -> pa.Table:
    """The curves of a part; an error names the part if it is missing, torn or another job's."""
    what, move = f"the part {file.path}", f"restore it, or rerun job {file.job}"
    if file.data is None:
        raise AssayError(f"{what} is missing; {move}.")
    try:
        table = pq.ParquetFile(pa.BufferReader(file.data)).read().cast(arrow_schema(Curve))
    except (OSError, ValueError, pa.ArrowException):
        raise AssayError(f"{what} is torn or no Parquet; {move}.") from None
    if set(table["job"].to_pylist()) != {file.job}:
        raise AssayError(f"{what} holds rows of another job; {move}.")
    return table


def weight_bytes(job: Job, arrays: Mapping[str, np.ndarray]) -> bytes:
    """An .npz of the arrays and of the job's identity as JSON; nothing in it is pickled."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, array in {_JOB: np.array(canonical(job.identity)), **arrays}.items():
            array = np.asarray(array)
            if array.dtype.hasobject or array.dtype.kind == "V":
                raise AssayError(
                    f"the weights {name!r} of job {job.id!r} are of type {array.dtype}, which would be "
                    "pickled or could not be read back; give plain numbers, such as float32."
                )
            with archive.open(zipfile.ZipInfo(f"{name}.npy", _STAMP), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
    return sink.getvalue()


def read_weights(file: JobFile) -> Weights:
    """The arrays of a weights file; an error names the file if it is missing or torn."""
    what, move = f"the weights {file.path}", f"restore them, or rerun job {file.job}"
    if file.data is None:
        raise AssayError(f"{what} are missing; {move}.")
    try:
        with np.load(io.BytesIO(file.data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        identity = arrays.pop(_JOB)
        return Weights(arrays, json.loads(str(identity)))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise AssayError(f"{what} are torn or no .npz; {move}.") from None
