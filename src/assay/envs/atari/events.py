"""Reports of what the variations of a game did in a step. Their hooks are wrapped only on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from assay.core.events import EventReport

Hook = Callable[..., Any]


class Notes:
    """Counts how often each variation acted in the current step.

    A variation acts when it changes a cell, replaces an action or a reward, or paints over the picture.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def note_hook(self, hook: str, function: Hook, axis: str) -> Hook:
        """The same hook, which also counts its actions; its arguments and results stay the same."""
        if hook in ("action", "reward"):
            return self._note_value(hook, function, axis)
        return self._note_cells(function, axis)

    def _note_cells(self, function: Hook, axis: str) -> Hook:
        def run(ram: Any, put: Any, *rest: Any) -> Any:
            def put_and_note(cell: int, value: int) -> None:
                self.counts[axis] += ram[cell] != value
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

    def begin_with(self, run: Callable[[list[int]], Any]) -> Callable[[list[int]], Any]:
        """The same function, which first clears the counts of the previous step."""

        def clear_and_run(intended: list[int]) -> Any:
            self.counts.clear()
            return run(intended)

        return clear_and_run

    def report(self, host: Any) -> Mapping[str, EventReport]:
        """Axis name -> report. A variation that is off has no opportunity; the detail is the number of acts.

        For `sticky`, the emulator's own, the detail is the number of frames with another action.
        """
        reports: dict[str, EventReport] = {}
        if host.preprocessing.sticky:
            held = sum(sent != asked for sent, asked in zip(host.intended, host.asked))
            reports["sticky"] = EventReport(bool(host.intended), held > 0, held)
        on = {each.axis for each in host.active}
        for name in host.records:
            times = int(self.counts[name])
            reports[name] = EventReport(name in on, times > 0, times)
        return reports
