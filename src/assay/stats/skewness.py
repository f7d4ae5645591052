"""How far an interval reaches on each side of a mean of few, perhaps skewed units.

Student's t covers too little where units are skewed: if they have a long tail above, a sample without one of
its rare large values has both a mean and a spread that are too small. Johnson's correction (1978) lengthens
the side of the tail by skewness * (1 + 2 t^2) / (6 sqrt(n)) standard errors. Three things are ours:

- The other side is not shortened: the sample's skewness is too uncertain for that.
- A small sample shows only part of the skewness (at most (n - 2) / sqrt(n - 1), whatever the true one is), so
  what it shows beyond the noise of normal units is multiplied by 1 + 70 / n, at most by 9. But a column that
  shows nearly the most skewness that n units can show has its rare unit in its spread already, and is
  lengthened less.
- The columns of one exam have the same units, so their median skewness counts for each of them: twenty
  columns of ten units reveal that scores are skewed, where one column cannot.

Where the correction is more than `MOST` times the interval itself, an expansion in the skewness is no longer
valid, and the interval is refused. All constants were fixed on other draws than those that
benchmarks/coverage_cells.py reports.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

UNSHOWN = 70.0  # the skewness shown is multiplied by 1 + UNSHOWN / units,
MOST_ALONE, MOST_TIMES = 9.0, 5.0  # but at most by these, for one column and for many
# Standard errors of normal units that are subtracted: for one column, for many, and for squares.
NOISE_ALONE, NOISE, NOISE_OF_SQUARES = 0.6, 0.8, 1.5
ALONE = 0.15  # weight of a column's own skewness, beside that of all columns together
SHOWN = 3.0  # the power by which a column that shows much skewness is lengthened less
MOST = 4.0
WIDER = 6.0  # the reach grows by 1 + WIDER / units^2; below ten units, shared out over the columns
FEW_UNITS = 10  # below, the critical value of many columns is Bonferroni's, which is wide enough


class Reach(NamedTuple):
    """Standard errors below and above each column's mean, and the columns with too few units for any."""

    below: np.ndarray
    above: np.ndarray
    refused: np.ndarray


def reach(deviations: np.ndarray, critical: float) -> Reach:
    """The reach of columns of deviations from the mean, (units, columns), none constant.

    `critical` is the critical value for normal units.
    """
    units, columns = deviations.shape
    if units < 3 or columns == 0:
        plain = np.full(columns, critical)
        return Reach(plain, plain.copy(), np.zeros(columns, bool))
    skew = (deviations**3).mean(axis=0) / (deviations**2).mean(axis=0) ** 1.5
    above, below = _skewness_to_allow(skew, units), _skewness_to_allow(-skew, units)
    unit = (1 + 2 * critical**2) / (6 * np.sqrt(units))
    base = critical * (1 + WIDER / units**2 / (columns if units < FEW_UNITS else 1))
    refused = unit * np.maximum(above, below) > MOST * base
    return Reach(base + unit * below, base + unit * above, refused)


def _skewness_to_allow(skew: np.ndarray, units: int) -> np.ndarray:
    """The upward skewness that each column must allow for, 0 or more."""
    columns = len(skew)
    noise = np.sqrt(6 * (units - 2) / ((units + 1) * (units + 3)))  # standard deviation for normal units
    # Medians, because a column in which only one unit differs has the largest skewness possible.
    together = np.median(skew) - (NOISE if columns > 1 else NOISE_ALONE) * noise / np.sqrt(columns)
    squares = np.median(skew**2) - noise**2 * (1 + NOISE_OF_SQUARES / np.sqrt(columns))
    # Columns may be skewed in either direction; one whose own sign is in doubt allows for both.
    either = np.where(skew > -noise / 2, np.sqrt(max(squares, 0.0)), 0.0)
    shown = min(1 + UNSHOWN / units, MOST_TIMES if columns > 1 else MOST_ALONE) * np.maximum(together, either)
    longer = np.maximum(np.maximum(shown, ALONE * skew), 0.0)
    # A column with the largest skewness that so many units can show has its rare unit in its spread.
    reach: np.ndarray = longer * (1 - (np.maximum(skew, 0.0) / most_skewed(units)) ** SHOWN)
    return reach


def most_skewed(units: int) -> float:
    """The skewness of a sample in which one unit differs from all others, which are equal."""
    return float((units - 2) / np.sqrt(units - 1))
