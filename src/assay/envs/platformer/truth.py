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
    """One or more lanes. What is told is read off the state; the return alone is summed up here, in numpy."""

    def __init__(self, found: Any, params: Any, lanes: int = 1):
        self._task = str(found.text)
        self.watches = len(TOLD)  # words
        self._seen = np.zeros((self.watches, lanes), np.int32)
        self._return = np.zeros(lanes)

    @staticmethod
    def watch(state: Any) -> tuple:
        return tuple(getattr(state, name) for name in TOLD)

    def begin(self, watched: np.ndarray, lanes: Any = slice(None)) -> None:
        """The lanes with these numbers have begun an episode; `watched` is (words, lanes), of all lanes."""
        self._seen[:] = watched
        self._return[lanes] = 0.0

    def step(self, watched: np.ndarray, score: Any) -> None:
        """All lanes have made a step."""
        self._seen[:] = watched
        self._return += score

    def of_all(self) -> dict:
        """The truth of every lane, one array each, as copies."""
        told: dict = {}
        for name, row in zip(TOLD, self._seen):
            told[name] = (
                row.view(np.float32) if name in FLOATS else row != 0 if name in FLAGS else row
            ).copy()
        told["passed_distance"] = told["x"] - told.pop("initial_x")
        told["t"] = told["timestep"] = told.pop("time")
        goal, steps = told.pop("goal"), np.maximum(told["t"], 1).astype(np.float32)
        told["progress"] = told["passed_distance"] / np.where(goal > 0, goal, np.float32(np.inf))
        told["vx_mean"], told["vy_mean"] = told.pop("vx_sum") / steps, told.pop("vy_sum") / steps
        return told | {"return": self._return.copy()}

    def of_lane(self, lane: int) -> dict:
        """The truth of one lane, as Python's own numbers."""
        return {name: values[lane].item() for name, values in self.of_all().items()}

    def save(self) -> tuple:
        return self._seen.copy(), self._return.copy()

    def restore(self, saved: tuple) -> None:
        self._seen, self._return = (array.copy() for array in saved)

    def needs(self) -> set[str]:
        raise NotApplicable(f"the info of {self._task} does not tell its level; use save() and its snapshot.")

    def facts(self) -> dict:
        raise NotApplicable(f"{self._task} draws a level for each episode and has no tables to tell.")
