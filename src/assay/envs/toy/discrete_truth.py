"""The ground truth of toy/discrete in `info`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.envs.toy.discrete import State
from assay.envs.toy.discrete_tables import code_of, generate, trail_capacity
from assay.envs.toy.truth import History


class Truth(History):
    """The truth of toy/discrete; `params` are those of its env."""

    def __init__(self, task: Any, params: Any, lanes: int = 1):
        super().__init__(task, lanes, 1 if params.irrelevant is None else 2, params.sequence_length)
        self._params = params

    @staticmethod
    def watch(state: Any) -> tuple:
        parts = (state.current,) if state.irrelevant is None else (state.current, state.irrelevant)
        return *parts, state.mode

    def _read_state(self) -> np.ndarray:
        return self._watched[0]

    def _read_lanes(self, at: Any) -> dict:
        observation = self._watched[:-1, at].T.astype(np.int64)  # ([lanes,] words)
        state = observation[..., 0]
        return {
            "curr_state": state.copy() if state.ndim else int(state),
            "curr_obs": observation if observation.shape[-1] > 1 else state.copy(),
        }

    def _read_numbers(self, watched: tuple) -> tuple[int, dict]:
        state = watched[0]
        observation = np.array(state if len(watched) == 2 else watched[:-1], np.int64)
        return state, {"curr_state": state, "curr_obs": observation}

    def state_of(self, info: Mapping[str, Any]) -> State:
        past = np.asarray(info["augmented_state"]).astype(np.int32)
        states, time = self._params.states, int(info["t"])
        reached = past[max(len(past) - time, 0) :][-trail_capacity(states) :]  # the start is none of them
        observation = np.atleast_1d(info["curr_obs"])
        return State(
            current=np.int32(info["curr_state"]),
            trail=np.int32(code_of(reached.tolist(), states)),
            time=np.int32(time),
            irrelevant=None if self._params.irrelevant is None else np.int32(observation[1]),
            mode=np.bool_(info["hidden_mode"]),
            history=past[-self._params.remembered :] if self._params.remembered else None,
        )

    def facts(self) -> dict:
        """What the generated MDP is made of."""
        tables = generate(self._settings)
        facts = {
            "transition_function": tables.transitions,
            "rewardable_sequences": tables.sequences,
            "terminal_states": np.flatnonzero(tables.terminals),
            "init_state_dist": tables.starts,
        }
        return facts if tables.payoff is None else {**facts, "reward_function": tables.payoff}
