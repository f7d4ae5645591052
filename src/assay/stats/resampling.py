"""Intervals of means and of other statistics over units.

    bootstrap      IQM or median of scores over seeds and tasks: percentile, stratified
    bootstrap_t    the mean of one column of units
    simultaneous   the means of many columns at once

The interval of a mean depends on what is known of its units. Where their range is known, the interval holds
for any number of units (`known.py`). Otherwise it is Student's, with a critical value that all columns share,
lengthened on the side of their skewness, or refused where there are too few units for scores that skewed
(`skewness.py`). The shared critical value is a quantile of the largest |t| over columns of resampled units,
which allows for how columns depend on each other. It is at least Student's and at most Bonferroni's; below
ten units, where there are too few different resamples for a joint tail, it is Bonferroni's. A resample that
happens to miss the rare units has almost no spread and would send |t| to infinity, so the spread of a
resample is never taken below a share of the sample's.

No interval from the data alone can allow for what no unit showed: if 15% of seeds fail, one in five runs of
ten seeds shows no failure (`unseen.largest_unseen_share`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from assay.errors import AssayError
from assay.stats.aggregate import Interval, mean, require_coverage, require_finite
from assay.stats.bounded_mean import Range, known_ends
from assay.stats.skewness import FEW_UNITS, reach

THIN = 0.4  # least spread of a resample, as a share of the sample's
CUT = 0.25  # of an IQM, at each end
EQUAL = 1e-12  # units that differ by less than this share of their size differ only by rounding


class Simultaneous(NamedTuple):
    """Simultaneous intervals: one entry per column, and the critical value they share."""

    value: np.ndarray  # (columns,)
    low: np.ndarray  # (columns,)
    high: np.ndarray  # (columns,)
    critical: float
    refused: np.ndarray  # (columns,) too few units for scores this skewed: the interval has no ends

    def interval(self, column: int) -> Interval:
        return Interval(float(self.value[column]), float(self.low[column]), float(self.high[column]))


def bootstrap(
    scores: np.ndarray,
    statistic: Callable[..., Any],
    *,
    rng: np.random.Generator,
    draws: int = 2000,
    coverage: float = 0.95,
    expand: bool = True,
) -> Interval:
    """Percentile interval for `statistic` of scores, shape (seeds, tasks), resampling seeds within each task.

    `statistic` takes numpy's `axis`. For IQM and medians; means of fewer than 50 units use `bootstrap_t`.
    `expand` moves the quantiles outwards, to correct for resampling n seeds where n - 1 are free and for the
    normal in place of Student's t, and widens the interval where scores tie (`_past_ties`); without it the
    interval is rliable's, which is too narrow for few seeds. A single seed has an interval without ends.
    """
    scores = require_finite(scores, 2, "scores")
    coverage = require_coverage(coverage)
    seeds, tasks = scores.shape
    picks = rng.integers(seeds, size=(draws, seeds, tasks))
    values = statistic(scores[picks, np.arange(tasks)], axis=(-2, -1))
    value = float(statistic(scores, axis=(-2, -1)))
    if seeds == 1:
        return Interval(value, -np.inf, np.inf)
    tail = expanded_tail(coverage, seeds, tasks * (seeds - 1)) if expand else (1 - coverage) / 2
    low, high = (float(end) for end in np.quantile(values, [tail, 1 - tail]))
    if expand and statistic is not mean:
        low = _past_ties(scores.ravel(), value, low, coverage)
        high = -_past_ties(-scores.ravel(), -value, -high, coverage)
    return Interval(value, low, high)


def _past_ties(scores: np.ndarray, value: float, low: float, coverage: float) -> float:
    """The lower end of an IQM; widened where the scores around it tie, so that resampling moved nothing.

    Scores below the tie move an IQM once they are more than a quarter of all. Their share is bounded by
    Clopper and Pearson's limit for the number observed. Where none was observed, no lower end is known.
    """
    if value - low > EQUAL * abs(value):
        return low
    below = scores[scores < value - EQUAL * abs(value)]
    share = float(stats.beta.ppf((1 + coverage) / 2, below.size + 1, scores.size - below.size))
    if share <= CUT:
        return low
    return -np.inf if not below.size else value - (share - CUT) / (1 - 2 * CUT) * (value - below.min())


def expanded_tail(coverage: float, units: int, freedom: int) -> float:
    """The tail whose normal quantile is Student's, corrected for the spread that resampling `units` loses."""
    if units < 2:
        return 0.0
    reach = stats.t.ppf((1 + coverage) / 2, freedom) * np.sqrt(units / (units - 1))
    return float(stats.norm.sf(reach))


