"""Human-normalised scores: HNS = (A - R) / |H - R|, with the mean scores A of an agent, R of random play and
H of people.

0 is the level of random play, 1 that of people. For the expert score R and H are the constants of a table.
For other people they are measured, so the uncertainty of all three counts, as it does in
`performance_change.py`. Intervals of people are skewed: those who play well reach far above the middle of
them. So an error of theirs is read off the end of the interval towards which it would have to lie.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval, require_coverage, require_finite
from assay.stats.performance_change import ends_around, ends_of_difference
from assay.stats.resampling import are_equal

NORMAL = 1.959964  # standard errors from a mean to the end of its 95% interval


def expert_score(score: Interval, random: float, human: float) -> Interval:
    """A score, with its interval, on the scale of two constants."""
    scale = abs(human - random)
    return Interval(*((end - random) / scale for end in score))


def human_score(
    agent: np.ndarray, random: np.ndarray, human: Interval, *, coverage: float = 0.95
) -> Interval | None:
    """HNS of units (units,) by episodes of random play (episodes,); None if people are not told from it.

    The interval of people is one of 95%, as published.
    """
    agent, random = (require_finite(each, 1, "scores") for each in (agent, random))
    critical = float(stats.norm.ppf((1 + require_coverage(coverage)) / 2))
    floor, scale = float(random.mean()), human.value - float(random.mean())
    of_random = float(random.var(ddof=1)) / len(random) if len(random) > 1 else 0.0
    if scale**2 <= critical**2 * (error_towards(human, floor) ** 2 + of_random) or scale == 0:
        return None
    share = (float(agent.mean()) - floor) / scale
    sign = 1.0 if scale > 0 else -1.0
    if len(agent) == 1 or are_equal(agent[:, None])[0]:
        return Interval(sign * share, -np.inf, np.inf)

    def is_refuted(share: float) -> bool:
        # What people would have to score for this share to be the true one, given the other two means.
        needed = floor + (float(agent.mean()) - floor) / share if share else np.inf
        # The errors of people and of random play beside those of the agent, as one part of two values whose
        # mean has this variance.
        others = (share * error_towards(human, needed)) ** 2 + (1 - share) ** 2 * of_random
        middle = share * human.value + (1 - share) * floor
        part = middle + np.sqrt(others) * np.array([-1.0, 1.0])
        low, high = ends_of_difference(agent, [part], coverage)
        return not low <= 0 <= high

    low, high = ends_around(share, is_refuted)
    return Interval(sign * share, *sorted((sign * low, sign * high)))


def error_towards(human: Interval, score: float) -> float:
    """The standard error of people on the side of their mean on which a score lies."""
    reach = human.value - human.low if score < human.value else human.high - human.value
    return reach / NORMAL
