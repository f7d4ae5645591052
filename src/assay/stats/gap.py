"""Relative losses between two tasks, over seeds, and means with their standard errors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.stats.aggregate import require_finite


class MeanError(NamedTuple):
    mean: float
    error: float  # standard error of the mean: sample spread over sqrt(n); NaN for a single value


def mean_and_error(values: np.ndarray) -> MeanError:
    """Mean and standard error of one column of values."""
    values = require_finite(values, 1, "values")
    error = float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.nan
    return MeanError(float(values.mean()), error)


def relative_loss(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """Values per seed whose mean is the loss of the means in percent, 100 (before - after) / before.

    The loss is a ratio of means, because a seed with 0 before would make a mean of ratios infinite. The
    values are its linearisation: their spread is that of the ratio, so an interval of their mean is an
    interval of the ratio. None where the mean before is not above 0, so that no share of it can be lost.
    """
    before, after = require_finite(before, 1, "before"), require_finite(after, 1, "after")
    base = before.mean()
    if base <= 0:
        return None
    share = 1 - after.mean() / base
    result: np.ndarray = 100 * (share + (before - after - share * before) / base)
    return result
