"""Intervals of means of scores in a known range; they hold for any number of units.

The bound is by betting (Waudby-Smith and Ramdas 2024): a bettor against the true mean wins more than
1 / error times the stake with a chance of at most `error`. Bets of all sizes in `SIZES` share the stake, and
their sizes do not change, so the order of the units does not matter. Scores that are declared to take only
two values have Clopper and Pearson's exact interval, which is narrower.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.errors import AssayError
from assay.stats.unseen_share import BETS

SIZES = np.array(BETS)
HALVINGS = 40


class Range(NamedTuple):
    """The range of scores, as a task or a measure declares it; it is never estimated from the scores."""

    low: float
    high: float
    two_valued: bool = False  # only the two ends occur: an episode is won or lost

    def check(self, scores: np.ndarray, what: str) -> None:
        """Refuses scores outside the range, because a wrong declaration makes every bound wrong."""
        if not self.low < self.high:
            raise AssayError(f"a range goes from low to high, not from {self.low} to {self.high}.")
        outside = scores[(scores < self.low - 1e-9) | (scores > self.high + 1e-9)]
        if outside.size:
            raise AssayError(
                f"{what} {outside.flat[0]:g} lies outside the declared range from {self.low:g} to "
                f"{self.high:g}; mend the declaration."
            )


def known_ends(values: np.ndarray, known: Range, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval of each column's mean: values (units, columns); each end errs with error / 2."""
    known.check(values, "a score of")
    shares = np.clip((values - known.low) / (known.high - known.low), 0, 1)
    if known.two_valued and np.isin(shares, (0.0, 1.0)).all():
        low, high = _clopper_pearson(shares, error)
    else:
        low, high = _lowest(shares, error / 2), 1 - _lowest(1 - shares, error / 2)
    width = known.high - known.low
    return known.low + width * low, known.low + width * high


def refuses(shares: np.ndarray, mean: float, error: float) -> np.ndarray:
    """Whether units in [0, 1], shape (units, columns), refute a mean of `mean` or less, by column."""
    grown = 1 - SIZES[:, None, None] + SIZES[:, None, None] * shares / mean  # (sizes, units, columns)
    with np.errstate(divide="ignore"):
        capital = np.log(grown).sum(axis=1)
    rejected: np.ndarray = np.logaddexp.reduce(capital, axis=0) - np.log(len(SIZES)) >= np.log(1 / error)
    return rejected


def _lowest(shares: np.ndarray, error: float) -> np.ndarray:
    """The largest mean that the units refute, per column; smaller means are refuted more strongly."""
    low, high = np.zeros(shares.shape[1]), shares.mean(axis=0)
    for _ in range(HALVINGS):
        middle = np.maximum((low + high) / 2, 1e-12)
        refuted = refuses(shares, middle, error)
        low, high = np.where(refuted, middle, low), np.where(refuted, high, middle)
    return low


def _clopper_pearson(shares: np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
    units, wins = len(shares), shares.sum(axis=0)
    with np.errstate(invalid="ignore"):
        low = np.where(wins > 0, stats.beta.ppf(error / 2, wins, units - wins + 1), 0.0)
        high = np.where(wins < units, stats.beta.isf(error / 2, wins + 1, units - wins), 1.0)
    return low, high
