"""The content of `run.json`: the plan, and where and by what the run was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.results.record import digest_of


@dataclass(frozen=True)
class Pieces:
    """The parts of which the digest of a run's source is made, kept to be compared later."""

    assay: Mapping[str, str]  # of assay's own modules, and of axes that count apart from their files
    files: Mapping[str, str]  # of the user's own: a digest by name
    versions: Mapping[str, str]  # of libraries

    @property
    def digest(self) -> str:
        parts = (self.assay, self.files, self.versions)
        return digest_of(f"{name}\0{value}\n".encode() for part in parts for name, value in part.items())


@dataclass(frozen=True, kw_only=True)
class Document:
    schema: int
    plan: Mapping[str, Any]  # JSON, of assay's commands (`plans.plan`) or of another program
    command: tuple[str, ...]
    created: float  # seconds since 1970 UTC
    host: str
    versions: Mapping[str, str]
    source_digest: str
    seal: str = ""  # a digest of all other fields
    sources: Pieces | None = None
