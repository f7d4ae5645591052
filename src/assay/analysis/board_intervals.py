"""Intervals of what a player reaches on average over boards, from its value on each of some boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.stats.aggregate import Interval
from assay.stats.bounded_mean import Range, known_ends

COVERAGE = 0.95


def interval_over_boards(values: Sequence[float], known: Range) -> Interval | None:
    """The interval of the mean, which holds for any number of boards; None of a single one.

    Nothing is known of how values spread over boards but the range that they lie in, so that few boards give
    a wide interval. A single board says nothing of others.
    """
    if len(values) < 2:
        return None
    column = np.asarray(values, float)[:, None]
    low, high = known_ends(column, known, 1 - COVERAGE)
    return Interval(float(column.mean()), float(low[0]), float(high[0]))
