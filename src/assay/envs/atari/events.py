"""Reports of what the variations of a game did in a step. Their hooks are wrapped only on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.events import EventReport
from assay.envs.atari.compiled_variation import ActiveVariation

Hook = Callable[..., Any]
POINTS = 6  # the place of the points among a hook's arguments


class Notes:
    """Counts how often each variation acted in the current step.

    A variation acts when it changes a cell, replaces an action or a reward, or paints over the picture. Of
    one with a chance, the first cell that it changed and the reward that it withheld are noted too.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first_cells: dict[str, tuple[int, int, int]] = {}  # axis -> cell, its value before and after
        self.withheld: Counter[str] = Counter()  # axis -> reward
        self.on: dict[str, ActiveVariation] = {}  # axis -> what was on in the step

    def note_hook(self, hook: str, function: Hook, axis: str) -> Hook:
        """The same hook, which also counts its actions; its arguments and results stay the same."""
        if hook in ("action", "reward"):
            return self._note_value(hook, function, axis)
        if hook == "event":
            function = self._note_withheld(function, axis)
        return self._note_cells(function, axis)

    def _note_withheld(self, function: Hook, axis: str) -> Hook:
        def run(*arguments: Any) -> Any:
            paid, owed = function(*arguments)
            self.withheld[axis] += arguments[POINTS] - paid
            return paid, owed

        return run

    def _note_cells(self, function: Hook, axis: str) -> Hook:
        def run(ram: Any, put: Any, *rest: Any) -> Any:
            def put_and_note(cell: int, value: int) -> None:
                if ram[cell] != value:
                    self.counts[axis] += 1
                    self.first_cells.setdefault(axis, (cell, ram[cell], value))
                put(cell, value)

            return function(ram, put_and_note, *rest)

        return run

    def _note_value(self, hook: str, function: Hook, axis: str) -> Hook:
        position = -2 if hook == "action" else -1  # of the value among a hook's arguments

        def run(*arguments: Any) -> Any:
            result = function(*arguments)
            self.counts[axis] += result != arguments[position]
            return result

        return run

    def note_paint(self, axis: str) -> None:
        self.counts[axis] += 1

    def begin_with(
        self, run: Callable[[list[int]], Any], active: Sequence[ActiveVariation] = ()
    ) -> Callable[[list[int]], Any]:
        """The same function, which first clears the notes of the previous step.

        A schedule may switch a variation off between the step and the report.
        """
        on = {each.axis: each for each in active}

        def clear_and_run(intended: list[int]) -> Any:
            self.on = on
            for notes in (self.counts, self.first_cells, self.withheld):
                notes.clear()
            return run(intended)

        return clear_and_run

    def report(self, host: Any) -> Mapping[str, EventReport]:
        """Name in the task -> report. A variation that is off has no opportunity.

        The detail is the number of acts, and of a variation with a chance the array of `_report_chance`. For
        `sticky`, the emulator's own, it is the number of frames with another action.
        """
        reports: dict[str, EventReport] = {}
        if host.preprocessing.sticky:
            held = sum(sent != asked for sent, asked in zip(host.intended, host.asked))
            reports["sticky"] = EventReport(bool(host.intended), held > 0, held)
        on = self.on
        for name in host.records:
            variation, axis = host.game.variation_of(name)[0], host.game.axis_name(name)
            if variation.chances:
                reports[name] = self._report_chance(on.get(axis), axis)
            else:
                times = int(self.counts[axis])
                reports[name] = EventReport(axis in on, times > 0, times)
        return reports

    def _report_chance(self, active: ActiveVariation | None, axis: str) -> EventReport:
        """The report on a variation with a chance; None where it is off.

        Its detail: how often it happened, cells changed, the first of them (-1: none), its value before and
        after, and the reward withheld.
        """
        times = active.draws.events if active else 0
        could = active.draws.opportunities > 0 if active else False
        cell = self.first_cells.get(axis, (-1, 0, 0))
        detail = np.array([times, self.counts[axis], *cell, self.withheld[axis]], "float64")
        return EventReport(could, times > 0, detail)
