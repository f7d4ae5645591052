"""The ground truth of toy/continuous in `info`: positions, and all derivatives beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.envs.toy.continuous import State
from assay.envs.toy.truth import History

CHUNK = 64  # entries that travel together; see `History.watch`


class Truth(History):
    """The state is the position that is observed and paid for, `state_derivatives` the motion behind it.

    The two differ under noise_kind=observation, where noise does not change the motion.
    """

    before = -np.inf  # every finite number may be a coordinate
    dtype = np.float32

    def __init__(self, task: Any, params: Any, lanes: int = 1):
        self._params = params
        self._rows, self._size = params.order + 1, len(params.limits[0])
        words = (self._rows + 1) * self._size
        length = max(1, params.line, params.looks_back - 1)
        super().__init__(task, lanes, words, length, shape=(self._size,))

    @staticmethod
    def watch(state: Any) -> tuple:
        motion = state.derivatives
        every = [state.shown, *(motion[..., i, :] for i in range(motion.shape[-2]))]
        chunks = (row[..., i : i + CHUNK] for row in every for i in range(0, row.shape[-1], CHUNK))
        return *chunks, state.mode

    def _read_state(self) -> np.ndarray:
        return self._watched[: self._size].view(np.float32).T

    def _read_lanes(self, at: Any) -> dict:
        return self._read_floats(self._watched[:-1, at].T.copy().view(np.float32))  # ([lanes,] words)

    def _read_numbers(self, watched: tuple) -> tuple[np.ndarray, dict]:
        entries = self._read_floats(np.array(watched[:-1], np.float32))
        return entries["curr_state"], entries

    def _read_floats(self, numbers: np.ndarray) -> dict:
        state, motion = numbers[..., : self._size], numbers[..., self._size :]
        observation = state.copy()
        if self._params.observe_velocity:
            observation = np.concatenate([state, motion[..., self._size : -self._size]], axis=-1)
        return {
            "curr_state": state.copy(),
            "curr_obs": observation,
            "state_derivatives": motion.reshape(*motion.shape[:-1], self._rows, self._size).copy(),
        }

    def needs(self) -> set[str]:
        return super().needs() | {"state_derivatives"}

    def state_of(self, info: Mapping[str, Any]) -> State:
        past, time = np.array(info["augmented_state"], np.float32), int(info["t"])
        if self._params.looks_back:
            past = np.where(np.isinf(past), np.float32(np.nan), past)[-self._params.looks_back :]
        else:
            past[: max(len(past) - time, 0)] = 0.0  # on a line only positions reached count
            past = past[len(past) - self._params.line :]
        return State(
            derivatives=np.array(info["state_derivatives"], np.float32),
            shown=np.array(info["curr_state"], np.float32),
            past=past,
            mode=np.bool_(info["hidden_mode"]),
            time=np.int32(time),
        )

    def facts(self) -> dict:
        """Points are listed one a row, in the relevant dimensions."""
        side = np.array(self._params.limits[0])
        return {
            "relevant_indices": np.array(self._params.relevant),
            "target_point": np.array(self._params.targets),
            "terminal_states": np.array(self._params.boxes),
            "diameter": float(2 * np.sqrt((side**2).sum())),
        }
