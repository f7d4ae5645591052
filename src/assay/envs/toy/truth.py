"""The ground truth of the toy envs in `info`: the hidden state, the history and the rewards still to be paid.

Together they are Markov; the observation alone need not be, since rewards look back `sequence_length` states
and are paid `delay` steps late. The history is kept here, in numpy, because its length depends on the task's
delay, which is not part of the env.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

# Stands for a state before the episode began. Not NaN as in MDP Playground: NaN differs from itself, so two
# equal histories would compare as different, in a table of visited states as in Gymnasium's checker.
BEFORE = -1.0
ROOM = 1024  # steps after which the history of a single lane is moved to the front of its array


class History(ABC):
    """The history of one or more lanes, shared by the truths of all toy envs; a subclass for each env.

    `task` is the resolved task. Each lane is watched as `words` numbers of 32 bits, rewards look back
    `length` states, and a state has this `shape`.
    """

    before: float = BEFORE
    dtype: type = np.float64  # of the history

    def __init__(self, task: Any, lanes: int, words: int, length: int, shape: tuple[int, ...] = ()):
        delay = task.value("delay", 0)
        # The queue is the last scores, unless the delay has a schedule or noise is added before it.
        self._holds_queue = not task.value("reward_noise_function") and not any(
            s.name == "delay" and s.schedule for s in task.text.settings
        )
        self._settings = task.settings
        self.watches = words + 1  # the hidden mode comes last
        self._watched = np.zeros((self.watches, lanes), np.int32)
        self._states = np.full((lanes, length + delay + 1, *shape), self.before, self.dtype)
        self._waiting = np.zeros((lanes, delay))  # the scores of the last steps, oldest first
        self._time = np.zeros(lanes, np.int64)

    @staticmethod
    @abstractmethod
    def watch(state: Any) -> tuple:
        """The parts of a state, or of one per lane, that every reset and step returns; compiled into them.

        The mode comes last. No part has more than 64 entries a lane: a larger array is cut into several.
        """

    @abstractmethod
    def _read_state(self) -> np.ndarray:
        """The state of every lane, (lanes, *shape), from what was watched last."""

    @abstractmethod
    def _read_lanes(self, at: Any) -> dict:
        """`curr_state`, `curr_obs` and further entries of the env, of one lane or of a slice of them."""

    @abstractmethod
    def _read_numbers(self, watched: tuple) -> tuple[Any, dict]:
        """The state and the entries of `_read_lanes` of one lane, from the plain numbers watched."""

    @abstractmethod
    def facts(self) -> dict:
        """The tables and points that the task is made of, by name."""

    def begin(self, watched: np.ndarray, lanes: Any = slice(None)) -> None:
        """The lanes with these numbers have begun an episode; `watched` is (words, lanes), of all lanes."""
        self._watched[:] = watched
        self._states[lanes] = self.before
        self._states[lanes, -1] = self._read_state()[lanes]
        self._waiting[lanes] = 0.0
        self._time[lanes] = 0

    def step(self, watched: np.ndarray, score: Any) -> None:
        """All lanes have made a step."""
        self._watched[:] = watched
        self._states[:, :-1] = self._states[:, 1:]
        self._states[:, -1] = self._read_state()
        if self._waiting.shape[1]:
            self._waiting[:, :-1] = self._waiting[:, 1:]
            self._waiting[:, -1] = score
        self._time += 1

    def of_lane(self, lane: int) -> dict:
        """The truth of one lane, as copies; `curr_obs` is the observation before any variation."""
        return self._read_truth(lane) | {"t": int(self._time[lane])}

    def of_all(self) -> dict:
        """The truth of every lane, one array each with the lanes first, as copies."""
        return self._read_truth(slice(None)) | {"t": self._time.copy()}

    def _read_truth(self, at: Any) -> dict:
        mode = self._watched[-1, at] != 0
        truth = self._read_lanes(at) | {
            "augmented_state": self._states[at].copy(),
            "hidden_mode": mode if mode.ndim else bool(mode),
        }
        return truth | ({"delay_queue": self._waiting[at].copy()} if self._holds_queue else {})

    def one_lane(self) -> OneLane:
        """What keeps the history of a single lane in less time, going on from here."""
        return OneLane(self)

    def needs(self) -> set[str]:
        """The entries of an info that `state_of` and `recall` read."""
        return {"curr_state", "curr_obs", "augmented_state", "delay_queue", "hidden_mode", "t"}

    def waiting_in(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """The values in each delay line that an info holds, by axis, the oldest first."""
        return {"delay": info["delay_queue"]}

    @abstractmethod
    def state_of(self, info: Mapping[str, Any]) -> Any:
        """The env's state, rebuilt from an info of one lane."""

    def recall(self, info: Mapping[str, Any], watched: np.ndarray) -> None:
        """Continues lane 0 from an info; `watched` is (words, 1)."""
        self._watched[:] = watched
        self._states[0] = info["augmented_state"]
        self._waiting[0] = info["delay_queue"]
        self._time[0] = info["t"]

    def save(self) -> tuple:
        return tuple(array.copy() for array in (self._watched, self._states, self._waiting, self._time))

    def restore(self, saved: tuple) -> None:
        self._watched, self._states, self._waiting, self._time = (array.copy() for array in saved)


