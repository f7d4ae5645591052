"""Intervals of the mean over seeds by other people's methods, for results that stand beside theirs.

assay's own is `bootstrap.bootstrap_t`. These are what MDP Playground offers; each is for one of several bars,
so the error is shared out over the pairs of bars (`bca.shared_coverage`). Of ten proportions near 0 or 1 they
cover 39 to 67%: where the range of the values is declared, `within` widens them to a bound that holds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval, mean, require_coverage, require_finite
from assay.stats.bca import bca
from assay.stats.known import Range, known_ends
from assay.stats.resampling import bootstrap


def percentile(values: np.ndarray, *, rng: np.random.Generator, coverage: float = 0.95) -> Interval:
    """Percentile interval of the mean of values, shape (units,)."""
    return bootstrap(
        require_finite(values, 1, "values")[:, None], mean, rng=rng, coverage=coverage, draws=9999
    )


def student(values: np.ndarray, *, rng: np.random.Generator, coverage: float = 0.95) -> Interval:
    """Student's t of the mean of values, shape (units,); without chance, so `rng` is not drawn from.

    The spread is that of a sample (over n - 1). MDP Playground's code divides by n, which is 5% less with ten
    seeds.
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
    """The interval widened to the bound of values of a known range, shape (units,)."""
    if known is None:
        return interval
    low, high = known_ends(values[:, None], known, 1 - coverage)
    return Interval(interval.value, min(interval.low, float(low[0])), max(interval.high, float(high[0])))
