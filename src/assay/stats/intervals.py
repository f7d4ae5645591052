"""Intervals of the mean over seeds by the methods of MDP Playground, for comparison with its results.

assay's own is `resampling.bootstrap_t`. Each of these is for one of several bars, so the error is divided
among the pairs of bars (`bca.shared_coverage`). For ten proportions near 0 or 1 they cover only 39 to 67%;
where the range of the values is declared, `widen_to_range` widens them to a bound that holds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval, mean, require_coverage, require_finite
from assay.stats.bca import bca
from assay.stats.bounded_mean import Range, known_ends
from assay.stats.resampling import bootstrap


def percentile(values: np.ndarray, *, rng: np.random.Generator, coverage: float = 0.95) -> Interval:
    """Percentile interval of the mean of values, shape (units,)."""
    return bootstrap(
        require_finite(values, 1, "values")[:, None], mean, rng=rng, coverage=coverage, draws=9999
    )


def student(values: np.ndarray, *, rng: np.random.Generator, coverage: float = 0.95) -> Interval:
    """Student's t interval of the mean of values, shape (units,); it does not use `rng`.

    The variance divides by n - 1. MDP Playground's code divides by n, which makes the interval 5% shorter
    with ten seeds.
    """
    values = require_finite(values, 1, "values")
    middle = float(values.mean())
    if len(values) == 1:
        return Interval(middle, -np.inf, np.inf)
    reach = stats.t.ppf((1 + require_coverage(coverage)) / 2, len(values) - 1) / np.sqrt(len(values))
    half = float(reach * values.std(ddof=1))
    return Interval(middle, middle - half, middle + half)


METHODS: dict[str, Callable[..., Interval]] = {"percentile": percentile, "bca": bca, "t": student}


def widen_to_range(interval: Interval, values: np.ndarray, known: Range | None, coverage: float) -> Interval:
    """The interval of values, shape (units,), widened to the bound that their known range gives."""
    if known is None:
        return interval
    low, high = known_ends(values[:, None], known, 1 - coverage)
    return Interval(interval.value, min(interval.low, float(low[0])), max(interval.high, float(high[0])))