class OneLane:
    """The history of one lane on plain numbers, in a fifth of the time that arrays of lanes take.

    The states lie in one long array, of which each step shows the end. `write_back` puts them where the
    history of all lanes has them.
    """

    def __init__(self, history: History):
        self._history = history
        self._length, self._delay = history._states.shape[1], history._waiting.shape[1]
        self._states = np.empty((ROOM + self._length, *history._states.shape[2:]), history.dtype)
        self._waiting = np.zeros(ROOM + self._delay)
        self._holds_queue, self._read_numbers = history._holds_queue, history._read_numbers
        self.read()

    def read(self) -> None:
        """Goes on from what the history of all lanes holds."""
        self._states[: self._length] = self._history._states[0]
        self._waiting[: self._delay] = self._history._waiting[0]
        self._end, self._due = self._length, self._delay
        self._time = int(self._history._time[0])
        self._watched: tuple | None = None

    def begin(self, watched: tuple) -> dict:
        """An episode has begun; returns the truth as `of_lane` does."""
        self._end, self._due, self._time = self._length, self._delay, 0
        self._states[: self._length] = self._history.before
        self._waiting[: self._delay] = 0.0
        return self._note(watched)

    def step(self, watched: tuple, score: float) -> dict:
        """A step has been made; returns the truth as `of_lane` does."""
        if self._end == len(self._states):
            self._states[: self._length] = self._states[-self._length :]
            self._end = self._length
        self._end += 1
        if self._delay:
            if self._due == len(self._waiting):
                self._waiting[: self._delay] = self._waiting[-self._delay :]
                self._due = self._delay
            self._waiting[self._due] = score
            self._due += 1
        self._time += 1
        return self._note(watched)

    def _note(self, watched: tuple) -> dict:
        end, self._watched = self._end, watched
        self._states[end - 1], truth = self._read_numbers(watched)
        truth["augmented_state"] = self._states[end - self._length : end].copy()
        truth["hidden_mode"] = watched[-1]
        if self._holds_queue:
            truth["delay_queue"] = self._waiting[self._due - self._delay : self._due].copy()
        truth["t"] = self._time
        return truth

    def write_back(self) -> None:
        """Puts this moment into the history of all lanes."""
        history, end = self._history, self._end
        if self._watched is not None:
            numbers = np.array(self._watched, np.float64)  # it holds every float32 and int32
            floats = np.array([isinstance(number, float) for number in self._watched])
            words = np.where(floats, 0, numbers).astype(np.int32)
            words[floats] = numbers[floats].astype(np.float32).view(np.int32)
            history._watched[:, 0] = words
        history._states[0] = self._states[end - self._length : end]
        history._waiting[0] = self._waiting[self._due - self._delay : self._due]
        history._time[0] = self._time
