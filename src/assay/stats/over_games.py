"""Performance change over many games: the mean over the variations of a game first, then the IQM over runs.

A game with many variations counts no more than one with a single variation. The IQM is over all games and
runs together, and its interval resamples the runs inside each game (the strata) and episodes of random play,
whose means every change is made of. The margin by which a game's changes are divided is resampled with its
runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.stats.aggregate import Interval, iqm, require_coverage
from assay.stats.resampling import expanded_tail
from assay.stats.unseen_share import allow_for_unseen, largest_unseen_share

DRAWS = 2000


class GameRuns(NamedTuple):
    """The runs of one game; run i of all its tasks is the same seed."""

    plain: np.ndarray  # (runs,)
    varied: np.ndarray  # (variations, runs)
    random_plain: np.ndarray  # (episodes,)
    random_varied: np.ndarray  # (variations, episodes); episode i of all tasks is the same seed


def change_over_games(
    games: Sequence[GameRuns], *, rng: np.random.Generator, draws: int = DRAWS, coverage: float = 0.95
) -> Interval:
    """The IQM of changes over games and runs, which all games have the same number of.

    Resampling knows no run but those that were played, of which few may have missed one kind. So what a kind
    too rare to be seen could change, a whole margin in each of its runs, lengthens the interval, as a second
    error that is independent of the first.
    """
    runs, changes = len(games[0].plain), np.stack([changes_of_runs(game) for game in games])
    value = float(iqm(changes))
    if runs == 1:
        return Interval(value, -np.inf, np.inf)
    resampled = np.stack([resample(game, rng, draws) for game in games], axis=1)  # (draws, games, runs)
    tail = expanded_tail(require_coverage(coverage), runs, len(games) * (runs - 1))
    low, high = np.quantile(iqm(resampled, axis=(1, 2)), [tail, 1 - tail])
    told = Interval(value, float(min(low, value)), float(max(high, value)))
    return allow_for_unseen(told, largest_unseen_share(changes.size, coverage))


def changes_of_runs(game: GameRuns) -> np.ndarray:
    """The change of every run, (runs,): the mean over variations, divided by the margin of all runs."""
    margin = game.plain.mean() - game.random_plain.mean()
    lost = game.varied.mean(axis=0) - game.random_varied.mean() - (game.plain - game.random_plain.mean())
    changes: np.ndarray = lost / abs(margin)
    return changes


def resample(game: GameRuns, rng: np.random.Generator, draws: int) -> np.ndarray:
    """The changes of resampled runs, (draws, runs)."""
    runs, episodes = len(game.plain), len(game.random_plain)
    picks = rng.integers(runs, size=(draws, runs))
    played = rng.integers(episodes, size=(draws, episodes))
    plain, varied = game.plain[picks], game.varied.mean(axis=0)[picks]
    floor = game.random_plain[played].mean(axis=1, keepdims=True)
    floor_varied = game.random_varied.mean(axis=0)[played].mean(axis=1, keepdims=True)
    margin = np.abs(plain.mean(axis=1, keepdims=True) - floor)
    changes: np.ndarray = (varied - floor_varied - (plain - floor)) / np.maximum(margin, 1e-12)
    return changes
