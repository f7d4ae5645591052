"""What `run.json` holds, whole: the plan, and where and by what the run was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.results.record import digest_of


@dataclass(frozen=True)
class Pieces:
    """What the digest of a run's source is made of, to be compared later."""

    assay: Mapping[str, str]  # of assay's own modules, and of axes that count apart from their files
    files: Mapping[str, str]  # of the user's own: a digest by name
    versions: Mapping[str, str]  # of libraries

    @property
    def digest(self) -> str:
        parts = (self.assay, self.files, self.versions)
        return digest_of(f"{name}\0{what}\n".encode() for part in parts for name, what in part.items())


@dataclass(frozen=True, kw_only=True)
class Document:
    schema: int
    plan: Mapping[str, Any]  # JSON: of assay's commands (`plans.plan`), or of whoever made the run
    command: tuple[str, ...]
    created: float  # seconds since 1970 UTC
    host: str
    versions: Mapping[str, str]
    source_digest: str
    seal: str = ""  # of all the others
    sources: Pieces | None = None
