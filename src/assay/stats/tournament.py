"""Who is easier, or better, where each was compared with some of the others: two rankings of one table.

Rows are ranked (rules by ease, or players by skill), columns are where they meet (players, or rules). Two
rows are compared over the columns in which both have runs, so rows need not share all of them. The ease ratio
of two rows is (z_ij + 1) / (z_ji + 1), where z_ij counts the pairs of runs in which i made fewer errors, ties
counting half.

`perron` ranks by the Perron vector of the ratios, as the Game of Hidden Rules does; where two rows never met,
the entry is filled as Harker (1987) does. `tournament` fits ratings to the logarithms of the ratios by least
squares (Jiang et al. 2011, the gradient part of the Hodge decomposition); what no rating explains is cyclic.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.stats.aggregate import require_finite
from assay.stats.wins import count_wins

SETTLED = 1e-12  # squared change of the Perron vector at which its iteration ends
MOST_TURNS = 100_000

Runs = Mapping[tuple[Hashable, Hashable], np.ndarray]  # (row, column) -> errors of each run


class Met(NamedTuple):
    """Rows compared: pairs of runs in which i made fewer errors, and where the two met at all."""

    wins: np.ndarray  # (rows, rows)
    met: np.ndarray  # (rows, rows) bool, the diagonal False

    @property
    def ratios(self) -> np.ndarray:
        """Ease ratios, NaN where two rows never met, 1 on the diagonal."""
        ratios: np.ndarray = np.where(self.met, (self.wins + 1) / (self.wins.T + 1), np.nan)
        np.fill_diagonal(ratios, 1.0)
        return ratios


class Ratings(NamedTuple):
    """Of `tournament`: larger is easier, or better; they sum to 0."""

    ratings: np.ndarray
    intransitivity: float  # the share of the comparisons' size that no rating explains, from 0 to 1


def meet(runs: Runs, rows: Sequence[Hashable]) -> Met:
    """Compares every two rows over the columns that both have."""
    samples = {key: require_finite(errors, 1, f"runs of {key}") for key, errors in runs.items()}
    columns = list(dict.fromkeys(column for _, column in samples))
    wins, met = np.zeros((len(rows), len(rows))), np.zeros((len(rows), len(rows)), bool)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            for column in columns if i != j else ():
                if (one, column) in samples and (other, column) in samples:
                    wins[i, j] += count_wins(samples[other, column], samples[one, column])
                    met[i, j] = True
    require_connected(met, rows)
    return Met(wins, met)


def require_connected(met: np.ndarray, rows: Sequence[Hashable]) -> None:
    """Refuses rows that no chain of comparisons joins: nothing ranks one part against the other."""
    if not rows:
        raise AssayError("a ranking needs at least one row.")
    reached, fresh = {0}, [0]
    while fresh:
        fresh = [int(j) for i in fresh for j in np.flatnonzero(met[i]) if j not in reached]
        reached.update(fresh)
    if len(reached) < len(rows):
        apart = ", ".join(str(rows[i]) for i in range(len(rows)) if i not in reached)
        raise AssayError(f"no comparison joins {rows[0]} with {apart}; rank them apart, or add runs of both.")


def perron(met: Met) -> np.ndarray:
    """The Perron vector of the ease ratios, of length 1: the larger, the easier."""
    ratios = met.ratios
    missing = np.isnan(ratios)
    matrix = np.where(missing, 0.0, ratios) + np.diag(missing.sum(1).astype(float))
    vector = np.full(len(matrix), len(matrix) ** -0.5)
    for _ in range(MOST_TURNS):
        after: np.ndarray = matrix @ vector
        after /= np.linalg.norm(after)
        if ((after - vector) ** 2).sum() < SETTLED:
            return after
        vector = after
    raise AssayError("the ranking by ease ratios did not settle; use the tournament's ratings.")


def tournament(met: Met) -> Ratings:
    """Ratings whose differences come nearest to the logarithms of the ease ratios."""
    flow = np.log(np.where(met.met, met.ratios, 1.0))
    laplacian = np.diag(met.met.sum(1).astype(float)) - met.met
    ratings = np.linalg.pinv(laplacian) @ flow.sum(1)
    residue = np.where(met.met, flow - (ratings[:, None] - ratings[None]), 0.0)
    size = np.linalg.norm(flow)
    return Ratings(ratings, float(np.linalg.norm(residue) / size) if size else 0.0)
