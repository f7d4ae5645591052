"""Weights that come with the package: one file per agent, with what they are and where they come from.

The digest of the file stands in the agent's code, so that a file that was changed or cut short is refused
before anything of it acts. Numbers are stored in float16 and used in float32.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from assay.errors import AssayError

FOLDER = Path(__file__).parent / "weights"
ABOUT = "about"


@dataclass(frozen=True)
class Provenance:
    """How weights came about."""

    agent: str  # the agent of the catalogue that was trained
    task: str  # that it was trained on
    steps: int
    seed: int
    config: Mapping[str, Any]  # of the training
    versions: Mapping[str, str]  # of the libraries that trained it
    device: str


@dataclass(frozen=True)
class Shipped:
    """A file of weights; its digest is the SHA-256 of its bytes."""

    path: Path
    digest: str

    def provenance(self) -> Provenance:
        """What the file says of its own making."""
        return read_provenance(self)

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights by name, in float32."""
        return {name: each.astype(np.float32) for name, each in read(self).items() if name != ABOUT}


def read(shipped: Shipped) -> dict[str, np.ndarray]:
    """All entries of the file, whose digest is checked first."""
    move = "install assay again"
    try:
        data = shipped.path.read_bytes()
    except OSError as error:
        raise AssayError(f"the weights {shipped.path} cannot be read ({error.strerror}); {move}.") from None
    digest = hashlib.sha256(data).hexdigest()
    if digest != shipped.digest:
        raise AssayError(
            f"the weights {shipped.path} are not those that assay ships: their SHA-256 begins with "
            f"{digest[:12]}, and {shipped.digest[:12]} is expected; {move}."
        )
    try:
        with np.load(io.BytesIO(data)) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, BadZipFile) as error:
        raise AssayError(f"the weights {shipped.path} are no such file ({error}); {move}.") from None


@cache
def read_provenance(shipped: Shipped) -> Provenance:
    return Provenance(**json.loads(str(read(shipped)[ABOUT])))


def write(path: Path, provenance: Provenance, arrays: Mapping[str, np.ndarray]) -> Shipped:
    """Writes a file to ship: the same weights give the same bytes."""
    about = np.array(json.dumps(asdict(provenance), sort_keys=True))
    halves = {name: each.astype(np.float16) for name, each in arrays.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **{ABOUT: about}, **halves)
    return Shipped(path, hashlib.sha256(path.read_bytes()).hexdigest())
