"""Where a record comes from: the versions, the source and the machine that made it."""

from __future__ import annotations

import platform
import socket
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from assay.results.record import digest_of

PACKAGE = Path(__file__).parent.parent
DISTRIBUTIONS = {  # under the names by which they are imported
    "assay": "rl-assay",
    "jax": "jax",
    "jaxlib": "jaxlib",
    "numpy": "numpy",
    "gymnasium": "gymnasium",
}
FINDINGS = "certificates.json"  # describes the source, and changes no result


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    versions = {"python": platform.python_version(), "platform": platform.platform()}
    for name, distribution in DISTRIBUTIONS.items():
        # From the metadata: importing jax would take a second and perhaps a device.
        try:
            versions[name] = version(distribution)
        except PackageNotFoundError:
            versions[name] = "none"
    return tuple(versions.items())


def versions() -> dict[str, str]:
    """Versions of Python, the platform, assay and its libraries; "none" for what is not installed."""
    return dict(_versions())


@cache
def source_digest(*others: Path) -> str:
    """A digest of every file of the package, and of `others`: the file of a user's own agent or variation.

    Data files count, since rules and levels are data. It is read once per process.
    """
    ours = [path for path in PACKAGE.rglob("*") if _is_source(path)]
    pieces = [(path.relative_to(PACKAGE).as_posix(), path) for path in sorted(ours)]
    pieces += [(path.name, path) for path in map(Path, others)]
    return digest_of(name.encode() + b"\0" + path.read_bytes() + b"\0" for name, path in pieces)


def host() -> str:
    """The machine's name."""
    return socket.gethostname()


def _is_source(path: Path) -> bool:
    bytecode = "__pycache__" in path.parts
    return path.is_file() and not bytecode and path.name != FINDINGS and not path.name.startswith(".")
