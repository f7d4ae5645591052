"""The ground truth of toy/grid in `info`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.envs.toy.grid import State, find_ends_and_target
from assay.envs.toy.truth import History


class Truth(History):
    """States are cells; `curr_obs` holds the cells of both boards where there are two."""

    def __init__(self, task: Any, params: Any, lanes: int = 1):
        self._size = len(params.shape)
        words = self._size * (2 if params.irrelevant else 1)
        super().__init__(task, lanes, words, length=1, shape=(self._size,))

    @staticmethod
    def watch(state: Any) -> tuple:
        parts = (state.cell,) if state.beside is None else (state.cell, state.beside)
        return *parts, state.mode

    def _read_state(self) -> np.ndarray:
        return self._watched[: self._size].T

    def _read_lanes(self, at: Any) -> dict:
        observation = self._watched[:-1, at].T.astype(np.int64)
        return {"curr_state": observation[..., : self._size].copy(), "curr_obs": observation}

    def _read_numbers(self, watched: tuple) -> tuple[np.ndarray, dict]:
        observation = np.array(watched[:-1], np.int64)
        state = observation[: self._size].copy()
        return state, {"curr_state": state, "curr_obs": observation}

    def state_of(self, info: Mapping[str, Any]) -> State:
        cells = np.array(info["curr_obs"], np.int32)
        return State(
            cell=cells[: self._size],
            beside=cells[self._size :] if len(cells) > self._size else None,
            mode=np.bool_(info["hidden_mode"]),
            time=np.int32(info["t"]),
        )

    def facts(self) -> dict:
        """Cells are listed one a row; the start is by flat cell, the last dimension running fastest."""
        ends, target = find_ends_and_target(self._settings)
        return {
            "target_point": np.array(target),
            "terminal_states": np.argwhere(ends.reshape(self._settings.grid_shape)),
            "init_state_dist": ~ends / (~ends).sum(),
        }
