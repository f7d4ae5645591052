"""One number for many scores, and its interval.

A *unit* is what is replicated: a seed where agents are trained (the episodes of one trained agent are not
independent, so they are averaged first), or an episode where an agent is examined as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.errors import AssayError

Axes = int | tuple[int, ...] | None


class Interval(NamedTuple):
    """A value with the ends of its interval; an end is infinite where the data put no bound on it."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def iqm(scores: np.ndarray, axis: Axes = None) -> np.ndarray:
    """Interquartile mean: the mean of the scores without their lowest and highest quarter.

    Equals `scipy.stats.trim_mean(scores, 0.25)`, which is rliable's definition: with n scores, n // 4 are
    left out at each end and no score gets a fraction of a weight.
    """
    scores = np.asarray(scores, float)
    axes = range(scores.ndim) if axis is None else np.atleast_1d(axis) % scores.ndim
    kept = [i for i in range(scores.ndim) if i not in axes]
    rows = scores.transpose(*kept, *axes).reshape(*(scores.shape[i] for i in kept), -1)  # (..., scores)
    cut = rows.shape[-1] // 4
    means: np.ndarray = np.sort(rows, axis=-1)[..., cut : rows.shape[-1] - cut].mean(axis=-1)
    return means


def mean(scores: np.ndarray, axis: Axes = None) -> np.ndarray:
    """Plain mean; for fewer than 50 units its interval comes from `bootstrap_t`."""
    means: np.ndarray = np.mean(scores, axis=axis)
    return means


def median(scores: np.ndarray, axis: Axes = None) -> np.ndarray:
    """Median of all scores (rliable's median is that over tasks of the means over seeds)."""
    medians: np.ndarray = np.median(scores, axis=axis)
    return medians


def require_finite(values: np.ndarray, dimensions: int, what: str) -> np.ndarray:
    """`values` as floats; refuses other numbers of dimensions, empty arrays, NaN and infinities."""
    values = np.asarray(values, float)
    if values.ndim != dimensions or values.size == 0:
        raise AssayError(f"{what} must be an array of {dimensions} dimensions, not of shape {values.shape}.")
    if not np.isfinite(values).all():
        missing = int((~np.isfinite(values)).sum())
        raise AssayError(
            f"{what} must be finite, but {missing} of {values.size} are not; leave those units out."
        )
    return values


def require_coverage(coverage: float) -> float:
    """`coverage` itself; refuses what is not a probability."""
    if not 0 < coverage < 1:
        raise AssayError(f"coverage is a chance between 0 and 1, such as 0.95, not {coverage}.")
    return coverage
