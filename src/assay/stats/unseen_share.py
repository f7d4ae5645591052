"""Bounds on what no unit showed, and the number of units that make it small. No scipy here."""

from __future__ import annotations

import math

from assay.stats.aggregate import Interval, require_coverage

# Sizes of bets, as the share of the stake that is at risk (`bounded_mean.py`). A bet of the whole stake wins
# fastest where all units agree, a small one where they spread.
BETS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0)

# The most that one unit can lose is known only after playing. A plan leaves room for more than the distance
# from plain to random play, and a further plan for more than was seen, since more episodes show lower ones.
ROOM, ROOM_BEYOND_SEEN = 1.25, 1.1


def largest_unseen_share(units: int, coverage: float = 0.95) -> float:
    """The largest share of failures that still leaves a chance of 1 - coverage that no unit fails."""
    return float(1 - (1 - require_coverage(coverage)) ** (1 / units))


def allow_for_unseen(told: Interval, reach: float) -> Interval:
    """The interval, longer by what units of a kind too rare to be seen could move its value, either way.

    That they went unseen is independent of the spread of the others, so the two add up as errors do.
    """
    value, low, high = told
    return Interval(value, value - math.hypot(value - low, reach), value + math.hypot(high - value, reach))


def units_to_hold(
    margin: float, columns: int, *, step: float = 1.0, coverage: float = 0.95, known: bool = False
) -> int | None:
    """The smallest number of units whose unseen deviations cannot move a mean by the margin.

    With fewer units no level can hold, however alike they are (`resampling.unseen_floor`); None for a margin
    of 0. `step` is the most that one unit can lose, as a multiple of the distance from plain to random play.
    For scores of a known range it is the width of that range, and the number is the betting bound's: every
    unit that agrees multiplies the stake of a bet of size b by 1 + b * margin / step, until all bets together
    have won what the error of one end requires.
    """
    if margin <= 0:
        return None
    if known:
        wanted, units = 2 * columns / (1 - require_coverage(coverage)), 2
        while sum((1 + bet * margin / step) ** units for bet in BETS) / len(BETS) < wanted:
            units += 1
        return units
    return max(math.floor(step * math.log(columns / (1 - require_coverage(coverage))) / margin) + 1, 2)


def units_to_plan(
    margin: float, columns: int, *, step: float = 1.0, coverage: float = 0.95, known: bool = False
) -> int | None:
    """The number of units to advise: `units_to_hold`, with room for a unit that loses more than `step`.

    Plans and reports take their numbers from here, so a report asks for the number that the plan gave,
    unless a unit was seen to lose more than the plan left room for.
    """
    room = max(ROOM, ROOM_BEYOND_SEEN * step)
    return units_to_hold(margin, columns, step=room, coverage=coverage, known=known)
