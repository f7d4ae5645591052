"""A table as a Gymnasium env, for agents from outside: the same numbers as in `native_table.py`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from assay.battery.spaces import BETWEEN, ROW, TWO, spaces_of
from assay.battery.table import Table
from assay.core.space import require_numbers
from assay.interop.checks import action_of, out_of_turn_error
from assay.interop.spaces import outside


class TableEnv(gymnasium.Env[Any, Any]):
    """A row of numbers is seen; there are two actions, or a range whose ends they are."""

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self, table: Table, acts: str = TWO):
        spaces = spaces_of(ROW, acts)
        self.observation_space = outside(spaces["observation"])
        self.action_space = outside(spaces["action"])
        self._takes = require_numbers(spaces["action"])
        self._table, self._acts = table, acts
        self._starts = np.cumsum(table.first.astype("float64"))
        self._cell, self._time, self._over = 0, 0, True
        self._life = 0  # steps since it was made

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        drawn = self.np_random.random() * self._starts[-1]
        self._cell = int(np.searchsorted(self._starts, drawn, side="right"))
        self._time, self._over = 0, False
        return self._look(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._over:
            raise out_of_turn_error(self._life == 0)
        table, at = self._table, self._cell
        chosen = float(np.asarray(action_of(self._takes, action)).reshape(-1)[0])
        number, sign = int(chosen), 1 - 2 * int(self.np_random.integers(2))
        if self._acts == BETWEEN:  # the chance of the second action
            number = int(self.np_random.uniform(-1.0, 1.0) < chosen)
        pay = table.later_pay if self._life >= table.turn else table.pay
        paid = float(pay[at, number] + table.spread[at, number] * sign)
        if self._acts == BETWEEN:
            paid -= float(table.bend[at] * (chosen - table.aim[at]) ** 2)
        self._cell = int(table.to[at, number])
        self._time, self._life = self._time + 1, self._life + 1
        terminated = bool(table.ends[self._cell])
        truncated = not terminated and self._time >= table.limit
        self._over = terminated or truncated
        return self._look(), paid, terminated, truncated, {}

    def _look(self) -> Any:
        return self._table.rows[self._table.look[self._cell]].copy()
