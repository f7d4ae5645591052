"""The kinds of variation: Field (a number of params), Inner (a component), Channel (what passes by).

HostRule is the fourth, for hosts that vary their own inside. Plain frozen dataclasses without jax, for hosts
use them too; `env.py` registers them as pytrees. A field marked static is structure: changing it compiles
anew. All else is a leaf: it may be traced and vmapped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from assay.core.space import Space

RUNNING = (False, False)  # the ends of a step that is known to end nothing; in a compiled program none is


def static(default: Any = None) -> Any:
    """A field that is structure, not a leaf."""
    return field(default=default, metadata={"static": True})


def no_memory(xp: Any, space: Space, bound: int) -> tuple[()]:
    return ()


def no_draw(space: Space, bound: int) -> tuple[()]:
    return ()


def same_space(space: Space, bound: int) -> Space:
    return space


def any_space(space: Space) -> str:
    return ""


@dataclass(frozen=True)
class Field:
    """Sets one field of the params, by its path: `filters.hue_shift`.

    level: the value it sets. name: the path of the field. components: those it touches, as ("terminal",).
    clock: a schedule, set by a task's text. neutral: the plain task's value. asks: it changes what is asked.
    """

    level: Any
    name: str = static()
    components: tuple[str, ...] = static()
    clock: Any = None
    neutral: Any = None  # the plain task's value
    asks: bool = static(False)


@dataclass(frozen=True)
class Inner:
    """Stands in for a component: `apply(component function, level, *the component's arguments)`.

    Its random draws come from `stream(key, name)`, never from the component's key itself. It may report what
    it did in a step: `report(level, *the component's arguments, result) -> opportunity, event, detail`, of
    the first of its components.

    level: its strongest, for checks. name: of its random stream. components: those it stands in for. clock: a
    schedule, set by a task's text. neutral: the level that changes nothing. asks: it changes what is asked.
    """

    level: Any
    name: str = static()
    components: tuple[str, ...] = static()
    apply: Callable[..., Any] = static()
    clock: Any = None
    neutral: Any = 0.0
    asks: bool = static(False)
    report: Callable[..., tuple[Any, Any, Any]] | None = static()


@dataclass(frozen=True)
class Channel:
    """Acts on the action, reward or observation that passes by, knowing nothing of the env.

    `apply(xp, level, memory, draw, value, (terminated, truncated), space) -> memory, value`, with `xp`
    jax.numpy, numpy or our `scalars`. It may report what it did in a step:
    `report(xp, level, memory before, draw, value before, value after, (terminated, truncated), space)
    -> opportunity, event, detail`. A report is computed only on request (`events.py`).

    level: its strongest, for checks. name: of its random stream. components: the one it acts on. clock: a
    schedule, set by a task's text. neutral: the level that changes nothing. memory: what it remembers, and
    forgets at every reset unless it `lasts`. draw: what every step draws. space: the space after it. fits: ""
    or why it cannot act on a space. sized: its memory or space grows with its level, up to `bound`. asks: it
    changes what is asked. per_frame: it may act on every frame of a step.
    """

    level: Any
    name: str = static()
    components: tuple[str, ...] = static()
    apply: Callable[..., Any] = static()
    clock: Any = None
    neutral: Any = 0.0
    # xp, space, bound -> pytree, renewed at reset unless it lasts
    memory: Callable[..., Any] = static(no_memory)
    lasts: bool = static(False)  # its memory outlasts episodes and ends with the life of the env
    # space, bound -> () or ("uniform" | "normal", shape): every step draws it
    draw: Callable[..., Any] = static(no_draw)
    # space, bound -> the space after; later channels and the agent see that one
    space: Callable[..., Any] = static(same_space)
    fits: Callable[..., Any] = static(any_space)  # space -> "" or why it cannot act on it
    sized: bool = static(False)  # its memory or space grows with its level
    bound: int = static(0)  # sets the memory's shape: the longest delay this program can hold
    asks: bool = static(False)
    report: Callable[..., tuple[Any, Any, Any]] | None = static()
    per_frame: bool = static(False)  # it may act on every frame of a step, where a host has frames


@dataclass(frozen=True)
class HostRule:
    """A variation that a host applies inside itself: assay sets its level and winds its clock, no more.

    The host knows it by name. It draws from streams of its own, of the episode's seed and its name. The host
    reports what it did in a step, if it can (`Powers.watch_events`).
    """

    level: Any
    name: str = static()
    components: tuple[str, ...] = static()
    clock: Any = None
    neutral: Any = False
    asks: bool = static(False)


Variation = Field | Inner | Channel | HostRule


def put(params: Any, path: str, value: Any) -> Any:
    """`params` with the field at `path` set; the record that comes in stays as it was."""
    head, _, rest = path.partition(".")
    return replace(params, **{head: put(getattr(params, head), rest, value) if rest else value})


def get(params: Any, path: str) -> Any:
    for name in path.split("."):
        params = getattr(params, name)
    return params


def write(ring: Any, i: Any, value: Any) -> Any:
    """`ring` with slot i set: a new array in jax, else the same one, for the host's loop owns it."""
    if hasattr(ring, "at"):
        return ring.at[i].set(value)
    ring[i] = value
    return ring


def read(ring: Any, i: Any) -> Any:
    """Slot i of a ring; of a numpy ring a copy, for the slot is written again while others hold the value."""
    value = ring[i]
    return value.copy() if hasattr(value, "flags") else value


def push(ring: Any, count: Any, value: Any, level: Any) -> tuple[Any, Any]:
    """The ring with `value` as its entry number `count`, and the entry `level` before that one."""
    size = len(ring)
    if type(ring) is list:  # a host's plain numbers, where two calls more would be felt
        ring[count % size] = value
        return ring, ring[(count - level) % size]
    ring = write(ring, count % size, value)
    return ring, read(ring, (count - level) % size)
