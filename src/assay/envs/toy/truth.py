"""The ground truth of toy/discrete in `info`: the hidden state, the history and the rewards that still wait.

Together they are Markov, which the observation need not be: rewards look back `sequence_length` states and
are paid `delay` steps late. The history is kept here, in numpy: its length depends on the task's delay, which
is no part of the env.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.envs.toy.tables import generate

# Stands for a state before the episode began. Not NaN as in MDP Playground: NaN differs from itself, so two
# equal histories would compare as different, in a table of visited states as in Gymnasium's checker.
BEFORE = -1.0


class Truth:
    """The histories of one or more lanes; `found` is the resolved task, `params` those of its env."""

    def __init__(self, found: Any, params: Any, lanes: int = 1):
        length, delay = params.sequence_length, found.value("delay", 0)
        # On a schedule what waits is no longer the last `delay` scores, so it is not told.
        self._tells_queue = not any(s.name == "delay" and s.schedule for s in found.text.settings)
        self._settings = found.entry.params(**found.structure)
        self.watches = 1 if params.irrelevant is None else 2  # words that `watch` tells
        self._seen = np.zeros((self.watches, lanes), np.int64)
        self._states = np.full((lanes, length + delay + 1), BEFORE)
        self._waiting = np.zeros((lanes, delay))  # the scores of the last steps, oldest first
        self._time = np.zeros(lanes, np.int64)

    @staticmethod
    def watch(state: Any) -> tuple:
        """What every reset and step must tell of the state; compiled into them."""
        return (state.current,) if state.irrelevant is None else (state.current, state.irrelevant)

    def begin(self, watched: np.ndarray, lanes: Any = slice(None)) -> None:
        """The lanes with these numbers have begun an episode; `watched` is (words, lanes), of all lanes."""
        self._seen[:] = watched
        self._states[lanes] = BEFORE
        self._states[lanes, -1] = watched[0, lanes]
        self._waiting[lanes] = 0.0
        self._time[lanes] = 0

    def step(self, watched: np.ndarray, score: Any) -> None:
        """All lanes have made a step."""
        self._seen[:] = watched
        self._states[:, :-1] = self._states[:, 1:]
        self._states[:, -1] = watched[0]
        if self._waiting.shape[1]:
            self._waiting[:, :-1] = self._waiting[:, 1:]
            self._waiting[:, -1] = score
        self._time += 1

    def of_lane(self, lane: int) -> dict:
        """The truth of one lane, as copies; `curr_obs` is what is seen before any variation of it."""
        seen = self._seen[:, lane]
        return {
            "curr_state": int(seen[0]),
            "curr_obs": seen[0] if len(seen) == 1 else seen.copy(),
            "augmented_state": self._states[lane].copy(),
            "t": int(self._time[lane]),
        } | ({"delay_queue": self._waiting[lane].copy()} if self._tells_queue else {})

    def of_all(self) -> dict:
        """The truth of every lane, one array each with the lanes first, as copies."""
        return {
            "curr_state": self._seen[0].copy(),
            "curr_obs": self._seen[0].copy() if len(self._seen) == 1 else self._seen.T.copy(),
            "augmented_state": self._states.copy(),
            "t": self._time.copy(),
        } | ({"delay_queue": self._waiting.copy()} if self._tells_queue else {})

    def save(self) -> tuple:
        return tuple(array.copy() for array in (self._seen, self._states, self._waiting, self._time))

    def restore(self, saved: tuple) -> None:
        self._seen, self._states, self._waiting, self._time = (array.copy() for array in saved)

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
