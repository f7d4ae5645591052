"""Splits a loss between the task, which became harder, and the agent, which does not carry over.

Where a change of the world costs a frozen agent some of its score, any agent may lose part of that: the
optimum falls too, or an agent retrained there scores less. That part is due to the task, the rest to the
agent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval, require_coverage, require_finite

MOSTLY = 2 / 3


class Loss(NamedTuple):
    """The task's share of a loss; `sure` means that the whole interval agrees with the word."""

    share: Interval
    word: str  # "the task", "the agent", "both", or "no loss" where there is nothing to split
    sure: bool


def loss(total: np.ndarray, task: np.ndarray | float, *, coverage: float = 0.95, step: float = 0.0) -> Loss:
    """The task's share of a drop, clipped to [0, 1], with Fieller's interval for a ratio of means.

    total (units,): drops of the frozen agents, plain - varied. task: the drop of the optimum (a number), or
    of the agents retrained there, plain - retrained: (units,) in the same order as total, which pairs them,
    or of another length. The interval is all of [0, 1] where the total drop may be 0, and for a single unit.
    Where all units agree, their spread is taken to be that of deviations of one `step` that so many units
    would rarely show (as in `resampling.simultaneous`, in the units of the drops); with step 0 the interval
    is all of [0, 1].
    """
    total = require_finite(total, 1, "the drops of the frozen agent")
    task = require_finite(np.atleast_1d(np.asarray(task, float)), 1, "the drops of the task")
    if total.mean() <= 0:
        return Loss(Interval(np.nan, np.nan, np.nan), "no loss", False)
    low, high = _fieller(task, total, require_coverage(coverage), step)
    value = task.mean() / total.mean()
    share = Interval(*(float(np.clip(end, 0, 1)) for end in (value, low, high)))
    word = _word(share.value)
    return Loss(share, word, word == _word(share.low) == _word(share.high))


def _word(share: float) -> str:
    # Exactly one third and two thirds belong to the outer words; in floats, 1 - 2/3 is not 1/3.
    if share >= MOSTLY - 1e-12:
        return "the task"
    return "the agent" if share <= 1 - MOSTLY + 1e-12 else "both"


def _fieller(top: np.ndarray, bottom: np.ndarray, coverage: float, step: float) -> tuple[float, float]:
    """Ends of the ratios r for which 0 lies in the t-interval of mean top - r * mean bottom."""
    if bottom.size < 2:
        return 0.0, 1.0
    variance = bottom.var(ddof=1) / bottom.size
    top_variance = top.var(ddof=1) / top.size if top.size > 1 else 0.0
    covariance = np.cov(top, bottom)[0, 1] / top.size if top.size == bottom.size else 0.0
    freedom = min(size for size in (top.size, bottom.size) if size > 1) - 1
    reach = stats.t.ppf((1 + coverage) / 2, freedom) ** 2
    unseen = step * np.log(1 / (1 - coverage)) / bottom.size
    variance = max(variance, unseen**2 / reach)
    a = bottom.mean() ** 2 - reach * variance
    b = top.mean() * bottom.mean() - reach * covariance
    c = top.mean() ** 2 - reach * top_variance
    rounding = 1e-24 * bottom.mean() ** 2
    if a <= 0 or variance + top_variance <= rounding:
        return 0.0, 1.0
    root = np.sqrt(max(b * b - a * c, 0.0))
    return (b - root) / a, (b + root) / a
