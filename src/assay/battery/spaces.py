"""The spaces in which a table is met. No jax here: agents from outside meet them too."""

from __future__ import annotations

from assay.battery.table import ACTIONS, CELLS
from assay.core.space import Box, Discrete, Space

NUMBER, ROW = "number", "row"  # what is seen: the number of a look, or a row of numbers
TWO, BETWEEN = "two", "between"  # what can be done: one of two actions, or a number between two bounds
WIDEST = 10.0  # bound of the numbers in a row


def spaces_of(sees: str, acts: str) -> dict[str, Space]:
    seen = Discrete(CELLS) if sees == NUMBER else Box(-WIDEST, WIDEST, (CELLS,))
    done = Discrete(ACTIONS) if acts == TWO else Box(-1.0, 1.0, (1,))
    return {"observation": seen, "action": done, "reward": Box(-float("inf"), float("inf"))}
