"""What the variations of a game report of a step: noted by wrapping what they run, where somebody asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from assay.core.events import EventReport

Hook = Callable[..., Any]


class Notes:
    """How often each variation acted in the step under way.

    It acts where it gives a cell another value, replaces an action or a reward, or paints over the picture.
    """

    def __init__(self) -> None:
        self.acted: Counter[str] = Counter()

    def note_hook(self, hook: str, function: Hook, axis: str) -> Hook:
        """A hook that notes what it does; it gets and gives what the hook itself does."""
        if hook in ("action", "reward"):
            return self._note_value(hook, function, axis)
        return self._note_cells(function, axis)

    def _note_cells(self, function: Hook, axis: str) -> Hook:
        def run(ram: Any, put: Any, *rest: Any) -> Any:
            def put_and_note(cell: int, value: int) -> None:
                self.acted[axis] += ram[cell] != value
                put(cell, value)

            return function(ram, put_and_note, *rest)

        return run

    def _note_value(self, hook: str, function: Hook, axis: str) -> Hook:
        place = -2 if hook == "action" else -1  # of the value among a hook's arguments

        def run(*arguments: Any) -> Any:
            passed = function(*arguments)
            self.acted[axis] += passed != arguments[place]
            return passed

        return run

    def note_paint(self, axis: str) -> None:
        self.acted[axis] += 1

    def begin_with(self, run: Callable[[list[int]], Any]) -> Callable[[list[int]], Any]:
        """The frames of a step, before which what was noted of the step before is forgotten."""

        def run_afresh(intended: list[int]) -> Any:
            self.acted.clear()
            return run(intended)

        return run_afresh

    def reports(self, host: Any) -> Mapping[str, EventReport]:
        """By name of the axis. A variation that is off has no opportunity; the detail is how often it acted.

        Of `sticky`, the emulator's own: in how many frames the console got another action.
        """
        told: dict[str, EventReport] = {}
        if host.preprocessing.sticky:
            held = sum(sent != asked for sent, asked in zip(host.intended, host.asked))
            told["sticky"] = EventReport(bool(host.intended), held > 0, held)
        on = {each.axis for each in host.running}
        for name in host.records:
            times = int(self.acted[name])
            told[name] = EventReport(name in on, times > 0, times)
        return told
