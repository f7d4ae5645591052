"""How far apart scenes are: small, gray and equalised, so that hue, brightness and contrast do not count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SMALL = 16  # side of the picture in which scenes are compared
BAR = 0.5  # no two scenes may be nearer than this part of the median distance


class Apart(NamedTuple):
    median: float
    nearest: float  # of all pairs
    pairs: list[tuple[float, int, int]]  # the nearest ones: distance and the two numbers

    @property
    def ratio(self) -> float:
        return self.nearest / self.median


def small(scene: np.ndarray) -> np.ndarray:
    """uint8 (128, 128, 3) -> (256,) ranks of the 16 x 16 gray picture, to 1; equal grays rank equal."""
    gray = scene.astype(float) @ np.array([0.299, 0.587, 0.114])
    side = len(scene) // SMALL
    means = np.round(gray.reshape(SMALL, side, SMALL, side).mean((1, 3)).ravel(), 6)
    return (np.searchsorted(np.sort(means), means, "right") / means.size).astype(np.float64)


def distances(scenes: np.ndarray) -> np.ndarray:
    """(n, n) mean absolute differences, with infinity on the diagonal."""
    looks = np.stack([small(scene) for scene in scenes])
    away = np.stack([np.abs(looks - look).mean(1) for look in looks])
    np.fill_diagonal(away, np.inf)
    return away


def apart(scenes: np.ndarray, worst: int = 12) -> Apart:
    away = distances(scenes)
    first, second = np.triu_indices(len(scenes), 1)
    values = away[first, second]
    order = np.argsort(values)[:worst]
    pairs = [(float(values[n]), int(first[n]), int(second[n])) for n in order]
    return Apart(float(np.median(values)), float(values.min()), pairs)
