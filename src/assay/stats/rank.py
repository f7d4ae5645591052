"""Whether two measurements rank the same things alike: Spearman's correlation, its interval and chance."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.errors import AssayError
from assay.stats.aggregate import Interval, require_finite
from assay.stats.resampling import expanded_tail

# Below so many units a resampled interval of a rank correlation is too narrow: over 8 items, made-up
# measurements of true rho 0 and 0.7 had it in 33 to 71% of 120 sets of 2 units, and in 67 to 79% of 3.
FEWEST_UNITS = 10
MOST_LISTED = 7  # levels up to which all orders are counted; for more levels, orders are drawn


class Ranked(NamedTuple):
    """Spearman's rho with an interval over seeds, and the chance of one as large under random orders."""

    rho: Interval
    chance: float  # two-sided, by counting orders


def warn_of_few(units: int, name: str) -> str:
    """A clause on an interval over too few units, or "" for enough."""
    if units >= FEWEST_UNITS:
        return ""
    return f"an interval over {units} {name}s is not calibrated and may be far too narrow"


def spearman(
    toy: np.ndarray, other: np.ndarray, *, rng: np.random.Generator, draws: int = 2000, coverage: float = 0.95
) -> Ranked:
    """Spearman's rho of toy (seeds, levels) and other (other seeds, levels), levels matched by position.

    The means over seeds are ranked. The interval resamples seeds on both sides, so few seeds make it wide;
    the chance counts orders of the levels (120 for five levels).
    """
    toy, other = require_finite(toy, 2, "toy scores"), require_finite(other, 2, "other scores")
    if toy.shape[1] != other.shape[1] or toy.shape[1] < 3:
        raise AssayError(
            "a rank correlation needs the same levels on both sides, at least 3: "
            f"{toy.shape[1]} and {other.shape[1]}."
        )
    value = correlation(toy.mean(0), other.mean(0))
    correlations = [
        correlation(*(side[rng.integers(len(side), size=len(side))].mean(0) for side in (toy, other)))
        for _ in range(draws)
    ]
    low, high = np.quantile(correlations, [(1 - coverage) / 2, (1 + coverage) / 2])
    return Ranked(
        Interval(value, float(low), float(high)), share_of_orders(toy.mean(0), other.mean(0), value, rng)
    )


def spearman_of_pairs(
    a: np.ndarray, b: np.ndarray, *, rng: np.random.Generator, draws: int = 2000, coverage: float = 0.95
) -> Ranked:
    """Spearman's rho of two measurements of the same units, (units, items) each, over the items.

    The means over units are ranked. The interval resamples units, the same on both sides, and keeps the
    items: it says nothing of other items; the chance counts orders of the items. A single unit has an
    interval from -1 to 1.
    """
    a, b = require_finite(a, 2, "first measurements"), require_finite(b, 2, "second measurements")
    if a.shape != b.shape or a.shape[1] < 3:
        raise AssayError(
            "a rank correlation needs the same units and items on both sides, at least 3 items: "
            f"{a.shape} and {b.shape}."
        )
    value = correlation(a.mean(0), b.mean(0))
    chance = share_of_orders(a.mean(0), b.mean(0), value, rng)
    if len(a) == 1:
        return Ranked(Interval(value, -1.0, 1.0), chance)
    picks = rng.integers(len(a), size=(draws, len(a)))
    correlations = [correlation(a[pick].mean(0), b[pick].mean(0)) for pick in picks]
    tail = expanded_tail(coverage, len(a), len(a) - 1)
    low, high = np.quantile(correlations, [tail, 1 - tail])
    return Ranked(Interval(value, float(min(low, value)), float(max(high, value))), chance)


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's rho; 0 where all values of one side are equal."""
    ranks = stats.rankdata(a), stats.rankdata(b)
    if any(np.ptp(rank) == 0 for rank in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1])


def share_of_orders(a: np.ndarray, b: np.ndarray, value: float, rng: np.random.Generator) -> float:
    """The share of orders whose correlation is at least as far from 0 as `value`."""
    orders = (
        list(permutations(range(len(b))))
        if len(b) <= MOST_LISTED
        else [rng.permutation(len(b)) for _ in range(9999)]
    )
    far = sum(abs(correlation(a, b[list(order)])) >= abs(value) - 1e-9 for order in orders)
    return far / len(orders)
