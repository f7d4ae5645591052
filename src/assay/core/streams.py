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
    return np.random.Generator(np.random.Philox(key=digest_number(*name)))


def digest_number(*name: int | str) -> int:
    """128 bits that stand for a name; numpy's 3 is the same part of it as Python's."""
    plain = tuple(part if isinstance(part, str) else int(part) for part in name)
    return int.from_bytes(hashlib.blake2b(repr(plain).encode(), digest_size=16).digest(), "little")
