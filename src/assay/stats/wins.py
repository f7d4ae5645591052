"""Which of two samples is larger, pair by pair: Mann-Whitney's U and its one-sided chance."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

from assay.stats.aggregate import require_finite

MOST_WAYS = 20_000  # to deal tied values into two samples, up to which they are all counted
MOST_EXACT = 10_000  # pairs up to which the distribution of U is counted, where no two values are equal


class Harder(NamedTuple):
    """How often values of the first sample exceed those of the second."""

    u: float  # pairs in which it does, ties counting half
    pairs: int
    chance: float  # of so many or more, if both were drawn from one distribution
    method: Literal["exact", "normal"]

    @property
    def share(self) -> float:
        return self.u / self.pairs


def count_wins(a: np.ndarray, b: np.ndarray) -> float:
    """The pairs (of a, of b) in which a's value is larger, ties counting half."""
    ordered = np.sort(np.asarray(b, float))
    below, up_to = (np.searchsorted(ordered, np.asarray(a, float), side) for side in ("left", "right"))
    return float((below + up_to).sum()) / 2


def wins_between(values: np.ndarray, owners: np.ndarray, count: int) -> np.ndarray:
    """The wins of each of `count` owners over each other one, (count, count), as `count_wins` counts them."""
    distinct, places = np.unique(values, return_inverse=True)
    own = np.bincount(places * count + owners, minlength=len(distinct) * count).reshape(-1, count) * 1.0
    wins: np.ndarray = own.T @ (2 * np.cumsum(own, 0) - own) / 2
    return wins


def chance_with_ties(a: np.ndarray, b: np.ndarray) -> float:
    """The share of all ways to deal these values into two such samples that have as large a sum of ranks."""
    ranks = stats.rankdata(np.concatenate([a, b]))
    sums = np.array([sum(some) for some in combinations(ranks, len(a))])
    return float((sums >= ranks[: len(a)].sum() - 1e-9).mean())


def harder(a: np.ndarray, b: np.ndarray) -> Harder:
    """The one-sided test that a's values tend to be larger.

    The chance is counted exactly for small samples, with ties for very small ones; otherwise it is the normal
    one, corrected for ties and for continuity.
    """
    a, b = require_finite(a, 1, "first sample"), require_finite(b, 1, "second sample")
    both = np.concatenate([a, b])
    untied = len(np.unique(both)) == len(both)
    exact = untied and len(a) * len(b) <= MOST_EXACT
    if np.ptp(both) == 0:
        return Harder(len(a) * len(b) / 2, len(a) * len(b), 1.0, "normal")
    if not untied and comb(len(both), len(a)) <= MOST_WAYS:
        return Harder(count_wins(a, b), len(a) * len(b), chance_with_ties(a, b), "exact")
    found = stats.mannwhitneyu(a, b, alternative="greater", method="exact" if exact else "asymptotic")
    return Harder(count_wins(a, b), len(a) * len(b), float(found.pvalue), "exact" if exact else "normal")
