"""Intervals by resampling units.

    bootstrap      IQM or median of scores over seeds and tasks: percentile, stratified
    bootstrap_t    the mean of one column of units: studentised, symmetric
    simultaneous   the means of many columns at once: the same, with the largest |t| over the columns

Why these forms, by the coverage they reach (benchmarks/coverage.py prints it): percentile intervals of a mean
cover 90% with 10 units and studentised ones 95. Of these the symmetric and the equal-tailed form cover alike
(within two points on normal, skewed and tied scores), and the symmetric one has a single critical value,
which many columns can share. Two floors keep it sane with few units. First, a resample that happens to miss
the rare units shows next to no spread and would send |t| to infinity: its spread is never taken below a share
of the sample's. Second, the critical value is never below Student's, and below ten units, where there are too
few different resamples to know the joint tail, never below Student's with Bonferroni's correction.

No interval that looks at the data alone can know what no unit showed: if 15% of seeds fail, one run of ten
seeds in five sees no failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.errors import AssayError
from assay.stats.aggregate import Interval, chance, finite

# Least spread of a resample, as a share of the sample's. Chosen by simulation: alone, 0.3 holds 92% at the
# worst success rate of a tied score; in a family the far tail is made of thin resamples, and 0.3 would widen
# every interval of 10 units x 56 comparisons by 13% over 0.4, which already errs less than 5%.
THIN_ALONE = 0.3
THIN_TOGETHER = 0.4
FEW_UNITS = 10


class Simultaneous(NamedTuple):
    """Intervals that hold together: one entry per column, and the critical value they share."""

    value: np.ndarray  # (columns,)
    low: np.ndarray  # (columns,)
    high: np.ndarray  # (columns,)
    critical: float

    def interval(self, column: int) -> Interval:
        return Interval(float(self.value[column]), float(self.low[column]), float(self.high[column]))


def bootstrap(
    scores: np.ndarray,
    statistic: Callable,
    *,
    rng: np.random.Generator,
    draws: int = 2000,
    coverage: float = 0.95,
    expand: bool = True,
) -> Interval:
    """Percentile interval for `statistic` of scores, shape (seeds, tasks), resampling seeds within each task.

    `statistic` takes numpy's `axis`. For IQM and medians; means of fewer than 50 units use `bootstrap_t`.
    `expand` moves the quantiles outwards by what resampling n seeds in place of n - 1 and the normal in place
    of Student's t leave out; without it the interval is rliable's, and too narrow with few seeds. Scores that
    are all equal give an interval of no width (a single seed, one without ends). From 11 seeds on that is
    right for the IQM and the median: whatever was missed is less than a quarter of the seeds, and those are
    left out anyway.
    """
    scores = finite(scores, 2, "scores")
    coverage = chance(coverage)
    seeds, tasks = scores.shape
    picks = rng.integers(seeds, size=(draws, seeds, tasks))
    values = statistic(scores[picks, np.arange(tasks)], axis=(-2, -1))
    value = float(statistic(scores, axis=(-2, -1)))
    if seeds == 1:
        return Interval(value, -np.inf, np.inf)
    tail = expanded_tail(coverage, seeds, tasks * (seeds - 1)) if expand else (1 - coverage) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(value, float(low), float(high))


def expanded_tail(coverage: float, units: int, freedom: int) -> float:
    """The tail whose normal quantile is Student's, times what resampling `units` takes from the spread."""
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
) -> Interval:
    """Symmetric studentised interval for the mean of values, shape (units,); `step` as in `simultaneous`."""
    column = finite(values, 1, "values")[:, None]
    return simultaneous(column, rng=rng, draws=draws, coverage=coverage, step=step).interval(0)


def simultaneous(
    effects: np.ndarray,
    *,
    rng: np.random.Generator,
    draws: int = 4000,
    coverage: float = 0.95,
    step: float = 0.0,
) -> Simultaneous:
    """Intervals for the mean of every column of effects, shape (units, columns), that hold all at once.

    Whole units are resampled, so whatever ties the columns of a unit together is kept. `step` is the least
    amount by which one unit can differ from another: 1 / episodes, in the units of the effects, where
    episodes are won or lost. Units that all agree are not certainty: among n of them, deviations rarer than
    ln(1 / error) / n per unit (the rule of three, with the error shared by the columns) go unseen, and no
    interval is narrower than what such deviations of one step would move. With `step` 0 nothing is known of
    what was not seen, and a column whose units all agree has an interval without ends.
    """
    effects = finite(effects, 2, "effects")
    error = 1 - chance(coverage)
    if not step >= 0:
        raise AssayError(f"a step is the least difference between units, 0 or more, not {step}.")
    units, columns = effects.shape
    value = effects.mean(axis=0)
    apart = effects - value
    # Equal effects leave a rounding error of their mean: that is no spread.
    constant = np.ptp(effects, axis=0) <= 1e-12 * np.abs(effects).max(axis=0)
    if units == 1:
        return Simultaneous(value, np.full(columns, -np.inf), np.full(columns, np.inf), np.inf)
    spread = np.where(constant, 0.0, effects.std(axis=0, ddof=1) / np.sqrt(units))
    critical = max(
        _largest_t(apart[:, ~constant], spread[~constant], 1 - error, draws, rng),
        float(stats.t.isf(error / 2 / (columns if units < FEW_UNITS else 1), units - 1)),
    )
    unseen = step * np.log(columns / error) / units
    half = np.maximum(critical * spread, unseen)
    half = np.where(constant & (unseen == 0), np.inf, half)
    return Simultaneous(value, value - half, value + half, critical)


def _largest_t(
    apart: np.ndarray, spread: np.ndarray, coverage: float, draws: int, rng: np.random.Generator
) -> float:
    """Quantile of the largest |t| over columns; apart (units, columns): effects less their mean."""
    units, columns = apart.shape
    if columns == 0:
        return 0.0
    # A resample is how often each unit is in it; its means and spreads are then two matrix products.
    counts = rng.multinomial(units, np.full(units, 1 / units), size=draws).astype(float)  # (draws, units)
    means = counts @ apart / units  # (draws, columns)
    squares = counts @ apart**2 / units - means**2
    spreads = np.sqrt(np.maximum(squares, 0) / (units - 1))
    thin = THIN_ALONE if columns == 1 else THIN_TOGETHER
    largest = (np.abs(means) / np.maximum(spreads, thin * spread)).max(axis=1)
    return float(np.quantile(largest, coverage))
