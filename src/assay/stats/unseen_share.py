"""Bounds on what no unit showed, and the number of units that make it small. No scipy here."""

from __future__ import annotations

import math

from assay.stats.aggregate import require_coverage

# Sizes of bets, as the share of the stake that is at risk (`bounded_mean.py`). A bet of the whole stake wins
# fastest where all units agree, a small one where they spread.
BETS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0)


def largest_unseen_share(units: int, coverage: float = 0.95) -> float:
    """The largest share of failures that still leaves a chance of 1 - coverage that no unit fails."""
    return float(1 - (1 - require_coverage(coverage)) ** (1 / units))


def units_to_hold(
    margin: float, columns: int, *, step: float = 1.0, coverage: float = 0.95, known: bool = False
) -> int | None:
    """The smallest number of units whose unseen deviations cannot move a mean by the margin.

    With fewer units no level can hold, however alike they are (`resampling.unseen_floor`); None for a margin
    of 0. For scores of a known range it is the betting bound's number: every unit that agrees multiplies the
    stake of a bet of size b by 1 + b * margin, until all bets together have won what the error of one end
    requires.
    """
    if margin <= 0:
        return None
    if known:
        wanted, units = 2 * columns / (1 - require_coverage(coverage)), 2
        while sum((1 + bet * margin) ** units for bet in BETS) / len(BETS) < wanted:
            units += 1
        return units
    return max(math.floor(step * math.log(columns / (1 - require_coverage(coverage))) / margin) + 1, 2)
