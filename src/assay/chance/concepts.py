"""The concepts of a task whose variations have schedules: which of them are on together, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import lcm
from typing import NamedTuple

from assay.core import scalars
from assay.task_text import TIMED, Schedule, TaskText
from assay.tasks import Resolved, clock_of, resolve

MOST_TICKS = 200_000  # that are looked at for concepts


class Stretch(NamedTuple):
    """A concept where it first comes: what is on, and what was on before it."""

    begins: int  # the step, or the episode
    on: frozenset[str]  # the names of its variations
    before: frozenset[str]


def stretches_of(text: TaskText) -> tuple[Stretch, ...]:
    """The concepts of a task beside the plain one, in the order in which they first come.

    Schedules that draw are on throughout. None are told where schedules count different things.
    """
    timed = timed_of(text)
    if not timed or len({schedule.unit for schedule in timed.values()}) > 1:
        return ()
    clocks = {name: clock_of(schedule) for name, schedule in timed.items()}
    found: dict[frozenset[str], Stretch] = {}
    before: frozenset[str] = frozenset()
    for tick in range(min(MOST_TICKS, ticks_of(timed.values()))):
        on = frozenset(name for name, clock in clocks.items() if clock.share(scalars, (), tick) > 0)
        if on and on not in found:
            found[on] = Stretch(tick, on, before)
        before = on
    return tuple(found.values())


def is_timed(schedule: Schedule) -> bool:
    return schedule.kind in TIMED


def timed_of(text: TaskText) -> dict[str, Schedule]:
    return {each.name: each.schedule for each in text.settings if each.schedule and is_timed(each.schedule)}


def ticks_of(schedules: Iterable[Schedule]) -> int:
    """Ticks after which nothing new comes: what comes once has come, and all cycles have ended together."""
    once, period = 0, 1
    for each in schedules:
        if each.kind == "cyclic":
            period = lcm(period, int(sum(each.numbers)))
        elif each.kind == "turn":
            period = lcm(period, int(each.numbers[0] * each.numbers[2]))
        else:
            once = max(once, int(sum(each.numbers)))
    return once + period + 1


def overlooked(text: TaskText) -> str:
    """What to say of concepts that may come later than is looked; empty where none can."""
    ticks = ticks_of(timed_of(text).values())
    if ticks <= MOST_TICKS:
        return ""
    return (
        f"concepts are those of the first {MOST_TICKS} ticks of the schedules, which repeat after {ticks}: "
        "others may come later."
    )


def steady_in(resolved: Resolved, on: frozenset[str]) -> Resolved:
    """The task without its schedules: of those known from the time, what is in `on` is on, the rest off."""
    settings = []
    for axis, setting in zip(resolved.axes, resolved.text.settings):
        if setting.schedule:
            stays = setting.name in on or not is_timed(setting.schedule)
            setting = replace(setting, schedule=None, value=setting.value if stays else axis.neutral)
        settings.append(setting)
    return resolve(TaskText(resolved.text.env, tuple(settings)))
