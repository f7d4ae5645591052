"""The ground truth of platformer/run in `info`: agent, camera and metrics, by KAGE-Env's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import NotApplicable

FLOATS = ("x", "y", "vx", "vy", "camera_x", "x_max", "goal", "vx_sum", "vy_sum", "initial_x")
WHOLE = ("jump_count", "time")
FLAGS = ("grounded", "success", "success_once")
TOLD = (*FLOATS, *WHOLE, *FLAGS)


class Truth:
    """The truth of one or more lanes, read off the state; only the return is summed up here, in numpy."""

    def __init__(self, task: Any, params: Any, lanes: int = 1):
        self._task = str(task.text)
        self.watches = len(TOLD)  # words
        self._watched = np.zeros((self.watches, lanes), np.int32)
        self._return = np.zeros(lanes)

    @staticmethod
    def watch(state: Any) -> tuple:
        return tuple(getattr(state, name) for name in TOLD)

    def begin(self, watched: np.ndarray, lanes: Any = slice(None)) -> None:
        """The lanes with these numbers have begun an episode; `watched` is (words, lanes), of all lanes."""
        self._watched[:] = watched
        self._return[lanes] = 0.0

    def step(self, watched: np.ndarray, score: Any) -> None:
        """All lanes have made a step."""
        self._watched[:] = watched
        self._return += score

    def of_all(self) -> dict:
        """The truth of every lane, one array each, as copies."""
        facts: dict = {}
        for name, row in zip(TOLD, self._watched):
            facts[name] = (
                row.view(np.float32) if name in FLOATS else row != 0 if name in FLAGS else row
            ).copy()
        facts["passed_distance"] = facts["x"] - facts.pop("initial_x")
        facts["t"] = facts["timestep"] = facts.pop("time")
        goal, steps = facts.pop("goal"), np.maximum(facts["t"], 1).astype(np.float32)
        facts["progress"] = facts["passed_distance"] / np.where(goal > 0, goal, np.float32(np.inf))
        facts["vx_mean"], facts["vy_mean"] = facts.pop("vx_sum") / steps, facts.pop("vy_sum") / steps
        return facts | {"return": self._return.copy()}

    def of_lane(self, lane: int) -> dict:
        """The truth of one lane, as Python's own numbers."""
        return {name: values[lane].item() for name, values in self.of_all().items()}

    def save(self) -> tuple:
        return self._watched.copy(), self._return.copy()

    def restore(self, saved: tuple) -> None:
        self._watched, self._return = (array.copy() for array in saved)

    def needs(self) -> set[str]:
        raise NotApplicable(f"the info of {self._task} does not tell its level; use save() and its snapshot.")

    def facts(self) -> dict:
        raise NotApplicable(f"{self._task} draws a level for each episode and has no tables to tell.")
