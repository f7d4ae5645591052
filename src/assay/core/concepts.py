"""Clocks of concepts that follow one another: a variation is on for a while, or whenever its turn comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.clock import STEPS
from assay.core.variation import static


@dataclass(frozen=True)
class Window:
    """On from step (or episode) `begin` up to, and without, step `end`."""

    begin: Any
    end: Any
    unit: str = static(STEPS)

    def share(self, xp: Any, memory: Any, time: Any) -> Any:
        return xp.where((time >= self.begin) & (time < self.end), 1.0, 0.0)


@dataclass(frozen=True)
class Turn:
    """Of `count` concepts that take turns of `steps` steps, on in the turn of number `place`, from 0."""

    steps: Any
    place: Any
    count: Any
    unit: str = static(STEPS)

    def share(self, xp: Any, memory: Any, time: Any) -> Any:
        return xp.where(time // self.steps % self.count == self.place, 1.0, 0.0)
