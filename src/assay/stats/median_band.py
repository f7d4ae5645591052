"""The median curve over runs, and the band of it that resampling runs gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.stats.aggregate import require_coverage, require_finite

DRAWS = 50_000  # as the paper of the Game of Hidden Rules has
FEWEST = 6  # runs of which resampling makes a band; the range of five covers the median in 94% of cases


class Band(NamedTuple):
    """By column; percentile ends, each column for itself."""

    median: np.ndarray
    low: np.ndarray
    high: np.ndarray


def median_band(
    curves: np.ndarray, *, rng: np.random.Generator, draws: int = DRAWS, coverage: float = 0.95
) -> Band:
    """Of (runs, columns): runs are drawn with replacement, the same for all columns.

    The median of a resample depends only on how often each rank was drawn, so columns are sorted once and
    resamples are counts of ranks. With fewer than FEWEST runs resampling covers the median far less often
    than it says (51% with two), so that the band is the range of the runs, which covers it in
    1 - 2^(1 - runs).
    """
    curves = require_finite(curves, 2, "curves")
    tail = (1 - require_coverage(coverage)) / 2
    runs, columns = curves.shape
    if runs < FEWEST:
        return Band(np.median(curves, axis=0), curves.min(0), curves.max(0))
    order = np.argsort(curves, axis=0)
    ordered = np.take_along_axis(curves, order, axis=0)
    low, high = np.empty(columns), np.empty(columns)
    counts = rng.multinomial(runs, np.full(runs, 1 / runs), size=draws).astype(np.int16)
    for column in range(columns):
        reached = np.cumsum(counts[:, order[:, column]], axis=1)
        # The two middle ones of the resample; the same one where their number is odd.
        middle = [(reached > place).argmax(1) for place in ((runs - 1) // 2, runs // 2)]
        medians = (ordered[middle[0], column] + ordered[middle[1], column]) / 2
        low[column], high[column] = np.quantile(medians, [tail, 1 - tail])
    return Band(np.median(curves, axis=0), low, high)
