"""The share of a score above random play that is kept where something is varied."""

from __future__ import annotations

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval, require_coverage, require_finite
from assay.stats.resampling import expanded_tail
from assay.stats.skewness import FEW_UNITS

DRAWS = 4000


def kept_share(
    varied: np.ndarray,
    plain: np.ndarray,
    random: np.ndarray,
    *,
    rng: np.random.Generator,
    coverage: float = 0.95,
) -> Interval | None:
    """(mean varied - mean random) / (mean plain - mean random), with its interval over seeds.

    `varied` and `plain` hold the means of the same seeds, (seeds,) each; `random` holds episodes of random
    play, (episodes,). The interval of few seeds is Fieller's with Student's t (`fieller`). That of ten or
    more is a bootstrap in which both are resampled, its quantiles moved outwards as in `bootstrap`. None
    where plain play is not told from random play: there is no scale then.
    """
    varied, plain = (require_finite(each, 1, "scores") for each in (varied, plain))
    random = require_finite(random, 1, "random play")
    seeds = len(plain)
    if seeds < FEW_UNITS:
        return fieller(varied, plain, random, coverage)
    picks = rng.integers(seeds, size=(DRAWS, seeds))
    floors = np.array([rng.choice(random, len(random)).mean() for _ in range(DRAWS)])
    scales = plain[picks].mean(axis=1) - floors
    scale = plain.mean() - random.mean()
    if min(scale, scales.min()) <= 0:
        return None
    value = float((varied.mean() - random.mean()) / scale)
    shares = (varied[picks].mean(axis=1) - floors) / scales
    tail = expanded_tail(require_coverage(coverage), seeds, seeds - 1)
    low, high = np.quantile(shares, [tail, 1 - tail])
    return Interval(value, float(low), float(high))


def fieller(varied: np.ndarray, plain: np.ndarray, random: np.ndarray, coverage: float) -> Interval | None:
    """The shares s at which varied - s plain - (1 - s) random may have the mean 0, by Student's t."""
    seeds, floor = len(plain), float(random.mean())
    scale, rest = float(plain.mean()) - floor, float(varied.mean()) - floor
    if scale <= 0:
        return None
    if seeds == 1:
        return Interval(rest / scale, -np.inf, np.inf)
    of_varied, both, of_plain = np.cov(varied, plain)[[0, 0, 1], [0, 1, 1]] / seeds
    of_random = float(random.var(ddof=1)) / len(random) if len(random) > 1 else 0.0
    if max(of_varied, of_plain, of_random) == 0:  # seeds that all agree say nothing of others
        return Interval(rest / scale, -np.inf, np.inf)
    squared = float(stats.t.ppf((1 + require_coverage(coverage)) / 2, seeds - 1)) ** 2
    # The ends are the roots of a s^2 - 2 b s + c.
    a = scale**2 - squared * (of_plain + of_random)
    if a <= 0:
        return None
    b = scale * rest - squared * (both + of_random)
    c = rest**2 - squared * (of_varied + of_random)
    half = np.sqrt(max(b**2 - a * c, 0.0))
    return Interval(rest / scale, float((b - half) / a), float((b + half) / a))
