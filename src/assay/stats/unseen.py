"""What no unit showed: how large it may be, and how many units would leave little of it. No scipy here."""

from __future__ import annotations

import math

from assay.stats.aggregate import require_coverage

# Sizes of bets, as the share of the stake that is at risk, from cautious to all (`stats/known.py`). A bet of
# all of it wins fastest where all units agree, and a small one where they spread.
BETS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0)


def largest_unseen_share(units: int, coverage: float = 0.95) -> float:
    """The largest share of failures of which so many units show none with a chance of 1 - coverage."""
    return float(1 - (1 - require_coverage(coverage)) ** (1 / units))


def units_to_hold(
    margin: float, columns: int, *, step: float = 1.0, coverage: float = 0.95, known: bool = False
) -> int | None:
    """The least number of units whose unseen deviations move no mean by the margin; None of no margin.

    With fewer no level can be said to hold, however alike the units are (`bootstrap.unseen_floor`). Of scores
    of a known range it is the betting bound's number: every unit that agrees multiplies the stake of a bet of
    size b by 1 + b * margin, until all bets together have won what the error of one end allows.
    """
    if margin <= 0:
        return None
    if known:
        wanted, units = 2 * columns / (1 - require_coverage(coverage)), 2
        while sum((1 + bet * margin) ** units for bet in BETS) / len(BETS) < wanted:
            units += 1
        return units
    return max(math.floor(step * math.log(columns / (1 - require_coverage(coverage))) / margin) + 1, 2)
