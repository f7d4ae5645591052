"""One variation on its way through the episodes of a hosted task: its clock, its memory and its draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import repeat
from typing import Any

import numpy as np

from assay.core import scalars
from assay.core.clock import (
    begin_episode,
    clock_memory,
    counts_episodes,
    draw_level,
    draws_at_reset,
    is_drawn,
    now,
    outlasts_episodes,
    tick,
    ticks,
)
from assay.core.events import EventReport, can_act
from assay.core.space import Space, require_numbers
from assay.core.streams import Renewable, episode_number
from assay.core.variation import RUNNING, Channel, HostRule

BLOCK = 64  # draws taken at a time: one call of numpy's generator costs as much as sixty of its numbers


class Timed:
    """One variation with its clock in the episode under way."""

    def __init__(self, varied: Channel | HostRule):
        self.varied, self.level = varied, varied.level
        self.clock: Any = clock_memory(varied)
        self.flips: Iterator[Any] = repeat(())
        self._clock_stream = Renewable()

    def wind(self, seed: int, episode: int, life: int) -> None:
        """Winds the clock for an episode, `life` steps into its life; one without a step counts nothing."""
        varied, draw = self.varied, np.float32(0)
        if ticks(varied) or draws_at_reset(varied):
            rng = self._clock_stream.renew(episode_number(seed, episode, f"{varied.name}@clock"))
            if ticks(varied):
                self.flips = draw_in_blocks(rng, "uniform", (), as_numbers=True)
            else:
                draw = np.float32(rng.random(dtype=np.float32))
        if not (outlasts_episodes(varied) and life):
            self.clock = clock_memory(varied)
        if is_drawn(varied):
            self.clock = draw_level(np, varied, draw).item()
        elif counts_episodes(varied):
            self.clock = begin_episode(varied, self.clock, draw.item())
        self._set_level(0, life)

    def tick(self, time: int, life: int) -> None:
        """Moves the clock on to the step that begins now."""
        if ticks(self.varied):
            self.clock = tick(self.varied, self.clock, next(self.flips))
        self._set_level(time, life)

    def _set_level(self, time: int, life: int) -> None:
        self.level = now(scalars, self.varied, self.clock, time, life)

    def save(self) -> tuple[Any, Any]:
        return self.clock, self.level

    def restore(self, saved: tuple[Any, Any], steps: int) -> None:
        """Once wound: puts the clock back to where it was `steps` steps into the episode."""
        self.clock, self.level = saved
        if ticks(self.varied):
            for _ in range(steps):
                next(self.flips)


class Inside(Timed):
    """A variation of the host's inside whose level changes: the host is told."""

    def __init__(self, varied: HostRule, set_level: Callable[[str, Any], None]):
        super().__init__(varied)
        self.tell = set_level

    def _set_level(self, time: int, life: int) -> None:
        super()._set_level(time, life)
        self.tell(self.varied.name, self.level)


class Passage(Timed):
    """One channel on one host: its memory, its clock and its draws in the episode under way."""

    def __init__(self, channel: Channel, space: Space, namespace: Any):
        super().__init__(channel)
        self.channel, self.space, self.xp = channel, space, namespace
        self.apply = channel.apply
        self.wanted = channel.draw(space, channel.bound)
        self.draws: Iterator[Any] = repeat(())
        self.memory: Any = ()
        self._stream = Renewable()

    def renew(self, seed: int, episode: int, life: int) -> None:
        channel = self.channel
        if not (channel.lasts and life):
            self.memory = channel.memory(self.xp, self.space, channel.bound)
        if self.wanted:
            rng = self._stream.renew(episode_number(seed, episode, channel.name))
            kind, shape = self.wanted
            self.draws = draw_in_blocks(rng, kind, shape, as_numbers=self.xp is scalars)
        if channel.clock is not None:
            self.wind(seed, episode, life)

    def pass_on(self, value: Any, ends: tuple[bool, bool]) -> Any:
        self.memory, value = self.apply(
            self.xp, self.level, self.memory, next(self.draws), value, ends, self.space
        )
        return value


class ReportingPassage(Passage):
    """A passage that keeps what its channel reports of the step before."""

    def __init__(self, channel: Channel, space: Space, namespace: Any):
        super().__init__(channel, space, namespace)
        self.apply = self._apply_and_report
        self.acted_on_step = False  # on an earlier frame of the step under way
        # What it will report has the types and shapes of what it reports of nothing.
        nothing = channel.memory(namespace, space, channel.bound), zero_draw(self.wanted, namespace)
        zero = namespace.full(space.shape, require_numbers(space).zero, space.dtype)
        self.report = self._reported(channel.level, *nothing, zero, zero, RUNNING)
        self.report = self.report._replace(opportunity=False, event=False)

    def _apply_and_report(
        self, xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Any
    ) -> tuple[Any, Any]:
        before = deepcopy(memory)  # channels may write into theirs
        after, passed = self.channel.apply(xp, level, memory, draw, value, ends, space)
        self._keep(self._reported(level, before, draw, value, passed, ends))
        return after, passed

    def _keep(self, report: EventReport) -> None:
        """Of several frames of one step: whether on any of them, and the detail of the last."""
        if self.acted_on_step:
            could, did = (a or b for a, b in zip(self.report[:2], report[:2]))
            report = EventReport(could, did, report.detail)
        self.report = report

    def _reported(self, *step: Any) -> EventReport:
        assert self.channel.report is not None, "such passages are made for channels that report"
        opportunity, event, detail = self.channel.report(self.xp, *step, self.space)
        could = bool(opportunity) and bool(can_act(step[0], self.channel.neutral))
        return EventReport(could, bool(event), detail)


def zero_draw(wanted: tuple[Any, ...], namespace: Any) -> Any:
    """A draw of zeros in the form in which a channel gets its draws."""
    if not wanted:
        return ()
    zeros = np.zeros(wanted[1], np.float32)
    return zeros.tolist() if namespace is scalars else zeros


def draw_in_blocks(
    rng: np.random.Generator, kind: str, shape: tuple[int, ...], as_numbers: bool
) -> Iterator[Any]:
    """An endless row of draws, taken in blocks."""
    draw = rng.random if kind == "uniform" else rng.standard_normal
    while True:
        block = draw((BLOCK, *shape), dtype=np.float32)
        yield from block.tolist() if as_numbers else block


def namespace_for(component: str, space: Space) -> Any:
    """Plain Python numbers where one number is passed on, numpy for arrays and for all observations."""
    return scalars if component != "observation" and not space.shape else np
