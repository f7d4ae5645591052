"""From evaluations to the numbers of the page: values of a training, gaps, intervals, failed seeds.

All numbers are per seed until the last step, because seeds are the units of replication.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval
from assay.stats.bounded_mean import Range, known_ends
from assay.stats.gap import relative_loss
from assay.stats.intervals import student
from assay.suites.suite import Pair

from .trainings import Training

SPARSE = 300  # iterations between two evaluations in the paper; its code has 50, as we do
EPISODES = 128  # of an evaluation
FAILED_BELOW = 0.5  # final success on the training appearance
UNUSED = np.random.default_rng(0)  # Student's interval draws nothing


class Measure(NamedTuple):
    name: str
    head: str
    digits: int
    gap_head: str
    gap_digits: int = 1
    share: bool = True  # whether a gap is a share of the value before, in percent


MEASURES = (
    Measure("passed_distance", "distance", 1, "Δ dist., %"),
    Measure("progress", "progress", 2, "Δ prog., %"),
    Measure("success", "SR", 2, "Δ SR, %"),
    Measure("return", "return", 1, "Δ return", 0, share=False),
)
SUCCESS, RETURN = MEASURES[2], MEASURES[3]
ONCE = Measure("success_once", "SR once", 2, "Δ SR once, %")


def largest(iterations: np.ndarray, column: np.ndarray) -> float:
    return float(column.max())


def largest_sparse(iterations: np.ndarray, column: np.ndarray) -> float:
    """Over the evaluations that the paper would have made: every 300 iterations, and at the end."""
    counted = iterations % SPARSE == 0
    counted[-1] = True
    return float(column[counted].max())


def final(iterations: np.ndarray, column: np.ndarray) -> float:
    return float(column[-1])


# How one number is made of a training's evaluations.
WAYS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "largest": largest,
    "every sixth": largest_sparse,
    "final": final,
}


def values_of(trainings: Sequence[Training], measure: str, task: str, way: str) -> np.ndarray:
    """One number per training, (seeds,)."""
    return np.array([WAYS[way](each.iterations, each.column(measure, task)) for each in trainings])


def gap_values(measure: Measure, before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """Values per unit whose mean is the gap of the means; None where no share of `before` can be lost.

    A unit with nothing before and nothing after, such as a seed that never succeeds, does not move a gap in
    percent. It would only make the interval too narrow, so it has no value here.
    """
    if not measure.share:
        lost: np.ndarray = before - after
        return lost
    counted = (before != 0) | (after != 0)
    return relative_loss(before[counted], after[counted]) if counted.any() else None


def pair_gap_values(
    trainings: Sequence[Training], pair: Pair, measure: Measure, way: str
) -> np.ndarray | None:
    before, after = (values_of(trainings, measure.name, task, way) for task in (pair.train, pair.evaluate))
    return gap_values(measure, before, after)


def gap_interval(measure: Measure, values: np.ndarray) -> Interval:
    """Student's 95% interval over units, at least as wide as `unseen`. One unit has no ends.

    No more than all successes can be lost.
    """
    value, low, high = student(values, rng=UNUSED)
    least = unseen(measure, len(values))
    most = 100.0 if measure in (SUCCESS, ONCE) else np.inf
    return Interval(value, min(low, value - least), min(max(high, value + least), most))


def unseen(measure: Measure, units: int) -> float:
    """What episodes that no unit showed can move a gap in success by, in percent; 0 for other measures."""
    return 100 / EPISODES * rarest(units) if measure in (SUCCESS, ONCE) else 0.0


def rarest(units: int) -> float:
    """The rule of three: units that all agree can still miss, each, what is rarer than this."""
    return float(np.log(20)) / units


def difference(a: np.ndarray, b: np.ndarray, least: float = 0.0) -> Interval:
    """Welch's 95% interval of mean(a) - mean(b), of independent units; half of it is `least` or more.

    It has no ends where one side has a single unit.
    """
    value = float(a.mean() - b.mean())
    if min(len(a), len(b)) < 2:
        return Interval(value, -np.inf, np.inf)
    squares = np.array([a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)])
    total = squares.sum()
    if total == 0:
        return Interval(value, value - least, value + least)
    freedom = total**2 / (squares[0] ** 2 / (len(a) - 1) + squares[1] ** 2 / (len(b) - 1))
    half = max(float(stats.t.ppf(0.975, freedom) * np.sqrt(total)), least)
    return Interval(value, value - half, value + half)


def gap_difference(measure: Measure, a: np.ndarray, b: np.ndarray) -> Interval:
    """By how much the gap of `a` is larger than that of `b`."""
    least = np.hypot(unseen(measure, len(a)), unseen(measure, len(b)))
    return difference(a, b, float(least))


def share_interval(flags: Sequence[bool]) -> Interval:
    """The share of true flags with Clopper and Pearson's 95% interval."""
    column = np.array(flags, float)[:, None]
    low, high = known_ends(column, Range(0.0, 1.0, two_valued=True), 0.05)
    return Interval(float(column.mean()), float(low[0]), float(high[0]))


def has_failed(training: Training) -> bool:
    return bool(training.own("success")[-1] < FAILED_BELOW)


class Failure(NamedTuple):
    """How a training came to end below `FAILED_BELOW` on what it was trained on."""

    best: float
    best_at: int  # iteration
    last_good: int | None  # the last iteration at which it succeeded in half of the episodes; None: never
    gone: int | None  # the next evaluation after that
    final: float
    jumps: float  # per episode, at the end


def describe_failure(training: Training) -> Failure:
    success = training.own("success")
    good = np.flatnonzero(success >= FAILED_BELOW)
    last_good, gone = (
        (int(training.iterations[good[-1]]), int(training.iterations[good[-1] + 1]))
        if good.size
        else (None, None)
    )
    best = int(success.argmax())
    return Failure(
        float(success[best]), int(training.iterations[best]), last_good, gone,
        float(success[-1]), float(training.own("jump_count")[-1]),
    )  # fmt: skip
