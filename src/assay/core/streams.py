"""Named random streams for numpy: hosts and generated tables. The jax side of the same idea is `keys.py`."""

from __future__ import annotations

import hashlib
import zlib

import numpy as np


def number_of(name: str) -> int:
    """The number a stream's name stands for. Never hash(): it differs between processes."""
    return zlib.crc32(name.encode())


def generator(*name: int | str) -> np.random.Generator:
    """The generator called by (seed, episode, stream name) or any other tuple of numbers and words.

    Philox keyed by a digest of the name: another name is an independent stream, and none can shift another.
    """
    name = tuple(part if isinstance(part, str) else int(part) for part in name)  # numpy's 3 is the same seed as 3
    digest = hashlib.blake2b(repr(name).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))
