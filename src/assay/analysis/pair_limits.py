"""Where the measures of a pair can lie, whatever was played: what optima and the nature of lengths say."""

from __future__ import annotations

import math

import numpy as np

from assay.plans.plan import TaskLimits
from assay.stats.limits import ANYWHERE, LENGTH, REGRET, SHARE, Limits
from assay.suites.playground_factors import Factors


def limits_of_pair(
    optima: tuple[np.ndarray, np.ndarray],
    normal: tuple[Factors, Factors],
    known: tuple[TaskLimits, TaskLimits] = (TaskLimits(), TaskLimits()),
) -> dict[str, Limits]:
    """Limits by field of `PairFinding`.

    The optima of each seed, NaN where not known, the factors, and what is known beforehand are those of the
    training task and of the evaluation task.
    """
    # Seeds may have worlds of their own. The mean of their scores is below the mean of their optima; an IQM
    # may lean towards the best worlds.
    highest, mean = (
        [limits_of_scores(*each) for each in zip(normal, (float(of(best)) for best in optima), known)]
        for of in (np.max, np.mean)
    )
    home, away = (LENGTH if each.steps is None else LENGTH.both(Limits(high=each.steps)) for each in known)
    return {
        "trained": highest[0],
        "evaluated": highest[1],
        "gap": Limits(mean[1].low - mean[0].high, mean[1].high - mean[0].low),
        "share": limits_of_share(optima[1], known[1]),
        "area": mean[0],
        "area_share": limits_of_share(optima[0], known[0]),
        "area_length": home,
        "regret": limits_of_regret(optima[1], known[1]),
        "last": mean[0],
        "rollout": mean[1],
        "rollout_length": away,
    }


def limits_of_share(optima: np.ndarray, known: TaskLimits) -> Limits:
    """Of scores over optima above 0: the least possible score as a share of each seed's optimum."""
    if known.score is None or not (optima > 0).all():
        return SHARE
    return SHARE.both(Limits(low=float((known.score.low / optima).min())))


def limits_of_regret(optima: np.ndarray, known: TaskLimits) -> Limits:
    if known.score is None or not np.isfinite(optima).all():
        return REGRET
    return REGRET.both(Limits(high=float(optima.max()) - known.score.low))


def limits_of_scores(normal: Factors, optimum: float, known: TaskLimits = TaskLimits()) -> Limits:
    """The limits of scores on one task, multiplied by its factor; an optimum of NaN is not known."""
    if normal.of_returns != normal.of_scores:  # what was paid has no known limits
        return ANYWHERE
    factor = normal.of_scores
    above = ANYWHERE if math.isnan(optimum) else Limits(high=optimum * factor)
    return (
        above
        if known.score is None
        else above.both(Limits(known.score.low * factor, known.score.high * factor))
    )
