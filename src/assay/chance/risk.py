"""Risk: what the worst episodes return."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.chance.tail_bounds import lower_bound, upper_bound
from assay.errors import AssayError, WrongLevel

SHARES = (0.05, 0.1, 0.25)
LEAST_IN_TAIL = 5  # episodes: a mean of fewer says little of a tail
COVERAGE = 0.95
FEWEST_AGENTS = 5  # fewer show too little of others for an end
ALIKE = 1e-12  # agents that differ by less than this share of their size differ only by rounding


class TailMean(NamedTuple):
    """CVaR: the mean return of the worst `share` of episodes; an end that nothing bounds is infinite."""

    share: float
    value: float
    low: float
    high: float


def tail_mean(returns: np.ndarray, share: float) -> float:
    """The mean of the worst share of returns; the last one counts by the fraction that is still due."""
    require_share(share)
    values = np.sort(require_returns(returns))
    due = share * len(values)
    weights = np.clip(due - np.arange(len(values)), 0.0, 1.0)
    return float(values @ weights / due)


def tail_means(
    returns: np.ndarray,
    shares: Sequence[float] = SHARES,
    *,
    groups: np.ndarray | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> list[TailMean]:
    """CVaR of episode returns at each share, with intervals of 95%.

    Over independent episodes they hold for every distribution. Episodes that were not played bound the tail
    from above, by order statistics. From below nothing bounds what the worst of them return but the least
    return that is possible: `limits` are that and the greatest, where they are known. Where several trained
    agents played, `groups` holds the number of the agent of each episode, and the upper end is one over
    agents, which few agents and rare failures among them can deceive.
    """
    values = require_returns(returns)
    low, high = limits
    if not low < high or (values < low).any() or (values > high).any():
        raise AssayError(f"returns lie outside their limits from {low:g} to {high:g}; mend the limits.")
    for share in shares:
        require_tail(len(values), share)
    agents = None if groups is None else by_agent(values, groups)
    results = []
    for share in shares:
        value = tail_mean(values, share)
        ends = ends_over_episodes(values, share, limits)
        if agents is not None:
            ends = low, min(high, max(upper_over_agents(agents, share), ends[1]))
        # A sample shows less of a tail than there is, so that its own value may lie beyond an end.
        results.append(TailMean(float(share), value, min(ends[0], value), max(ends[1], value)))
    return results


def ends_over_episodes(values: np.ndarray, share: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Both ends; where returns have no least one, the upper end may err alone."""
    lowest, highest = limits
    error = (1 - COVERAGE) / (1 if math.isinf(lowest) else 2)
    ascending = np.sort(values)
    return lower_bound(ascending, share, error, lowest), upper_bound(ascending, share, error, highest)


def upper_over_agents(agents: Sequence[np.ndarray], share: float) -> float:
    """The upper end over agents, each with all of its episodes: Student's for the mean of their tails.

    The tail of all agents' episodes together is no better than the mean of the agents' own tails, and the
    tail of a few episodes is expected to be no worse than the agent's. Agents that are few or all alike show
    nothing of others, so that there is no end.
    """
    own = np.array([tail_mean(each, share) for each in agents])
    if len(own) < FEWEST_AGENTS or np.ptp(own) <= ALIKE * np.abs(own).max():
        return math.inf
    reach = stats.t.isf((1 - COVERAGE) / 2, len(own) - 1)
    return float(own.mean() + reach * own.std(ddof=1) / math.sqrt(len(own)))


def by_agent(values: np.ndarray, groups: np.ndarray) -> list[np.ndarray]:
    """The returns of each agent."""
    labels = np.asarray(groups)
    if labels.shape != values.shape:
        raise AssayError(
            f"groups name the agent of each of the {len(values)} episodes, not {labels.shape} of them."
        )
    names = np.unique(labels)
    if len(names) < 2:
        raise AssayError("an interval over agents needs at least two of them; leave groups out.")
    return [values[labels == name] for name in names]


def has_tail(episodes: int, share: float) -> bool:
    """Whether so many episodes say something of their worst share."""
    return episodes >= episodes_for(share)


def episodes_for(share: float) -> int:
    return math.ceil(LEAST_IN_TAIL / share - 1e-9)


def require_returns(returns: np.ndarray) -> np.ndarray:
    try:
        values = np.asarray(returns, float)
    except (TypeError, ValueError):
        raise AssayError("returns are numbers, one an episode; give a list of these.") from None
    if values.ndim != 1 or not len(values):
        raise AssayError(f"returns are finite numbers, one an episode, not an array of shape {values.shape}.")
    if not np.isfinite(values).all():
        wrong = float(values[~np.isfinite(values)][0])
        raise AssayError(f"returns are finite numbers, one an episode, and one of these is {wrong}.")
    return values


def require_share(share: float) -> None:
    is_number = isinstance(share, int | float | np.integer | np.floating) and not isinstance(share, bool)
    if not is_number or not 0 < share <= 1:
        raise WrongLevel(f"a tail is a share of the episodes above 0 and up to 1, not {share!r}.")


def require_tail(episodes: int, share: float) -> None:
    require_share(share)
    if not has_tail(episodes, share):
        raise AssayError(
            f"the worst {share:.0%} of {episodes} episodes are too few to average; play at least "
            f"{episodes_for(share)}."
        )
