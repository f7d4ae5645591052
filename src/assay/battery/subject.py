"""What the battery asks of an agent, whoever made it: to be trained on a table, and to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from assay.battery.spaces import TWO
from assay.battery.table import CELLS, Exam

DETOUR = 4000  # observations out of the ordinary, in an evaluation that should change nothing
# Of the numbers seen there: high in the first half of a row and low in the second, so that statistics which
# count them take what is met later for the opposite.
SHIFT = np.where(np.arange(CELLS) < CELLS // 2, 8.0, -8.0)
SCALE = 2.0


@dataclass(frozen=True)
class Traits:
    """What is known of an agent and decides which tests apply to it."""

    discount: float
    steps: int  # env steps of one training
    actions: tuple[str, ...]  # TWO, BETWEEN or both; the first is what most tests are played with
    generalises: bool = True  # whether it sees numbers as a network does, not as names of cells
    n_step: int = 1
    replays: str = ""  # "", or why it cannot be asked to forget
    settles: str = ""  # "", or why it keeps to a close choice that it once made
    draws: str = ""  # "", or why nothing is known of how it draws its actions
    remembers: bool = False
    keeps_signs: str = ""  # a setting by which it learns from the signs of rewards, as it was asked to
    cuts_end: str = ""  # a setting by which it takes a time limit for an end, as it was asked to
    # Settings under which a part is tested; None where it has no such part or nothing sets it.
    frozen_target: Mapping[str, Any] | None = None
    shorter_discount: Mapping[str, Any] | None = None  # for returns of several steps
    normalising: Mapping[str, Any] | None = None


class Run(NamedTuple):
    """One training on one table, and what it answered."""

    shares: npt.NDArray[np.float32]  # (questions, draws): the share of the second action
    after_detour: npt.NDArray[np.float32] | None = None  # the same after a long evaluation elsewhere


@dataclass(frozen=True)
class Way:
    """How an agent is trained for a test: its settings, and its spaces."""

    settings: tuple[tuple[str, Any], ...] = ()  # in place of its own
    acts: str = TWO
    detour: bool = False


class Subject(Protocol):
    """An agent under test."""

    name: str
    traits: Traits
    at_once: int  # how many trainings it is asked for before anything is judged; 1 where each takes seconds

    def run(self, way: Way, exams: Sequence[Exam], seeds: Sequence[int]) -> list[Run]:
        """Trains once on each of these tables."""
        ...
