"""Whether any of several rules differ at all, from the ratings of a tournament.

Were all rules alike, the runs of a player could have been made on any of them. So runs are dealt to the rules
at random, player by player, and the ratings are fitted again. The chance is the share of deals in which the
first and the last by rating lie as far apart as they do in truth. This pays for having looked for the two
ends among all rules, which the test of these two alone does not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.stats.tournament import Met, Runs, meet, tournament
from assay.stats.wins import wins_between

LEVEL = 0.05
DEALS = 999
LEAST_DEALS = 19  # with fewer, no chance is as small as LEVEL


class Alike(NamedTuple):
    """What is expected of the ratings' range if all rows were alike."""

    chance: float  # of ratings that lie as far apart
    reach: float  # the distance of the first and last rating that one deal in twenty exceeds


def judge_alike(
    runs: Runs, rows: Sequence[Hashable], *, rng: np.random.Generator, deals: int = DEALS
) -> Alike:
    """The chance that ratings of alike rows lie as far apart as these; rows are joined by comparisons."""
    if deals < LEAST_DEALS:
        raise AssayError(f"{deals} deals cannot tell rules from chance; take at least {LEAST_DEALS}.")
    met = meet(runs, rows).met
    columns = [pool(runs, rows, column) for column in dict.fromkeys(column for _, column in runs)]

    def extent(dealt: list[np.ndarray]) -> float:
        parts = [wins_between(-each.values, owners, len(rows)) for each, owners in zip(columns, dealt)]
        ratings = tournament(Met(np.sum(parts, axis=0), met)).ratings
        return float(np.ptp(ratings))

    found = extent([each.owners for each in columns])
    ranges = np.array([extent([rng.permutation(each.owners) for each in columns]) for _ in range(deals)])
    # Ranges are sums of logarithms in another order; equal ones must not count as smaller.
    as_far = int((ranges >= found - 1e-9).sum())
    return Alike((1 + as_far) / (1 + deals), float(np.quantile(ranges, 1 - LEVEL, method="higher")))


class Pool(NamedTuple):
    """The errors of all runs of one column, and the row of each."""

    values: np.ndarray
    owners: np.ndarray


def pool(runs: Runs, rows: Sequence[Hashable], column: Hashable) -> Pool:
    there = [(place, np.asarray(runs[row, column], float)) for place, row in enumerate(rows)
             if (row, column) in runs]  # fmt: skip
    return Pool(
        np.concatenate([values for _, values in there]),
        np.concatenate([np.full(len(values), place) for place, values in there]),
    )