def bootstrap_t(
    values: np.ndarray,
    *,
    rng: np.random.Generator,
    draws: int = 4000,
    coverage: float = 0.95,
    step: float = 0.0,
    known: Range | None = None,
) -> Interval:
    """Interval for the mean of values, shape (units,); `step` and `known` as in `simultaneous`."""
    column = require_finite(values, 1, "values")[:, None]
    return simultaneous(column, rng=rng, draws=draws, coverage=coverage, step=step, known=known).interval(0)


def simultaneous(
    values: np.ndarray,
    *,
    rng: np.random.Generator,
    draws: int = 4000,
    coverage: float = 0.95,
    step: float | np.ndarray = 0.0,
    known: Range | None = None,
) -> Simultaneous:
    """Simultaneous intervals for the mean of every column of values, shape (units, columns).

    `known` is the range that all values are declared to lie in. Without it, `step` is the least amount by
    which one unit can differ from another, one number or one for each column: a whole episode where units
    are episodes, 1 / episodes where a unit is their mean. Even where n units all agree, deviations rarer
    than ln(1 / error) / n per unit go unseen (the rule of three, with the error shared by the columns), so
    no interval is narrower than what such deviations of one step would move. With `step` 0 nothing is known
    of unseen deviations, and a column whose units all agree has an interval without ends.
    """
    values = require_finite(values, 2, "values")
    error = 1 - require_coverage(coverage)
    units, columns = values.shape
    value, none = values.mean(axis=0), np.zeros(columns, bool)
    if known is not None:
        return Simultaneous(value, *known_ends(values, known, error / columns), np.inf, none)
    if units == 1:
        return Simultaneous(value, np.full(columns, -np.inf), np.full(columns, np.inf), np.inf, none)
    constant = are_equal(values)
    spread = np.where(constant, 0.0, values.std(axis=0, ddof=1) / np.sqrt(units))
    below, above, refused, critical = reaches(values - value, ~constant, error, draws, rng)
    steps = np.broadcast_to(step, columns)
    floor = np.array([unseen_floor(each, columns, units, error) for each in steps])
    low, high = (np.maximum(side * spread, floor) for side in (below, above))
    endless = refused | (constant & (floor == 0))
    low, high = (np.where(endless, np.inf, side) for side in (low, high))
    return Simultaneous(value, value - low, value + high, critical, refused)


class Reaches(NamedTuple):
    """Standard errors from each column's mean to its ends, refused columns, and their critical value."""

    below: np.ndarray
    above: np.ndarray
    refused: np.ndarray
    critical: float


def reaches(
    deviations: np.ndarray, spreads: np.ndarray, error: float, draws: int, rng: np.random.Generator
) -> Reaches:
    """The reaches of columns of deviations from the mean, (units, columns); `spreads`: which columns vary."""
    units, columns = deviations.shape
    # From ten units on, a column whose units all agree does not widen the others.
    shared = max(int(spreads.sum()), 1) if units >= FEW_UNITS else columns
    least, most = (float(stats.t.isf(error / 2 / many, units - 1)) for many in (1, shared))
    critical = most
    if units >= FEW_UNITS and shared > 1:
        critical = float(np.clip(_largest_t(deviations[:, spreads], 1 - error, draws, rng), least, most))
    below, above, refused = np.full(columns, critical), np.full(columns, critical), np.zeros(columns, bool)
    below[spreads], above[spreads], refused[spreads] = reach(deviations[:, spreads], critical)
    return Reaches(below, above, refused, critical)


def unseen_floor(step: float, columns: int, units: int, error: float) -> float:
    """How far deviations of one step that are too rare to show in so many units can move a mean."""
    if not step >= 0:
        raise AssayError(f"a step is the smallest difference between units, 0 or more, not {step}.")
    return float(step * np.log(columns / error) / units)


def are_equal(values: np.ndarray) -> np.ndarray:
    """(columns,) whether all units are equal, up to rounding."""
    equal: np.ndarray = np.ptp(values, axis=0) <= EQUAL * np.abs(values).max(axis=0)
    return equal


def _largest_t(deviations: np.ndarray, coverage: float, draws: int, rng: np.random.Generator) -> float:
    """Quantile of the largest |t| over columns of deviations from the mean, (units, columns)."""
    units, columns = deviations.shape
    if columns == 0:
        return 0.0
    # A resample is given by how often it has each unit; its means and spreads are two matrix products.
    counts = rng.multinomial(units, np.full(units, 1 / units), size=draws).astype(float)  # (draws, units)
    means = counts @ deviations / units  # (draws, columns)
    squares = counts @ deviations**2 / units - means**2
    spreads = np.sqrt(np.maximum(squares, 0) / (units - 1))
    least = THIN * deviations.std(axis=0, ddof=1) / np.sqrt(units)
    largest = (np.abs(means) / np.maximum(spreads, least)).max(axis=1)
    return float(np.quantile(largest, coverage))
