"""Spaces: what an action, reward or observation may be. Ours, so that the native path needs no gymnasium."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

UNBOUNDED = 1e6  # a bound beyond this is a way to write "none"; nothing is measured in units of it


@dataclass(frozen=True)
class Discrete:
    """Whole numbers from `start` to `start + n - 1`; with a tuple for n, one such number per entry."""

    n: int | tuple[int, ...]
    start: int = 0
    dtype: str = "int32"

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.n),) if isinstance(self.n, tuple) else ()

    @property
    def zero(self) -> int:
        """What stands for "nothing yet"."""
        return self.start


@dataclass(frozen=True, eq=False)
class Box:
    """Arrays of one shape between two bounds (numbers or arrays; infinite where there is none)."""

    low: Any
    high: Any
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    frames: int = 1  # observations that lie side by side along the last axis

    @cached_property
    def zero(self) -> Any:
        """What stands for "nothing yet": 0, or the bound next to it."""
        return np.clip(np.asarray(0, self.dtype), self.low, self.high).astype(self.dtype)

    @property
    def bounded(self) -> bool:
        return bool(np.all(np.abs(self.low) < UNBOUNDED) and np.all(np.abs(self.high) < UNBOUNDED))

    @property
    def unit(self) -> Any:
        """What level 1 of a noise or rounding is measured in: half the range where it is bounded, else 1."""
        low, high = np.asarray(self.low, "float64"), np.asarray(self.high, "float64")
        known = (np.abs(low) < UNBOUNDED) & (np.abs(high) < UNBOUNDED)
        width = np.where(known, np.where(known, high, 0) - np.where(known, low, 0), 2.0) / 2
        return width.astype("float32") if width.ndim else np.float32(width)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Box)
            and (self.shape, self.dtype) == (other.shape, other.dtype)
            and np.array_equal(self.low, other.low)
            and np.array_equal(self.high, other.high)
        )


@dataclass(frozen=True)
class Opaque:
    """A host's space that no channel can act on (a Dict, a Tuple, a text); `what` says which."""

    what: str
    shape: tuple[int, ...] = ()
    dtype: str = "object"


Numbers = Discrete | Box  # what a channel can act on
Space = Numbers | Opaque


def require_numbers(space: Space) -> Numbers:
    """The space of a native task, or of a host's that channels can act on, which is never Opaque."""
    assert not isinstance(space, Opaque), f"{space} has values that are no numbers"
    return space


def count_of(space: Space) -> int:
    """How many values there are where each is one whole number."""
    assert isinstance(space, Discrete) and isinstance(space.n, int), f"{space} has values of another kind"
    return space.n
