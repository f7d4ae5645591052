"""What no unit showed: how large it may be, and how many units would leave little of it. No scipy here."""

from __future__ import annotations

import math

from assay.stats.aggregate import chance


def unseen(units: int, coverage: float = 0.95) -> float:
    """The largest share of failures of which so many units show none with a chance of 1 - coverage."""
    return 1 - (1 - chance(coverage)) ** (1 / units)


def units_to_hold(margin: float, columns: int, *, step: float = 1.0, coverage: float = 0.95) -> int | None:
    """The least number of units whose unseen deviations move no mean by the margin; None of no margin.

    With fewer no level can be said to hold, however alike the units are (`bootstrap.unseen_floor`).
    """
    if margin <= 0:
        return None
    return max(math.floor(step * math.log(columns / (1 - chance(coverage))) / margin) + 1, 2)
