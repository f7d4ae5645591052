"""Where the measures of a pair can lie, whatever was played: what optima and the nature of lengths say."""

from __future__ import annotations

import math

import numpy as np

from assay.stats.limits import ANYWHERE, LENGTH, REGRET, SHARE, Limits
from assay.suites.playground_factors import Factors


def limits_of_pair(
    optima: tuple[np.ndarray, np.ndarray], normal: tuple[Factors, Factors]
) -> dict[str, Limits]:
    """Limits by field of `PairFinding`.

    The optima of each seed, NaN where not known, and the factors are those of the training task and of the
    evaluation task.
    """
    # Seeds may have worlds of their own. The mean of their scores is below the mean of their optima; an IQM
    # may lean towards the best worlds.
    highest, mean = (
        [limits_of_scores(each, float(of(best))) for each, best in zip(normal, optima)]
        for of in (np.max, np.mean)
    )
    return {
        "trained": highest[0],
        "evaluated": highest[1],
        "gap": ANYWHERE,
        "share": SHARE,
        "area": mean[0],
        "area_share": SHARE,
        "area_length": LENGTH,
        "regret": REGRET,
        "last": mean[0],
        "rollout": mean[1],
        "rollout_length": LENGTH,
    }


def limits_of_scores(normal: Factors, optimum: float) -> Limits:
    """The limits of scores on one task, multiplied by its factor; an optimum of NaN is not known."""
    if normal.of_returns != normal.of_scores:  # what was paid has no known limits
        return ANYWHERE
    return ANYWHERE if math.isnan(optimum) else Limits(high=optimum * normal.of_scores)
