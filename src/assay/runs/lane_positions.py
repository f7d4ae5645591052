"""Where the lanes of a hosted task are, and the way back there: their episodes are played again.

No emulator has to be saved for that. Episodes depend on their seed, their number and the actions alone, so a
lane that plays its actions again comes to the same moment. What it shows and pays on the way is kept as a
digest, since an env may keep more from episode to episode than it says, and then pays otherwise.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from assay.interop.worker_vector import WorkerVectorEnv

TRACE = 16  # bytes of a digest


class Positions(NamedTuple):
    """The episode of every lane, and its actions so far, one lane's after the other's."""

    episodes: Any  # (lanes,) int64
    lengths: Any  # (lanes,) int64
    actions: Any  # (all steps, ...)
    traces: Any  # (lanes, TRACE) uint8, a digest of all that each episode has shown and paid so far


class Step(NamedTuple):
    """A step of every lane, as it counts in their traces."""

    observations: np.ndarray  # (lanes, ...), of the next episode where one ended
    paid: np.ndarray
    score: np.ndarray
    ended: np.ndarray


class Traces:
    """A digest for every lane, of all that its episode has shown and paid."""

    def __init__(self, lanes: int) -> None:
        self.rows = np.zeros((lanes, TRACE), np.uint8)

    def begin(self, lane: int, observation: np.ndarray) -> None:
        self.rows[lane] = 0
        self._add(lane, observation)

    def step(self, lane: int, step: Step) -> None:
        self._add(lane, step.observations[lane], step.paid[lane], step.score[lane], step.ended[lane])

    def _add(self, lane: int, *values: Any) -> None:
        digest = hashlib.blake2b(self.rows[lane].tobytes(), digest_size=TRACE)
        for value in values:
            digest.update(np.asarray(value).tobytes())
        self.rows[lane] = np.frombuffer(digest.digest(), np.uint8)


class LanePositions:
    """Follows the lanes of a training, each from its own seed."""

    def __init__(self, lanes: int) -> None:
        self.episodes = np.zeros(lanes, np.int64)
        self.actions: list[list[np.ndarray]] = [[] for _ in range(lanes)]
        self.traces = Traces(lanes)

    def begin(self, observations: np.ndarray) -> None:
        for lane, observation in enumerate(observations):
            self.traces.begin(lane, observation)

    def count(self, actions: np.ndarray, step: Step) -> None:
        for lane, action in enumerate(actions):
            if step.ended[lane]:
                self.actions[lane] = []
                self.traces.begin(lane, step.observations[lane])
            else:
                self.actions[lane].append(action)
                self.traces.step(lane, step)
        self.episodes += step.ended

    def read(self) -> Positions:
        lengths = np.array([len(each) for each in self.actions], np.int64)
        rows = [action for each in self.actions for action in each]
        return Positions(self.episodes.copy(), lengths, np.array(rows), self.traces.rows.copy())

    def set(self, positions: Positions) -> None:
        self.episodes = np.array(positions.episodes)
        ends = np.cumsum(positions.lengths)[:-1]
        self.actions = [list(part) for part in np.split(np.asarray(positions.actions), ends)]
        self.traces.rows = np.array(positions.traces)


def go_to(env: WorkerVectorEnv, seeds: list[int], positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    """Plays the lanes to where they were, and gives what they see there, and their traces.

    All arrive together: a lane with fewer steps behind it begins later, and plays anything until then.
    """
    observations, _ = env.reset(seed=seeds)
    observations = observations.copy()
    lengths, traces = np.asarray(positions.lengths), Traces(len(seeds))
    first, longest = np.cumsum(lengths) - lengths, int(lengths.max())
    filler = int(first[lengths.argmax()])  # actions of the lane with the most are valid for all
    for step in range(longest + 1):
        now = lengths == longest - step
        if now.any():
            observations[now] = env.begin(now, seeds, positions.episodes)[now]
        for lane in np.flatnonzero(now):
            traces.begin(int(lane), observations[lane])
        if step == longest:
            break
        own = first + step - (longest - lengths)
        begun = lengths >= longest - step
        after, paid, terminated, truncated, info = env.step(
            positions.actions[np.where(begun, own, filler + step)]
        )
        observations = after.copy()
        played = Step(observations, paid, info["score"], terminated | truncated)
        for lane in np.flatnonzero(begun):
            traces.step(int(lane), played)
    return observations, traces.rows
