"""Risk: what the worst episodes return."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import AssayError, WrongLevel

SHARES = (0.05, 0.1, 0.25)
LEAST_IN_TAIL = 5  # episodes: fewer say little of a tail, and resampling them says less
DRAWS = 2000
COVERAGE = 0.95


class TailMean(NamedTuple):
    """CVaR: the mean return of the worst `share` of episodes, with the ends of its interval."""

    share: float
    value: float
    low: float
    high: float


def tail_mean(returns: np.ndarray, share: float) -> float:
    """The mean of the worst share of returns; the last one counts by the fraction that is still due."""
    return float(weigh_tail(np.sort(np.asarray(returns, float)), share))


def weigh_tail(ascending: np.ndarray, share: float) -> np.ndarray:
    """The tail's mean along the last axis."""
    due = share * ascending.shape[-1]
    weights = np.clip(due - np.arange(ascending.shape[-1]), 0.0, 1.0)
    means: np.ndarray = ascending @ weights / due
    return means


def tail_means(
    returns: np.ndarray,
    shares: Sequence[float] = SHARES,
    *,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
) -> list[TailMean]:
    """CVaR of episode returns at each share, with percentile bootstrap intervals.

    Where several trained agents played, `groups` holds the number of the agent of each episode: agents are
    then resampled, with all of their episodes.
    """
    values = np.asarray(returns, float)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise AssayError(f"returns are finite numbers, one an episode, not an array of shape {values.shape}.")
    for share in shares:
        require_tail(len(values), share)
    picks = draw_episodes(len(values), groups, rng)
    tail = (1 - COVERAGE) / 2
    results = []
    for share in shares:
        drawn = np.array([tail_mean(values[pick], share) for pick in picks])
        low, high = np.quantile(drawn, [tail, 1 - tail])
        results.append(TailMean(float(share), tail_mean(values, share), float(low), float(high)))
    return results


def require_tail(episodes: int, share: float) -> None:
    if not 0 < share <= 1:
        raise WrongLevel(f"a tail is a share of the episodes above 0 and up to 1, not {share}.")
    needed = math.ceil(LEAST_IN_TAIL / share - 1e-9)
    if episodes < needed:
        raise AssayError(
            f"the worst {share:.0%} of {episodes} episodes are too few to average; play at least {needed}."
        )


def draw_episodes(episodes: int, groups: np.ndarray | None, rng: np.random.Generator) -> list[np.ndarray]:
    """Resampled episodes, as their numbers; whole groups where there are groups."""
    if groups is None:
        return list(rng.integers(episodes, size=(DRAWS, episodes)))
    labels = np.asarray(groups)
    if labels.shape != (episodes,):
        raise AssayError(
            f"groups name the agent of each of the {episodes} episodes, not {labels.shape} of them."
        )
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    if len(members) < 2:
        raise AssayError("an interval over agents needs at least two of them; leave groups out.")
    return [
        np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))])
        for _ in range(DRAWS)
    ]
