"""The result of a job as it is stored, and its digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from assay.errors import AssayError
from assay.results import parts
from assay.results.record import Curve, Episode, Job, curves_digest, episodes_digest, file_digest, to_row
from assay.results.transcripts import transcript_bytes, transcript_digest


class MadeWith(NamedTuple):
    """What a result was made with beside assay, and where; see the columns of a job with these names."""

    versions: Mapping[str, str] = {}  # of the distributions that an outside agent and env use
    uncovered: Mapping[str, Any] | None = None
    lanes: int = 1
    device: str | None = None
    host: str = ""  # "": this machine


class Packed(NamedTuple):
    """A result as it is stored."""

    rows: list[tuple[Any, ...]]  # of the table `episode`
    part: bytes | None
    weights: bytes | None
    digest: str  # of the episodes, of the curves, of the weights and of a transcript if there is one, joined
    part_digest: str
    elsewhere: str = ""  # the URL of the folder that already holds the files
    transcript: bytes | None = None
    transcript_digest: str | None = None  # of its bytes

    @property
    def files(self) -> dict[str, bytes | None]:
        return {parts.CURVES: self.part, parts.WEIGHTS: self.weights, parts.TRANSCRIPTS: self.transcript}


def pack(job: Job, episodes: Any, curves: Any, weights: Any, transcript: pa.Table | None = None) -> Packed:
    rows = _episode_rows(job.id, episodes)
    table = parts.curve_table(job.id, curves)
    part = None if table is None else parts.curve_bytes(table)
    data = None if weights is None else parts.weight_bytes(job, weights)
    pieces = [episodes_digest(job.id, rows), curves_digest(job.id, table), file_digest(job.id, data)]
    packed = Packed(rows, part, data, "-".join(pieces), file_digest(job.id, part))
    if transcript is None:
        return packed
    data = transcript_bytes(transcript)
    return packed._replace(
        digest="-".join([*pieces, transcript_digest(job.id, transcript)]),
        transcript=data,
        transcript_digest=file_digest(job.id, data),
    )


def digest_of_result(
    job: Job,
    episodes: Iterable[Episode],
    curves: pa.Table | Iterable[Curve] = (),
    weights: Mapping[str, np.ndarray] | None = None,
    transcript: pa.Table | None = None,
) -> str:
    """The digest of a job with this result."""
    return pack(job, episodes, curves, weights, transcript).digest


def _episode_rows(job: str, episodes: Iterable[Episode]) -> list[tuple[Any, ...]]:
    keys = set()
    rows = []
    for each in episodes:
        if each.job != job:
            raise AssayError(f"an episode of job {each.job!r} was given to job {job!r}; give each its own.")
        if each.key in keys:
            raise AssayError(
                f"job {job!r} was given episode {each.episode} of {each.task} twice; give it once."
            )
        keys.add(each.key)
        rows.append(to_row(each))
    return rows
