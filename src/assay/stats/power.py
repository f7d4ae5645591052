"""How many units are needed to see a difference, and how small a difference so many units see.

Student's t for paired means, the error shared out over the comparisons (Bonferroni), and the noncentral t for
the chance of seeing it: no simulation. `comparisons_behind` puts a finished run's own critical value in place
of the number of its comparisons, so that a plan for the next run knows how its columns hang together.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, stats

from assay.errors import AssayError
from assay.stats.aggregate import chance


def chance_to_see(
    effect: float, units: int, spread: float, *, comparisons: float = 1, coverage: float = 0.95
) -> float:
    """Chance that the interval excludes 0 on the right side; `spread` is the units' standard deviation."""
    _check(spread, comparisons, coverage)
    if units < 2:
        return 0.0
    shift = abs(effect) / spread * math.sqrt(units)
    return _beyond(_critical(units, comparisons, coverage), units, shift)


def smallest_effect(
    units: int, spread: float, *, comparisons: float = 1, coverage: float = 0.95, power: float = 0.8
) -> float:
    """The least effect that `units` units see with chance `power`; infinite for a single unit."""
    _check(spread, comparisons, coverage)
    if units < 2:
        return math.inf
    critical = _critical(units, comparisons, coverage)
    top = 2 * critical + 10
    while _beyond(critical, units, top) < power:
        top *= 2
    shift = optimize.brentq(lambda shift: _beyond(critical, units, shift) - power, 0, top)
    return shift * spread / math.sqrt(units)


def units_needed(
    effect: float, spread: float, *, comparisons: float = 1, coverage: float = 0.95, power: float = 0.8
) -> int:
    """The least number of units that see `effect` with chance `power`."""
    _check(spread, comparisons, coverage)
    if effect == 0:
        raise AssayError("no number of units sees an effect of 0; name the smallest one that would matter.")

    def sees(units: int) -> bool:
        return chance_to_see(effect, units, spread, comparisons=comparisons, coverage=coverage) >= power

    return _least(sees)


def units_to_narrow(
    half_width: float, units: int, to: float, *, comparisons: float = 1, coverage: float = 0.95
) -> int:
    """The least number of units whose interval is no wider than +-`to`, where `units` gave +-`half_width`.

    What a verdict of "cannot tell" asks for: its `smallest_visible` is such a half width.
    """
    if not (to > 0 and math.isfinite(half_width) and units > 1):
        raise AssayError(f"from +-{half_width} of {units} units no plan leads to +-{to}.")
    spread = half_width * math.sqrt(units) / _critical(units, comparisons, coverage)
    return _least(lambda n: _critical(n, comparisons, coverage) * spread / math.sqrt(n) <= to)


def comparisons_behind(critical: float, units: int, *, coverage: float = 0.95) -> float:
    """The number of comparisons whose Bonferroni t is `critical`: columns that move together count less."""
    tail = stats.t.sf(critical, units - 1)
    return max(1.0, float((1 - coverage) / 2 / tail)) if tail > 0 else math.inf


def _least(enough: Callable[[int], bool]) -> int:
    """The least number of units, 2 or more, that is enough."""
    many = 2
    while not enough(many):
        many *= 2
    few = max(many // 2, 1)
    while many - few > 1:
        half = (few + many) // 2
        few, many = (few, half) if enough(half) else (half, many)
    return many


def _critical(units: int, comparisons: float, coverage: float) -> float:
    return float(stats.t.isf((1 - coverage) / 2 / comparisons, units - 1))


def _beyond(critical: float, units: int, shift: float) -> float:
    """Chance that t with that noncentrality is above `critical`."""
    seen = stats.nct.sf(critical, units - 1, shift) if shift else stats.t.sf(critical, units - 1)
    if np.isfinite(seen):
        return float(seen)
    # The noncentral t gives up far out in its tail, where the shift decides alone.
    return float(shift > critical)


def _check(spread: float, comparisons: float, coverage: float) -> None:
    if not spread > 0:
        raise AssayError(
            f"a spread of units is above 0, not {spread}; units that all agree tell nothing of it."
        )
    if not comparisons >= 1:
        raise AssayError(f"there is at least one comparison, not {comparisons}.")
    chance(coverage)
