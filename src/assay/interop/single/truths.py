"""The ground truth of one lane, from the plain numbers that a plan's functions return."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.interop.single.words import words_in


class ByWords:
    """Hands numbers on to a truth that reads words."""

    def __init__(self, truth: Any):
        self._truth = truth

    def begin(self, watched: tuple) -> dict:
        self._truth.begin(as_column(watched))
        return self._truth.of_lane(0)

    def step(self, watched: tuple, score: float) -> dict:
        self._truth.step(as_column(watched), score)
        return self._truth.of_lane(0)

    def read(self) -> None:
        """The truth itself is always at the present moment."""

    def write_back(self) -> None:
        """The truth itself is always at the present moment."""


def as_column(watched: tuple) -> np.ndarray:
    return np.array(words_in(watched), np.int32)[:, None]


def lane_of(truth: Any) -> Any:
    """What keeps the truth of a single lane: the truth's own way, if it has one, else by words."""
    own = getattr(truth, "one_lane", None)
    return own() if own else ByWords(truth)
