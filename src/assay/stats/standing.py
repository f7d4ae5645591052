"""Where an agent stands among others: its IQM over games on two sides, and its rank on each.

The two sides are the original games and their variations. Scores are normalised, so that games compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.stats.aggregate import Interval, iqm, require_coverage
from assay.stats.resampling import expanded_tail
from assay.stats.unseen_share import allow_for_unseen, largest_unseen_share

DRAWS = 2000


class Standing(NamedTuple):
    """An agent's IQM on both sides, and resampled pairs of them."""

    plain: Interval
    varied: Interval
    draws: np.ndarray  # (draws, 2); none where a single run has no spread


def standing_of_runs(
    plain: np.ndarray, varied: np.ndarray, *, rng: np.random.Generator, coverage: float = 0.95
) -> Standing:
    """The standing of an agent by its runs, (runs, games) each, of which row i is the same seed.

    Runs are resampled inside each game, the same ones on both sides. Rare runs that play as random play does
    may have gone unseen, which lengthens both intervals; ranks are of what was resampled.
    """
    runs, games = plain.shape
    values = [float(iqm(side)) for side in (plain, varied)]
    if runs == 1:
        plain_side, varied_side = (Interval(value, -np.inf, np.inf) for value in values)
        return Standing(plain_side, varied_side, np.zeros((0, 2)))
    picks = rng.integers(runs, size=(DRAWS, runs, games)), np.arange(games)
    draws = np.stack([iqm(side[picks], axis=(1, 2)) for side in (plain, varied)], axis=1)
    tail = expanded_tail(require_coverage(coverage), runs, games * (runs - 1))
    found, unseen = make_standing(values, draws, tail), largest_unseen_share(plain.size, coverage)
    plain_side, varied_side = (
        allow_for_unseen(told, unseen * float(iqm(np.abs(side))))
        for told, side in ((found.plain, plain), (found.varied, varied))
    )
    return Standing(plain_side, varied_side, draws)


class ToldSide(NamedTuple):
    """Published scores of one agent, game by game, with their standard errors."""

    means: np.ndarray  # (games,)
    errors: np.ndarray  # (games,)


def standing_of_told(
    plain: ToldSide, varied: ToldSide, *, rng: np.random.Generator, coverage: float = 0.95
) -> Standing:
    """The standing of an agent of which one score per game is published, by normal errors."""
    values = [float(iqm(side.means)) for side in (plain, varied)]
    draws = np.stack(
        [
            iqm(rng.normal(side.means, side.errors, (DRAWS, len(side.means))), axis=1)
            for side in (plain, varied)
        ],
        axis=1,
    )
    return make_standing(values, draws, (1 - coverage) / 2)


def make_standing(values: Sequence[float], draws: np.ndarray, tail: float) -> Standing:
    ends = np.quantile(draws, [tail, 1 - tail], axis=0)
    plain, varied = (around(value, low, high) for value, low, high in zip(values, *ends))
    return Standing(plain, varied, draws)


def around(value: float, low: float, high: float) -> Interval:
    """An interval that holds its value, whatever was resampled."""
    return Interval(float(value), float(min(low, value)), float(max(high, value)))


def ranks(standings: Sequence[Standing], coverage: float = 0.95) -> list[tuple[Interval, Interval]]:
    """The rank of every agent on both sides, 1 being the best, with the range of its resampled ranks.

    An agent without draws is ranked by its values; its range is unknown, and so it has no ends.
    """
    values = np.array([[each.plain.value, each.varied.value] for each in standings])  # (agents, 2)
    drawn = np.stack([
        each.draws if len(each.draws) else np.broadcast_to(own, (DRAWS, 2))
        for each, own in zip(standings, values)
    ])  # (agents, draws, 2)  # fmt: skip
    result = []
    for number, each in enumerate(standings):
        place = 1 + (values > values[number]).sum(axis=0)
        places = 1 + (drawn > drawn[number]).sum(axis=0)  # (draws, 2)
        low, high = np.quantile(places, [(1 - coverage) / 2, (1 + coverage) / 2], axis=0)
        if not len(each.draws):
            low, high = np.full(2, -np.inf), np.full(2, np.inf)
        plain, varied = (around(place[side], low[side], high[side]) for side in (0, 1))
        result.append((plain, varied))
    return result
