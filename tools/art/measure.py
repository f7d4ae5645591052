"""How far apart scenes are: small, gray and equalised, so that hue, brightness and contrast do not count.

A picture can be equalised after it was made small or before; the first weighs every patch the same, the
second lets large flat areas stay flat. Scenes must be apart both ways.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SMALL = 16  # side of the picture in which scenes are compared
BAR = 0.5  # no two scenes may be nearer than this part of the median distance
GRAY = np.array([0.299, 0.587, 0.114])


class Apart(NamedTuple):
    medians: np.ndarray  # (2,) distance of the middle pair: equalised after, equalised before
    ratio: float  # of the nearest pair to the median, the smaller of the two ways
    pairs: list[tuple[float, int, int]]  # the nearest ones: ratio and the two numbers


def equalised(values: np.ndarray) -> np.ndarray:
    """The share of values up to each: from 0 to 1, equal ones equal."""
    return (np.searchsorted(np.sort(values, None), values, "right") / values.size).reshape(values.shape)


def shrunk(gray: np.ndarray) -> np.ndarray:
    side = len(gray) // SMALL
    return np.round(gray.reshape(SMALL, side, SMALL, side).mean((1, 3)), 6)


def looks(scene: np.ndarray) -> np.ndarray:
    """uint8 (128, 128, 3) -> (2, 256): equalised after and before it was made small."""
    gray = np.round(scene @ GRAY)
    return np.stack([equalised(shrunk(gray)).ravel(), shrunk(equalised(gray)).ravel()])


def distances(seen: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Mean absolute differences between looks (n, 2, 256) and (m, 2, 256): (2, n, m)."""
    return np.stack([[np.abs(others[:, way] - one).mean(1) for one in seen[:, way]] for way in range(2)])


def apart(scenes: np.ndarray, worst: int = 12) -> Apart:
    seen = np.stack([looks(scene) for scene in scenes])
    first, second = np.triu_indices(len(scenes), 1)
    away = distances(seen, seen)[:, first, second]
    medians = np.median(away, axis=1)
    ratios = (away / medians[:, None]).min(0)
    pairs = [(float(ratios[n]), int(first[n]), int(second[n])) for n in np.argsort(ratios)[:worst]]
    return Apart(medians, float(ratios.min()), pairs)
