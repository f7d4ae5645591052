"""Files of jobs outside of the run's folder, on any path that fsspec knows: a shared disk, a bucket.

Their names contain a digest of their content, so they are written once and never renamed: a file that a
killed worker left is no part of a run until the ledger names its digest, which is compared on reading.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.results import parts
from assay.results.record import NONE, Job, file_digest
from assay.results.stored_result import Packed

INSTALL = "fsspec is not installed; install it with `pip install 'rl-assay[ray]'`."


def file_of(run: Path, kind: str, job: Job) -> parts.JobFile:
    """A file of a finished job, from the run's folder or from elsewhere."""
    if job.elsewhere is None:
        path = parts.part(run, kind, job.id)
        return parts.JobFile(job.id, str(path), path.read_bytes() if path.exists() else None)
    digest = {
        parts.CURVES: job.part_digest,
        parts.WEIGHTS: (job.digest or f"{NONE}-{NONE}-{NONE}").split("-")[2],
        parts.TRANSCRIPTS: job.transcript_digest,
    }[kind]
    if digest in (None, NONE):
        return parts.JobFile(job.id, job.elsewhere, None)
    file_url = f"{job.elsewhere.rstrip('/')}/{name_of(job.id, kind, digest)}"
    data = get(job.id, kind, digest, job.elsewhere)
    if data is not None and file_digest(job.id, data) != digest:
        raise AssayError(f"{file_url} is not the one that was written; restore it, or rerun job {job.id}.")
    return parts.JobFile(job.id, file_url, data)


def put(job: str, packed: Packed, url: str) -> Packed:
    """Writes the files of a result to a URL, and returns the rest of it, for the ledger."""
    files, folder = open_folder(url)
    try:
        files.makedirs(folder, exist_ok=True)
        for kind, data in packed.files.items():
            if data is not None:
                with files.open(f"{folder}/{name_of(job, kind, file_digest(job, data))}", "wb") as file:
                    file.write(data)
    except OSError as error:
        raise AssayError(f"the files of job {job} cannot be written to {url}: {error}.") from None
    return packed._replace(part=None, weights=None, transcript=None, elsewhere=url)


def get(job: str, kind: str, digest: str, url: str) -> bytes | None:
    """The bytes of a file at a URL; None if it is missing."""
    files, folder = open_folder(url)
    try:
        data: bytes = files.cat_file(f"{folder}/{name_of(job, kind, digest)}")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AssayError(f"the files of job {job} cannot be read from {url}: {error}.") from None
    return data


def name_of(job: str, kind: str, digest: str) -> str:
    return f"{job}-{digest}{parts.SUFFIX[kind]}"


def open_folder(url: str) -> tuple[Any, str]:
    """The file system of a URL, by fsspec, and the folder in it."""
    try:
        import fsspec
    except ImportError:
        raise AssayError(INSTALL) from None
    try:
        files, folder = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise AssayError(f"fsspec cannot open {url!r}: {error}.") from None
    return files, str(folder).rstrip("/")
