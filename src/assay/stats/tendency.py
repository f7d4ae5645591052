"""Tendencies over the levels of a dimension, such as "it falls" or "the best level lies inside", as tests.

Each is one question with three answers. "holds" is said of a world where it does not hold in at most a share
`error` of experiments, and so is "contradicted" of a world where it does; otherwise it cannot be told. Levels
are (seeds,) each, of the same seeds in the same order: differences are taken seed by seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import AssayError
from assay.stats.aggregate import Interval, require_finite
from assay.stats.intervals import student

HOLDS, CONTRADICTED, CANNOT_TELL = "holds", "contradicted", "cannot tell"
LEAST_SEEDS = 4  # the halves of fewer cannot be compared
LEAST_ALIKE = 20  # seeds whose differences are all the same, from which something is concluded
ERROR = 0.05


@dataclass(frozen=True)
class Tendency:
    """An answer, and the differences it rests on: mean and interval, one for each comparison."""

    word: str
    differences: tuple[Interval, ...]
    error: float = ERROR  # the share of false answers


def falls(levels: Sequence[np.ndarray], error: float = ERROR) -> Tendency:
    """Whether the last level is below the first; what lies between is not asked."""
    table = table_of(levels, 2)
    change = difference(table[-1], table[0], error)
    word = HOLDS if change.high < 0 else CONTRADICTED if change.low > 0 else CANNOT_TELL
    return Tendency(word, (change,), error)


def peaks_inside(levels: Sequence[np.ndarray], error: float = ERROR) -> Tendency:
    """Whether some level is better than both ends.

    The level is chosen by one half of the seeds and compared on the other, so that the choice does not favour
    it. The contrary is that one end is better than every level inside.
    """
    table = table_of(levels, 3)
    chosen = 1 + int(np.argmax(table[1:-1, 0::2].mean(1)))
    judged = table[:, 1::2]
    gains = tuple(difference(judged[chosen], judged[end], error) for end in (0, -1))
    if all(gain.low > 0 for gain in gains):
        return Tendency(HOLDS, gains, error)
    for end in (0, -1):  # either may be the one: half of the error each
        if all(difference(table[end], inside, error / 2).low > 0 for inside in table[1:-1]):
            return Tendency(CONTRADICTED, gains, error)
    return Tendency(CANNOT_TELL, gains, error)


def is_lowest(levels: Sequence[np.ndarray], which: int, error: float = ERROR) -> Tendency:
    """Whether the level at this position is below each of the others."""
    table = table_of(levels, 2)
    others = [number for number in range(len(table)) if number != which]
    gaps = tuple(difference(table[which], table[other], error) for other in others)
    if all(gap.high < 0 for gap in gaps):
        return Tendency(HOLDS, gaps, error)
    rival = min(others, key=lambda number: float(table[number, 0::2].mean()))
    above = difference(table[which, 1::2], table[rival, 1::2], error)
    return Tendency(CONTRADICTED if above.low > 0 else CANNOT_TELL, gaps, error)


def stays(levels: Sequence[np.ndarray], margin: float, error: float = ERROR) -> Tendency:
    """Whether every level is less than `margin` away from the first."""
    if not margin > 0:
        raise AssayError(f"a margin is a positive difference of scores, not {margin!r}.")
    table = table_of(levels, 2)
    changes = tuple(difference(level, table[0], error) for level in table[1:])
    if all(-margin < change.low and change.high < margin for change in changes):
        return Tendency(HOLDS, changes, error)
    sure = [difference(level, table[0], error / len(changes)) for level in table[1:]]
    far = any(change.low > margin or change.high < -margin for change in sure)
    return Tendency(CONTRADICTED if far else CANNOT_TELL, changes, error)


def table_of(levels: Sequence[np.ndarray], least: int) -> np.ndarray:
    """(levels, seeds)."""
    rows = [require_finite(level, 1, "the values of a level") for level in levels]
    counts = {len(row) for row in rows}
    if len(rows) < least or len(counts) != 1 or min(counts) < LEAST_SEEDS:
        raise AssayError(
            f"a tendency needs at least {least} levels with the same seeds, at least {LEAST_SEEDS} of them: "
            f"{[len(row) for row in rows]} values."
        )
    return np.array(rows, float)


def difference(one: np.ndarray, other: np.ndarray, error: float) -> Interval:
    """The mean of one - other; each end of the interval is beyond the truth in a share `error` of cases."""
    change = one - other
    if np.ptp(change) == 0 and len(change) < LEAST_ALIKE:
        return Interval(float(change[0]), -np.inf, np.inf)
    return student(change, rng=np.random.default_rng(0), coverage=1 - 2 * error)
