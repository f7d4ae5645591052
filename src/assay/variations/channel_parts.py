"""Parts that channels share: memories, draws, a delay, and the reasons why a space does not fit."""

from __future__ import annotations

import math
from typing import Any

from assay.core.space import Discrete, Numbers, Opaque, Space
from assay.core.variation import push


def last_value(xp: Any, space: Numbers, bound: int) -> tuple:
    """The previous value, and whether there is one."""
    return xp.full(space.shape, space.zero, space.dtype), xp.zeros((), "bool")


def value_and_count(xp: Any, space: Numbers, bound: int) -> tuple:
    """A value, and the number of steps."""
    return xp.full(space.shape, space.zero, space.dtype), xp.zeros((), "int32")


def ring(xp: Any, space: Numbers, bound: int) -> tuple:
    """The last `bound + 1` values, at first zeros, and the number of values so far."""
    return xp.full((bound + 1, *space.shape), space.zero, space.dtype), xp.zeros((), "int32")


def ring_and_sum(xp: Any, space: Numbers, bound: int) -> tuple:
    """A ring, its count, and the sum of the values that wait in it."""
    return (*ring(xp, space, bound), xp.full(space.shape, space.zero, space.dtype))


def one_uniform(space: Space, bound: int) -> tuple:
    return "uniform", ()


def one_normal(space: Space, bound: int) -> tuple:
    return "normal", ()


def whether_and_which(space: Space, bound: int) -> tuple:
    """The first draw decides whether to act; the others, one per entry of the value, decide the result."""
    return "uniform", (1 + math.prod(space.shape),)


def keep_last(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """With chance `level` passes on the last value again, where there is one.

    For an action: the one executed before is executed again. For an observation: the last one is seen again.
    """
    # The draw comes from the variation's own stream and is made at every step, used or not: the same seed
    # then gives the same world with and without the variation, so the two runs can be compared in pairs.
    last, any_yet = memory
    result = xp.where((draw < level) & any_yet, last, value)
    return (result, any_yet | True), result


def delay_value(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Passes on the value of `level` steps ago, or the space's zero before there is one.

    For an action: the choice of `level` steps ago is executed. For a reward: what was earned `level` steps
    ago is paid now, and what still waits at the end of the episode is lost.
    """
    past, count = memory
    past, due = push(past, count, value, level)
    return (past, count + 1), due


def another_value(xp: Any, draw: Any, value: Any, space: Discrete) -> Any:
    """A value of the space other than `value`, all equally likely."""
    others = xp.asarray(space.n, space.dtype) - 1
    shift = 1 + xp.asarray(xp.minimum(xp.floor(draw * others), others - 1), space.dtype)
    return space.start + (value - space.start + shift) % (others + 1)


def differs(one: Any, other: Any) -> Any:
    """Whether two values of a space differ anywhere: plain numbers, or arrays of any kind."""
    unequal = one != other
    return unequal.any() if hasattr(unequal, "any") else unequal


def describe(space: Space) -> str:
    """A space in a few words, for the reason why a channel cannot act on it."""
    if isinstance(space, Opaque):
        return f"a {space.what}"
    return "Discrete" if isinstance(space, Discrete) else f"a Box of {space.dtype}, shape {space.shape}"


def plain_space(space: Space) -> str:
    return f"it acts on Discrete and Box spaces, not on {space.what}" if isinstance(space, Opaque) else ""
