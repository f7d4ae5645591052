"""Performance change: how much of its margin over random play an agent gains or loses where a game is varied.

    PC = ((Mv - Rv) - (Mo - Ro)) / |Mo - Ro|

with the mean scores M of the agent and R of random play, on the original game (o) and on its variation (v). 0
is no change, +1 a second margin of the same size, -1 the level of random play. Where the agent is not told to
be above random play on the original there is no margin to lose, and no number is given, whoever the agent is.

All four means are uncertain, and the change is a ratio. Its interval is Fieller's: it holds every change c
for which the data do not refute that (Mv - Rv) - (Mo - Ro) - c |Mo - Ro| has the mean 0. Units of the agent
are paired, for both games were played with the same seeds; episodes of random play are paired too. The
critical value is Student's for the agent's units, lengthened where these are skewed (`skewness.py`). An
interval without an end says that the data do not bound the change on that side.

No interval is narrower than what events too rare to be seen could change: an agent may collapse in one
episode of twenty, and thirty episodes show none of them in one of five runs. Student's t knows nothing of
that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval, require_coverage, require_finite
from assay.stats.resampling import are_equal
from assay.stats.skewness import reach
from assay.stats.unseen_share import largest_unseen_share

FARTHEST = 1e6  # a change beyond this is not bounded
HALVINGS = 36


class Scores(NamedTuple):
    """Scores of an agent and of random play on one task."""

    agent: np.ndarray  # (units,), seeds or episodes
    random: np.ndarray  # (episodes,)


def performance_change(varied: Scores, plain: Scores, *, coverage: float = 0.95) -> Interval | None:
    """The change with its interval, or None where plain play is not told to be above random play.

    The units of `varied` and of `plain` are pairs.
    """
    varied, plain = (
        Scores(*(require_finite(part, 1, "scores") for part in each)) for each in (varied, plain)
    )
    margin = mean_margin(plain)
    if margin < 0 or not is_told_from_random(plain, coverage=coverage):
        return None
    kept = mean_margin(varied) / margin
    if len(plain.agent) == 1:
        return Interval(kept - 1, -np.inf, np.inf)

    def is_refuted(share: float) -> bool:
        """Whether the data refute that this share of the margin is kept."""
        agent = varied.agent - share * plain.agent
        low, high = ends_of_difference(agent, random_parts(varied.random, plain.random, share), coverage)
        return not low <= 0 <= high

    low, high = ends_around(kept, is_refuted)
    least, most = ends_of_unseen(varied, plain, coverage)
    return Interval(kept - 1, min(low, least) - 1, max(high, most) - 1)


def ends_of_unseen(varied: Scores, plain: Scores, coverage: float) -> tuple[float, float]:
    """The least and the largest share kept, if units of either task were of a kind too rare to be seen.

    Such a unit scores the least or the most that was seen anywhere, by the agent or by random play. On the
    variation it may also lose or gain a whole margin. A score outside all that was seen is not allowed for.
    """
    unseen = largest_unseen_share(len(plain.agent), coverage)
    seen = np.concatenate([*varied, *plain])
    lowest, highest = float(seen.min()), float(seen.max())
    home, away = float(plain.agent.mean()), float(varied.agent.mean())
    margin, rest = mean_margin(plain), mean_margin(varied)
    down, up = (unseen * max(step, margin) for step in (away - lowest, highest - away))
    smaller, larger = margin - unseen * (home - lowest), margin + unseen * (highest - home)
    # A margin that may be nothing leaves the share without a bound, on the side on which the rest lies.
    shares = [rest / larger, rest / smaller if smaller > 0 else float(np.copysign(np.inf, rest))]
    return min((rest - down) / margin, *shares), max((rest + up) / margin, *shares)


def is_told_from_random(scores: Scores, *, coverage: float = 0.95) -> bool:
    """Whether the agent's mean score is told from that of random play, above it or below."""
    agent, random = scores
    if len(agent) == 1:  # one unit has no spread: the spread of random play is all there is
        return not are_equal(np.array([[agent[0]], [random.mean()]]))[0]
    low, high = ends_of_difference(agent, [random], coverage)
    return not low <= 0 <= high


def mean_margin(scores: Scores) -> float:
    return float(scores.agent.mean() - scores.random.mean())


def random_parts(varied: np.ndarray, plain: np.ndarray, share: float) -> list[np.ndarray]:
    """What random play takes off the difference: one part of pairs, or two parts that are not."""
    if len(varied) == len(plain):
        return [varied - share * plain]
    return [varied, -share * plain]


def ends_of_difference(agent: np.ndarray, parts: list[np.ndarray], coverage: float) -> tuple[float, float]:
    """The ends of the interval of the agent's mean less the means of all parts."""
    require_coverage(coverage)
    units = len(agent)
    centre = float(agent.mean() - sum(part.mean() for part in parts))
    own, of_parts = variance_of_mean(agent), sum(variance_of_mean(part) for part in parts)
    spread = float(np.sqrt(own + of_parts))
    critical = float(stats.t.ppf((1 + coverage) / 2, units - 1))
    if are_equal(agent[:, None])[0]:
        return centre - critical * spread, centre + critical * spread
    below, above, refused = reach((agent - agent.mean())[:, None], critical)
    if refused[0]:
        return -np.inf, np.inf
    return centre - float(below[0]) * spread, centre + float(above[0]) * spread


def variance_of_mean(values: np.ndarray) -> float:
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0


def ends_around(value: float, is_refuted: Callable[[float], bool]) -> tuple[float, float]:
    """The nearest refuted numbers below and above a value; infinite where none is found."""
    ends = []
    for side in (-1.0, 1.0):
        inside, far = 0.0, 0.01 * max(1.0, abs(value))
        while far < FARTHEST and not is_refuted(value + side * far):
            inside, far = far, 2 * far
        if far >= FARTHEST:
            ends.append(side * np.inf)
            continue
        for _ in range(HALVINGS):
            middle = (inside + far) / 2
            inside, far = (inside, middle) if is_refuted(value + side * middle) else (middle, far)
        ends.append(value + side * far)
    return float(ends[0]), float(ends[1])


class Told(NamedTuple):
    """A mean that others published, with the standard error that its interval tells."""

    mean: float
    error: float


def change_of_means(
    varied: Told, plain: Told, random_varied: Told, random_plain: Told, *, coverage: float = 0.95
) -> Interval | None:
    """The change between published means, by their standard errors and the normal distribution."""
    critical = float(stats.norm.ppf((1 + require_coverage(coverage)) / 2))
    margin, rest = plain.mean - random_plain.mean, varied.mean - random_varied.mean
    of_margin = plain.error**2 + random_plain.error**2
    of_rest = varied.error**2 + random_varied.error**2
    if margin <= critical * np.sqrt(of_margin):
        return None
    kept = rest / margin

    def is_refuted(share: float) -> bool:
        return (rest - share * margin) ** 2 > critical**2 * (of_rest + share**2 * of_margin)

    low, high = ends_around(kept, is_refuted)
    return Interval(kept - 1, low - 1, high - 1)
