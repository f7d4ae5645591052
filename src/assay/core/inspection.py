"""What the laws can see and do inside a host that varies itself. No jax here.

The laws compare a varied host with a plain one. They never reach into either: a host that takes HostRules
offers an `Inspection` of itself, and the same laws prove every host that offers one.

The world beneath is the host without its rules: an emulator, a simulator. It moves in frames, one or more to
a step, and its hidden state is a row of cells, which rules may write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np


class Frames(NamedTuple):
    """What came of some frames of the world beneath."""

    paid: float
    over: bool


class Frame(NamedTuple):
    """One frame of the world beneath, in all that can be compared."""

    paid: float
    cells: bytes
    over: bool


class Work(NamedTuple):
    """A part of a host's step that can be timed by itself, and how often a step does it."""

    times: int
    call: Callable[[], Any]


class Inspection(Protocol):
    """One host, seen by the laws."""

    @property
    def acts(self) -> bool:
        """Whether a rule is on."""

    @property
    def writes(self) -> frozenset[int]:
        """The cells that the rules that are on may write."""

    @property
    def shows(self) -> bool:
        """Whether they change what is seen beside the cells: patches, frames shown as one."""

    @property
    def actions(self) -> Sequence[Any]:
        """Those of the world beneath, a frame's worth each."""

    @property
    def situation(self) -> Any:
        """Where the rule can be felt, or None; `bring_about` of this or another host takes it."""

    @property
    def cells(self) -> np.ndarray:
        """The hidden state, (cells,) uint8, as the last step left it; no copy."""

    @property
    def executed(self) -> Sequence[Any]:
        """The frames of the last step, by their actions."""

    @property
    def intended(self) -> Sequence[Any]:
        """The same before any rule changed them."""

    @property
    def points(self) -> float:
        """What the world beneath paid in the last step."""

    @property
    def over(self) -> bool:
        """Whether the world beneath has come to its end."""

    def watch(self) -> None:
        """From now on notes which cells rules write, and which of them change."""

    @property
    def written_cells(self) -> set[int]:
        """The cells that rules have written since `watch`."""

    @property
    def changed_cells(self) -> set[int]:
        """Those among them that got another value."""

    def bring_about(self, situation: Any) -> bool:
        """Makes a situation so, which is no write of a rule; False where it is too early in the episode."""

    def save(self) -> Any:
        """The state of the world beneath."""

    def pack(self, state: Any) -> bytes | None:
        """All of a saved state as bytes; None where it cannot be put back exactly."""

    def run(self, actions: Sequence[Any]) -> Frames:
        """Frames of the world beneath from where it stands, without any rule."""

    def restore(self, state: Any) -> None:
        """Puts the world beneath where a state of this host, or of another of the same env, was saved."""

    def run_from(self, state: Any, cells: Mapping[int, int], actions: Sequence[Any]) -> list[Frame]:
        """Frames from a state in which these cells are set, without any rule."""

    def add_idle_rule(self) -> None:
        """Puts a rule that draws at every frame and changes nothing beside the others."""

    def work(self) -> Sequence[Work]:
        """What its rules do in a step, and the looking; a plain host's is only the latter."""
