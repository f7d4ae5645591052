"""Named random streams for numpy: hosts and generated tables. The jax side of the same idea is `keys.py`."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np


def number_of(name: str) -> int:
    """The number a stream's name stands for. Never hash(): it differs between processes."""
    return zlib.crc32(name.encode())


# The streams of a step that no variation may draw from; the first are the components' own.
RESERVED = (
    "initial",
    "action",
    "transition",
    "reward",
    "observation",
    "terminal",
    "scene",
    "agent",
    "script",
)


def streams_of(name: str) -> tuple[str, str]:
    """The names under which a variation draws."""
    return name, f"{name}@clock"


def shared_stream(name: str, others: Iterable[str]) -> tuple[str, str] | None:
    """A stream of the variation `name` and one of `others` that would draw the same numbers, or None."""
    numbers = {number_of(other): other for other in others}
    shared = [(own, numbers[number_of(own)]) for own in streams_of(name) if number_of(own) in numbers]
    return shared[0] if shared else None


def generator(*name: int | str) -> np.random.Generator:
    """The generator called by (seed, episode, stream name) or any other tuple of numbers and words.

    Philox keyed by a digest of the name: another name is an independent stream, and none can shift another.
    """
    return np.random.Generator(np.random.Philox(key=digest_number(*name)))


def digest_number(*name: int | str) -> int:
    """128 bits that stand for a name; numpy's 3 is the same part of it as Python's."""
    plain = tuple(part if isinstance(part, str) else int(part) for part in name)
    return digest_of(repr(plain))


def episode_number(seed: int, episode: int, name: str) -> int:
    """`digest_number(seed, episode, name)` in half the time: every episode asks for several."""
    return digest_of(f"({seed}, {episode}, {name!r})")


def digest_of(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "little")


class Renewable:
    """One generator set to the beginning of one stream after another, a tenth of the cost of making one."""

    def __init__(self) -> None:
        self._philox = np.random.Philox(key=0)
        self.rng = np.random.Generator(self._philox)
        self._fresh = self._philox.state  # counter 0, nothing in the buffer
        key = np.zeros(2, "<u8")
        self._fresh["state"]["key"], self._key = key, memoryview(key.data).cast("B")

    def renew(self, number: int) -> np.random.Generator:
        """The generator at its beginning: `generator(*name)` for `number = digest_number(*name)`."""
        self._key[:] = number.to_bytes(16, "little")
        self._philox.state = self._fresh
        return self.rng
