"""The emulator as the laws see it: the world beneath the rules is the console, and its cells are the RAM."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.inspection import Frame, Frames, Work
from assay.envs.atari.compiled_variation import ActiveVariation
from assay.envs.atari.frame_loops import prepare_frame, run_events

if TYPE_CHECKING:
    from assay.envs.atari.host import AtariHost

IDLE_RULE = """
game: any
variations:
  dice:
    means: draws once a frame and changes nothing
    direction: neutral
    touches: [transition]
    memory: {last: "uniform(0, 9)"}
    frame: [{keep: {last: "uniform(0, 9)"}}]
"""


class Situation(NamedTuple):
    """Writes cells so that a variation has an effect, after a number of frames."""

    write: Callable[..., Any]
    after: int


class ConsoleInspection:
    """An `AtariHost` behind `core.inspection.Inspection`."""

    def __init__(self, host: AtariHost):
        self.host, self.emulator = host, host.emulator
        self.actions: Sequence[int] = host.codes

    @property
    def _first(self) -> ActiveVariation | None:
        return self.host.active[0] if self.host.active else None

    @property
    def acts(self) -> bool:
        return self._first is not None

    @property
    def writes(self) -> frozenset[int]:
        return self._first.compiled.cells if self._first else frozenset()

    @property
    def shows(self) -> bool:
        compiled = self._first.compiled if self._first else None
        pictured = compiled and (compiled.patches or compiled.masks or "hide" in compiled.hooks)
        return bool(pictured) or self.host.eye.merged

    @property
    def situation(self) -> Situation | None:
        compiled = self._first.compiled if self._first else None
        return Situation(compiled.situation, compiled.after) if compiled and compiled.situation else None

    @property
    def cells(self) -> np.ndarray:
        return self.emulator.buffer

    @property
    def executed(self) -> list[int]:
        return self.host.frames

    @property
    def intended(self) -> list[int]:
        return self.host.intended

    @property
    def points(self) -> float:
        return self.host.points

    @property
    def over(self) -> bool:
        return self.emulator.over()

    def watch(self) -> None:
        self.emulator.watch()

    @property
    def written_cells(self) -> set[int]:
        return self.emulator.written

    @property
    def changed_cells(self) -> set[int]:
        return self.emulator.changed

    def bring_about(self, situation: Situation) -> bool:
        host, emulator = self.host, self.emulator
        if host.frame < situation.after:
            return False
        emulator.read()
        memory, draws = (self._first.memory, self._first.draws) if self._first else ([0] * 16, None)
        situation.write(emulator.ram, emulator.put_unwatched, memory, draws, host.frame, 0, 0)
        emulator.read()
        return True

    def save(self) -> Any:
        return self.emulator.save()

    def restore(self, state: Any) -> None:
        self.emulator.restore(state)

    def pack(self, state: Any) -> bytes | None:
        return None if isinstance(state, bytes) else state.serialize()

    def run(self, actions: Sequence[int]) -> Frames:
        paid = sum(self.emulator.act(code) for code in actions)
        self.emulator.read()
        return Frames(paid, self.emulator.over())

    def run_from(self, state: Any, cells: Mapping[int, int], actions: Sequence[int]) -> list[Frame]:
        emulator = self.emulator
        emulator.restore(state)
        for cell, value in cells.items():
            emulator.put_unwatched(cell, value)
        frames = []
        for code in actions:
            paid = emulator.act(code)
            emulator.read()
            frames.append(Frame(paid, emulator.buffer.tobytes(), emulator.over()))
        return frames

    def add_idle_rule(self) -> None:
        self.host.add_rules(IDLE_RULE)

    def work(self) -> list[Work]:
        """Rules are timed in the present state: in another one the emulator may take twice as long."""
        observing = [Work(1, self.host.eye.look)]
        if self.host.eye.two_frames:
            observing.append(Work(1, self.host.eye.remember))
        if self.host.eye.hidden_now:
            observing.append(Work(1, partial(self.host.hider.draw, self.host.frame, 0)))
        if not self.acts:
            return observing
        skip = self.host.preprocessing.frameskip
        return [Work(skip if isinstance(skip, int) else max(skip), self._run_rules_of_a_frame), *observing]

    def _run_rules_of_a_frame(self) -> None:
        host, emulator = self.host, self.emulator
        emulator.read()
        host.apply("frame", host.frame)
        for hook in ("action", "reward"):
            for function, each in host.hooks[hook]:
                function(emulator.ram, None, each.memory, each.draws, host.frame, 0, 0)
        prepare_frame(host, 0)
        run_events(host, 0, 0.0, emulator.buffer.tobytes())
