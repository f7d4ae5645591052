"""What channels remember and draw: what the files of this folder share."""

from __future__ import annotations

import math
from typing import Any

from assay.core.space import Discrete, Numbers, Opaque, Space


def last_value(xp: Any, space: Numbers, bound: int) -> tuple:
    """The value before, and whether there is one."""
    return xp.full(space.shape, space.zero, space.dtype), xp.zeros((), "bool")


def value_and_count(xp: Any, space: Numbers, bound: int) -> tuple:
    """A value, and how many steps were made."""
    return xp.full(space.shape, space.zero, space.dtype), xp.zeros((), "int32")


def ring(xp: Any, space: Numbers, bound: int) -> tuple:
    """The last `bound + 1` values, zero before there are any, and how many there were."""
    return xp.full((bound + 1, *space.shape), space.zero, space.dtype), xp.zeros((), "int32")


def ring_and_sum(xp: Any, space: Numbers, bound: int) -> tuple:
    """A ring, its count, and the sum of what waits in it."""
    return (*ring(xp, space, bound), xp.full(space.shape, space.zero, space.dtype))


def one_uniform(space: Space, bound: int) -> tuple:
    return "uniform", ()


def one_normal(space: Space, bound: int) -> tuple:
    return "normal", ()


def whether_and_which(space: Space, bound: int) -> tuple:
    """One draw decides whether to act, one per entry of the value decides on what."""
    return "uniform", (1 + math.prod(space.shape),)


def another_value(xp: Any, draw: Any, value: Any, space: Discrete) -> Any:
    """A value of the space other than the given one, each equally likely."""
    others = xp.asarray(space.n, space.dtype) - 1
    shift = 1 + xp.asarray(xp.minimum(xp.floor(draw * others), others - 1), space.dtype)
    return space.start + (value - space.start + shift) % (others + 1)


def differs(one: Any, other: Any) -> Any:
    """Whether two values of a space differ anywhere: plain numbers, or arrays of any kind."""
    apart = one != other
    return apart.any() if hasattr(apart, "any") else apart


def describe(space: Space) -> str:
    """A space in a few words, for the reason why a channel cannot act on it."""
    if isinstance(space, Opaque):
        return f"a {space.what}"
    return "Discrete" if isinstance(space, Discrete) else f"a Box of {space.dtype}, shape {space.shape}"


def plain_space(space: Space) -> str:
    return f"it acts on Discrete and Box spaces, not on {space.what}" if isinstance(space, Opaque) else ""
