"""Schedules: a clock says what a variation's level is now. The same code serves jax and hosts (`xp`).

The first four kinds are STORI's: sudden, cyclic, gradual (a ramp) and random drift. The `unit` of a clock
says what it counts: the steps of the episode, the steps since the first reset (`life`), or the episodes since
then, the first of which is number 0. A clock that counts episodes remembers how many have begun, for nothing
else knows. `Random` remembers whether it is on. The last three make the level a distribution: they draw it
anew at each reset and remember it until the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from assay.core.variation import static

STEPS, LIFE, EPISODES = "steps", "life", "episodes"  # the units


class Episodes(NamedTuple):
    """What a clock that counts episodes remembers."""

    begun: Any = 0  # since the life's first step, and the one of that step: 1 in the first
    on: Any = False  # of `Random`


@dataclass(frozen=True)
class Sudden:
    """Neutral until step (or episode) `at`, then on."""

    at: Any
    unit: str = static(STEPS)

    def share(self, xp: Any, memory: Any, time: Any) -> Any:
        return xp.where(time >= self.at, 1.0, 0.0)


@dataclass(frozen=True)
class Cyclic:
    """On for `on` steps, neutral for `off`, over and over, beginning on."""

    on: Any
    off: Any
    unit: str = static(STEPS)

    def share(self, xp: Any, memory: Any, time: Any) -> Any:
        return xp.where(time % (self.on + self.off) < self.on, 1.0, 0.0)


@dataclass(frozen=True)
class Ramp:
    """From neutral at step `begin` in a straight line to the level at step `end`, and on from there."""

    begin: Any
    end: Any
    unit: str = static(STEPS)

    def share(self, xp: Any, memory: Any, time: Any) -> Any:
        return xp.clip((time - self.begin) / (self.end - self.begin), 0.0, 1.0)


@dataclass(frozen=True)
class Random:
    """Begins neutral; after each step (or episode) it changes over with chance `chance`."""

    chance: Any
    unit: str = static(STEPS)

    def share(self, xp: Any, memory: Any, time: Any) -> Any:
        return xp.where(memory, 1.0, 0.0)


@dataclass(frozen=True)
class Counting:
    """The level is the number of the episode, 1 in the first of a life; at its neutral level it stays there.

    No schedule of a text makes this clock: a record brings it that takes one thing of a list after another.
    """

    unit: ClassVar[str] = EPISODES


@dataclass(frozen=True)
class Uniform:
    """Each episode at a level of its own between `low` and the level, each equally likely."""

    low: Any
    unit: ClassVar[str] = STEPS
    drawn: ClassVar[bool] = True

    def level(self, xp: Any, far: Any, share: Any) -> Any:
        if is_whole(far):
            least = xp.minimum(self.low, far)
            return least + xp.floor(share * (xp.abs(far - self.low) + 1))
        return self.low + (far - self.low) * share


@dataclass(frozen=True)
class LogUniform:
    """The same on a logarithmic scale."""

    low: Any
    unit: ClassVar[str] = STEPS
    drawn: ClassVar[bool] = True

    def level(self, xp: Any, far: Any, share: Any) -> Any:
        # Whole levels: each number has the length of its own piece of the scale, the last one's included.
        end = far + 1 if is_whole(far) else far
        level = xp.exp(xp.log(xp.float32(self.low)) + share * xp.log(xp.float32(end / self.low)))
        return xp.clip(xp.floor(level), self.low, far) if is_whole(far) else level


@dataclass(frozen=True)
class Choice:
    """Each episode at one of the levels in `others` or at the level itself, each equally likely."""

    others: tuple[Any, ...]
    unit: ClassVar[str] = STEPS
    drawn: ClassVar[bool] = True

    def level(self, xp: Any, far: Any, share: Any) -> Any:
        every = xp.stack([xp.asarray(each) for each in (*self.others, far)])
        return every[xp.asarray(xp.floor(share * len(every)), "int32")]


def is_drawn(variation: Any) -> bool:
    """Whether the level is a distribution, drawn anew for each episode."""
    return getattr(variation.clock, "drawn", False)


def draw_level(xp: Any, variation: Any, share: Any) -> Any:
    """An episode's level, in the type of the variation's own; `share` is uniform, from `<name>@clock`."""
    return xp.asarray(variation.clock.level(xp, variation.level, share), dtype_of(variation.level))


def dtype_of(level: Any) -> Any:
    return getattr(level, "dtype", None) or {bool: "bool", int: "int32"}.get(type(level), "float32")


def clock_memory(variation: Any) -> Any:
    """What this variation's clock remembers at the start."""
    if is_drawn(variation):
        return variation.level  # until it is drawn
    if counts_episodes(variation):
        return Episodes()
    return False if isinstance(variation.clock, Random) else ()


def counts_episodes(variation: Any) -> bool:
    return variation.clock is not None and variation.clock.unit == EPISODES


def outlasts_episodes(variation: Any) -> bool:
    """Whether what its clock remembers goes on into the next episode of the life."""
    return variation.clock is not None and variation.clock.unit != STEPS


def ticks(variation: Any) -> bool:
    """Whether its clock draws at every step."""
    return isinstance(variation.clock, Random) and not counts_episodes(variation)


def draws_at_reset(variation: Any) -> bool:
    """Whether its clock draws at the beginning of an episode."""
    return is_drawn(variation) or (isinstance(variation.clock, Random) and counts_episodes(variation))


def begin_episode(variation: Any, memory: Episodes, draw: Any) -> Episodes:
    """The memory of a clock that counts episodes in the next one; `draw` is of `Random` alone."""
    on = memory.on
    if isinstance(variation.clock, Random):
        on = on ^ ((draw < variation.clock.chance) & (memory.begun > 0))
    return Episodes(memory.begun + 1, on)


def tick(variation: Any, memory: Any, draw: Any) -> Any:
    """The clock's memory one step later; `draw` is uniform, from the stream `<name>@clock`."""
    return memory ^ (draw < variation.clock.chance)


def now(xp: Any, variation: Any, memory: Any, time: Any, life: Any) -> Any:
    """The variation's level at this moment: between neutral and its level, as its clock says."""
    if variation.clock is None:
        return variation.level
    if is_drawn(variation):
        return memory
    count = life if variation.clock.unit == LIFE else time
    if counts_episodes(variation):
        memory, count = memory.on, memory.begun - 1
    if isinstance(variation.clock, Counting):
        return xp.where(variation.level > 0, count + 1, variation.neutral)
    share = variation.clock.share(xp, memory, count)
    level, neutral = variation.level, variation.neutral
    if isinstance(variation.clock, Ramp):
        # Share 0 and 1 must give neutral and level bit for bit. Whole levels (a delay) move in whole steps.
        between = neutral + (level - neutral) * share
        if is_whole(level):
            between = xp.asarray(xp.floor(between + 0.5), "int32")
        return xp.where(share <= 0.0, neutral, xp.where(share >= 1.0, level, between))
    return xp.where(share > 0.5, level, neutral)


def is_whole(level: Any) -> bool:
    kind = getattr(getattr(level, "dtype", None), "kind", None)
    return kind in ("i", "u") if kind else isinstance(level, int)
