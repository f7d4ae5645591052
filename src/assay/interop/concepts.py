"""Which concept of a drifting task holds: its number, and the steps since the last drift."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core import scalars
from assay.core.clock import EPISODES, LIFE, STEPS
from assay.core.events import EventReport
from assay.errors import NotApplicable
from assay.task_text import TIMED, TaskText
from assay.tasks import clock_of

CONCEPT = "concept"  # the entry among the events: of the step, its action, transition and reward
SEEN = "concept_seen"  # and of what is seen after it


def require_counted(snapshot: Any) -> None:
    """Refuses a moment of an env that counts no concepts, which an env with events cannot go to."""
    if getattr(snapshot, "concepts", ()) is None:
        raise NotApplicable(
            f"this moment of {snapshot.task} was saved without events; save it of an env with events=True."
        )


class ConceptCount:
    """Counts the steps of an env whose variations have schedules, and tells the concept of each.

    The schedules of a text are numbered from 1, in the order written; concept 0 is the plain task. Where
    several schedules are on at once, the last one gives the number. Those that draw are not among them:
    their variations report for themselves. A host that counts steps in its own way gives its `own_clock`;
    what is seen after a step then belongs to that step, and otherwise to the time that follows it.
    """

    def __init__(self, text: TaskText, own_clock: Callable[[Any], Any] | None = None):
        schedules = [each.schedule for each in text.settings if each.schedule]
        timed = dict.fromkeys(each for each in schedules if each.kind in TIMED)
        self.clocks = [clock_of(schedule) for schedule in timed]
        self._sees_step = own_clock is not None
        if own_clock is not None:
            self.clocks = [own_clock(clock) for clock in self.clocks]
        self._counts = {STEPS: 0, LIFE: 0, EPISODES: 0}
        self._since = 0
        self._on = self._now()

    def begin(self, new_life: bool) -> None:
        """A new episode."""
        before = self._counts
        life, episodes = (0, 0) if new_life else (before[LIFE], before[EPISODES] + 1)
        self._counts = {STEPS: 0, LIFE: life, EPISODES: episodes}
        self._on, self._since = self._now(), 0

    def step(self) -> dict[str, EventReport]:
        """What holds in the step that begins now; nothing where no schedule is known from the time."""
        if not self.clocks:
            return {}
        on = self._now()
        drifts = on != self._on
        self._since = 0 if drifts else self._since
        report = self._report(on, drifts, self._since)
        self._on, self._since = on, self._since + 1
        self._counts[STEPS] += 1
        self._counts[LIFE] += 1
        if self._sees_step:
            return {CONCEPT: report, SEEN: report}
        following = self._now()
        changes = following != on
        return {CONCEPT: report, SEEN: self._report(following, changes, 0 if changes else self._since)}

    def save(self) -> tuple[Any, ...]:
        return dict(self._counts), self._since, self._on

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Goes to what `save` gave."""
        counts, self._since, self._on = saved
        self._counts = dict(counts)

    def go_to(self, step: int) -> None:
        """This step of the present episode, whose steps before it are counted anew."""
        counts = self._counts
        self._counts = {**counts, STEPS: 0, LIFE: counts[LIFE] - counts[STEPS]}
        self._on, self._since = self._now(), 0
        for _ in range(step):
            self.step()

    def at_rest(self) -> dict[str, EventReport]:
        """The same before any step, for its form."""
        report = self._report(self._on, False, self._since)._replace(opportunity=False)
        return {CONCEPT: report, SEEN: report} if self.clocks else {}

    def _report(self, on: tuple[bool, ...], drifts: bool, since: int) -> EventReport:
        number = max((place for place, is_on in enumerate(on, 1) if is_on), default=0)
        return EventReport(True, drifts, np.array([number, since], np.int32))

    def _now(self) -> tuple[bool, ...]:
        return tuple(clock.share(scalars, (), self._counts[clock.unit]) > 0 for clock in self.clocks)
