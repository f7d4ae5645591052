"""BCa intervals of a mean over seeds, with Bonferroni's correction: MDP Playground's error bars.

Efron's bias-corrected and accelerated bootstrap (1987). With many seeds it is as good as any; with ten it
covers too little, so assay's own verdicts use `resampling.simultaneous`; this one is for comparison.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval, require_coverage, require_finite


def bca(
    values: np.ndarray, *, rng: np.random.Generator, coverage: float = 0.95, draws: int = 9999
) -> Interval:
    """BCa interval of the mean of values, shape (units,); of width 0 where all units agree."""
    values = require_finite(values, 1, "values")
    mean, units = float(values.mean()), len(values)
    if units == 1:
        return Interval(mean, -np.inf, np.inf)
    if np.ptp(values) <= 1e-12 * np.abs(values).max():
        return Interval(mean, mean, mean)
    means = np.sort(values[rng.integers(units, size=(draws, units))].mean(axis=1))
    # The bias is the position of the mean among its resamples, ties counting half.
    below = (np.sum(means < mean) + np.sum(means <= mean)) / (2 * draws)
    bias = stats.norm.ppf(np.clip(below, 0.5 / draws, 1 - 0.5 / draws))
    deviations = mean - values  # of the means of all units but one, up to a factor that cancels
    skew = -(deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    tails = stats.norm.ppf([(1 - require_coverage(coverage)) / 2, (1 + coverage) / 2])
    shares = stats.norm.cdf(bias + (bias + tails) / (1 - skew * (bias + tails)))
    low, high = np.quantile(means, shares)
    return Interval(mean, float(low), float(high))


def shared_coverage(configurations: int, coverage: float = 0.95) -> float:
    """The coverage that each of several bars needs for all their pairs together to keep `coverage`."""
    pairs = configurations * (configurations - 1) // 2
    return 1 - (1 - require_coverage(coverage)) / max(pairs, 1)
