"""Bounds on the mean of the worst share of a distribution; they hold for every distribution.

The mean of the worst share is the mean of the quantiles up to it. Of n independent draws in ascending order,
the share of the distribution up to the i-th is that of the i-th of n uniform draws, whatever the
distribution. A band around all of these at once, each left with the same chance, bounds every quantile by one
of the draws (Anderson 1969; Learned-Miller and Thomas 2019). Nothing in the draws bounds the quantiles below
the first of them, so that the tail has a lower bound only where the scores have.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import special

PLAYED = 4000  # samples of uniform draws, for the band's chance at each draw
SINGLY, APART = 32, 1.06  # so many draws are watched one by one, then those at so large a ratio
BEYOND = 0.01  # of the error: no draw of the band is left with a smaller chance


def upper_bound(ascending: np.ndarray, share: float, error: float, highest: float = math.inf) -> float:
    """What the mean of the worst share exceeds with a chance of `error` at most; `highest`: no score is."""
    places, chance = band_of(len(ascending), share, error, True)
    # The quantiles up to these shares lie at or below these draws.
    shares = np.minimum(special.betaincinv(places, len(ascending) + 1 - places, chance), share)
    weights = np.diff(shares, prepend=0.0) / share
    rest = 1.0 - shares[-1] / share
    draws = np.minimum(ascending[places - 1], highest)
    if rest > 0:
        return float(draws @ weights + rest * highest)
    return float(min(draws @ weights, draws[-1]))  # rounding does not take it beyond them


def lower_bound(ascending: np.ndarray, share: float, error: float, lowest: float = -math.inf) -> float:
    """What the mean of the worst share is below with a chance of `error` at most; `lowest`: no score is."""
    if math.isinf(lowest):
        return -math.inf
    places, chance = band_of(len(ascending), share, error, False)
    # The quantiles from these shares on lie at or above these draws.
    shares = np.minimum(special.betaincinv(places, len(ascending) + 1 - places, 1 - chance), share)
    weights = np.diff(shares, append=share) / share
    bound = lowest * shares[0] / share + np.maximum(ascending[places - 1], lowest) @ weights
    return float(max(lowest, bound))


@lru_cache(maxsize=256)
def band_of(draws: int, share: float, error: float, above: bool) -> tuple[np.ndarray, float]:
    """The draws of the band, counted from 1, and the chance with which each of them leaves it.

    All of them together leave it with a chance of `error`: that is found by playing uniform draws.
    """
    every = np.arange(1, draws + 1)
    reaches = special.betaincinv(every, draws + 1 - every, BEYOND * error if above else 1 - error)
    # From below the band ends with the first draw that surely lies beyond the share.
    last = int(np.searchsorted(reaches, share)) + (1 if above else 0)
    places = watched(max(1, min(last, draws)))
    rng = np.random.default_rng(0)
    sums = np.cumsum(rng.standard_exponential((PLAYED, int(places[-1]))), axis=1)
    rest = rng.standard_gamma(draws + 1 - int(places[-1]), size=(PLAYED, 1))
    uniform = (sums / (sums[:, -1:] + rest))[:, places - 1]
    below = special.betainc(places, draws + 1 - places, uniform)
    least = (below if above else 1 - below).min(axis=1)
    return places, float(np.quantile(least, error, method="lower"))


def watched(last: int) -> np.ndarray:
    """The draws up to the last that the band is laid at: fewer make it narrower, and its steps coarser."""
    more = SINGLY * APART ** np.arange(1 + max(0, math.ceil(math.log(max(last, 1) / SINGLY, APART))))
    places = np.concatenate([np.arange(1, SINGLY), np.floor(more).astype(int)])
    return np.unique(np.minimum(places, last))
