"""How far an interval reaches on each side of a mean of few, perhaps skewed units.

Student's t covers too little where units are skewed: if they have a long tail above, a sample without one of
its rare large values has both a mean and a spread that are too small. Johnson's correction (1978) lengthens
the side of the tail by skewness * (1 + 2 t^2) / (6 sqrt(n)) standard errors. Three things are ours:

- The other side is not shortened: the sample's skewness is too uncertain for that.
- A small sample shows only part of the skewness (at most (n - 2) / sqrt(n - 1), whatever is true), so what it
  shows beyond the noise of normal units is multiplied by 1 + 70 / n, at most by 9. But a column that shows
  nearly all that so many units can show has its rare unit in its spread already, and is lengthened less.
- The columns of one exam are of the same units, so what their median shows counts for each of them: twenty
  columns of ten units tell a skewed family from a normal one, where one column cannot.

Where the correction is more than `MOST` times the interval itself, an expansion in the skewness says nothing
any more, and the interval is refused. All constants were fixed on other draws than those that
benchmarks/coverage_cells.py reports.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

UNSHOWN = 70.0  # the skewness shown is multiplied by 1 + UNSHOWN / units,
MOST_ALONE, MOST_TIMES = 9.0, 5.0  # but at most by these, of one column and of many
# Standard errors of normal units that are taken off what is shown: of one column, of many, of squares.
NOISE_ALONE, NOISE, NOISE_OF_SQUARES = 0.6, 0.8, 1.5
ALONE = 0.15  # weight of a column's own skewness, beside what all columns show together
SHOWN = 3.0  # how soon a column that shows much of it is lengthened less
MOST = 4.0
WIDER = 6.0  # the reach grows by 1 + WIDER / units^2; below ten units, shared out over the columns
FEW_UNITS = 10  # below, the critical value of many columns is Bonferroni's and wide enough


class Reach(NamedTuple):
    """Standard errors below and above each column's mean, and where there are too few units to say."""

    below: np.ndarray
    above: np.ndarray
    refused: np.ndarray


def reach(apart: np.ndarray, critical: float) -> Reach:
    """Of units less their mean, shape (units, columns), none constant; `critical` is that of normal units."""
    units, columns = apart.shape
    if units < 3 or columns == 0:
        plain = np.full(columns, critical)
        return Reach(plain, plain.copy(), np.zeros(columns, bool))
    skew = (apart**3).mean(axis=0) / (apart**2).mean(axis=0) ** 1.5
    above, below = _skewness_to_allow(skew, units), _skewness_to_allow(-skew, units)
    unit = (1 + 2 * critical**2) / (6 * np.sqrt(units))
    base = critical * (1 + WIDER / units**2 / (columns if units < FEW_UNITS else 1))
    refused = unit * np.maximum(above, below) > MOST * base
    return Reach(base + unit * below, base + unit * above, refused)


def _skewness_to_allow(skew: np.ndarray, units: int) -> np.ndarray:
    """The skewness upwards that each column must reckon with, 0 or more."""
    columns = len(skew)
    noise = np.sqrt(6 * (units - 2) / ((units + 1) * (units + 3)))  # standard deviation for normal units
    # Medians: columns in which one unit alone differs are as skewed as can be, and say little of the others.
    together = np.median(skew) - (NOISE if columns > 1 else NOISE_ALONE) * noise / np.sqrt(columns)
    squares = np.median(skew**2) - noise**2 * (1 + NOISE_OF_SQUARES / np.sqrt(columns))
    # Columns may be skewed both ways; one whose own sign is in doubt reckons with both.
    either = np.where(skew > -noise / 2, np.sqrt(max(squares, 0.0)), 0.0)
    shown = min(1 + UNSHOWN / units, MOST_TIMES if columns > 1 else MOST_ALONE) * np.maximum(together, either)
    longer = np.maximum(np.maximum(shown, ALONE * skew), 0.0)
    # A column that shows all the skewness that so many units can show has its rare unit in its spread.
    reach: np.ndarray = longer * (1 - (np.maximum(skew, 0.0) / most_skewed(units)) ** SHOWN)
    return reach


def most_skewed(units: int) -> float:
    """The skewness of a sample in which one unit differs from all others, which are equal."""
    return float((units - 2) / np.sqrt(units - 1))
