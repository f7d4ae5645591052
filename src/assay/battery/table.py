"""Tasks of a few cells, as numbers: where each of two actions leads, what it pays, and what is seen.

Every task of the battery is such a table, and all tables have one shape: the numbers are data, so that one
compiled program serves all tests of an agent. The same table is a native env (`native_table.py`) and a
Gymnasium env (`gym_table.py`). Where actions are continuous, one number from -1 to 1 stands for the chance of
the second action, so that the value of an action is a straight line and the best one lies at an end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CELLS = 48  # of every table; also the numbers in an observation
ACTIONS = 2
NEVER = 10**9  # steps
LONGEST_PATH = 4  # observations that lead to a question
MOST_QUESTIONS = 24

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


class Table(NamedTuple):
    """A task of `CELLS` cells."""

    to: Integers  # (CELLS, ACTIONS): the cell after
    pay: Floats  # (CELLS, ACTIONS): the mean reward
    later_pay: Floats  # the same from the step `turn` of the agent's life on
    spread: Floats  # (CELLS, ACTIONS): the reward lies so far above or below its mean, by a fair coin
    ends: Flags  # (CELLS,): whether an episode terminates there
    first: Floats  # (CELLS,): how likely an episode begins there
    look: Integers  # (CELLS,): the row of `rows` that is seen; the number that is seen by a table
    rows: Floats  # (CELLS, CELLS): what a network sees
    limit: int  # steps after which an episode is cut
    turn: int  # step of the agent's life at which the payments change
    aim: Floats  # (CELLS,): where actions are continuous, the best action
    bend: Floats  # (CELLS,): what a squared distance of 1 from it costs there


class Question(NamedTuple):
    """What an agent is asked when it has learned: its action after these cells were seen in turn."""

    path: tuple[int, ...]  # the last is where it is asked; episodes begin at the first
    right: float  # the share of the second action: 0 or 1, or any where actions are continuous
    asks: str  # in words, such as "0.84 now, or 1.00 after 40 steps"
    fault: str = ""  # the fault of `faults.py` that answers otherwise
    near: float = 0.5  # how far from it an answer may lie


class Exam(NamedTuple):
    """A table and what is asked about it."""

    table: Table
    questions: tuple[Question, ...]


@dataclass
class Draft:
    """A table in the making; which of two actions is the better is drawn, each as often as the other."""

    rng: np.random.Generator
    drawn: list[int] = field(default_factory=list)
    used: int = 0
    to: Integers = field(default_factory=lambda: np.tile(np.arange(CELLS, dtype=np.int32)[:, None], ACTIONS))
    pay: Floats = field(default_factory=lambda: np.zeros((CELLS, ACTIONS), np.float32))
    later_pay: Floats = field(default_factory=lambda: np.zeros((CELLS, ACTIONS), np.float32))
    spread: Floats = field(default_factory=lambda: np.zeros((CELLS, ACTIONS), np.float32))
    ends: Flags = field(default_factory=lambda: np.zeros(CELLS, bool))
    first: Floats = field(default_factory=lambda: np.zeros(CELLS, np.float32))
    look: Integers = field(default_factory=lambda: np.arange(CELLS, dtype=np.int32))
    rows: Floats = field(default_factory=lambda: np.eye(CELLS, dtype=np.float32))
    aim: Floats = field(default_factory=lambda: np.zeros(CELLS, np.float32))
    bend: Floats = field(default_factory=lambda: np.zeros(CELLS, np.float32))
    turn: int = NEVER
    limit: int = NEVER

    def cell(self, first: float = 0.0) -> int:
        """A new cell, where so large a part of the episodes begins."""
        self.used += 1
        assert self.used <= CELLS, "every table has the same number of cells"
        self.first[self.used - 1] = first
        return self.used - 1

    def end(self) -> int:
        """A cell where episodes terminate."""
        cell = self.cell()
        self.ends[cell] = True
        return cell

    def lead(self, cell: int, action: int, to: int, pay: float = 0.0, later: float | None = None) -> None:
        self.to[cell, action], self.pay[cell, action] = to, pay
        self.later_pay[cell, action] = pay if later is None else later

    def force(self, cell: int, to: int, pay: float = 0.0) -> None:
        """Both actions do the same."""
        for action in range(ACTIONS):
            self.lead(cell, action, to, pay)

    def draw_action(self) -> int:
        """An action; of each two draws one is the first action, so that always the same is half right."""
        if not self.drawn:
            self.drawn = self.rng.permutation(ACTIONS).tolist()
        return self.drawn.pop()

    def choose(self, cell: int, better: tuple[int, float], worse: tuple[int, float]) -> int:
        """A choice between two ways, each a cell and a payment; the number of the better action."""
        action = self.draw_action()
        self.lead(cell, action, *better)
        self.lead(cell, 1 - action, *worse)
        return action

    def way(self, steps: int, to: int, pay: float = 0.0, first: float = 0.0) -> int:
        """The cell from which so many steps lead to `to`, whatever is done; the last of them pays."""
        for i in range(steps):
            cell = self.cell(first)
            self.force(cell, to, pay if i == 0 else 0.0)
            to = cell
        return to

    def finish(self) -> Table:
        return Table(
            self.to, self.pay, self.later_pay, self.spread, self.ends,
            (self.first / self.first.sum()).astype(np.float32), self.look, self.rows, self.limit, self.turn,
            self.aim, self.bend,
        )  # fmt: skip


def solve(table: Table, discount: float, sweeps: int = 5000) -> Floats:
    """What both actions are worth in every cell, (CELLS, ACTIONS): as they pay first, with no time limit."""
    values = np.zeros((CELLS, ACTIONS))
    for _ in range(sweeps):
        ahead = np.where(table.ends, 0.0, values.max(1))
        after = table.pay + discount * ahead[table.to]
        if np.abs(after - values).max() < 1e-9:
            break
        values = after
    return values.astype(np.float32)
