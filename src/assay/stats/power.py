"""How many units are needed to see a difference, and how small a difference a number of units can show.

Student's t for paired means, the error divided among the comparisons (Bonferroni), and the noncentral t for
the chance of seeing the difference; nothing is simulated. `comparisons_behind` derives an effective number of
comparisons from a finished run's critical value, so that a plan for the next run allows for how columns
depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from assay.errors import AssayError
from assay.stats.aggregate import require_coverage
from assay.stats.resampling import simultaneous
from assay.stats.unseen_share import units_to_hold

FEWEST = 5  # units: the spread of fewer is too uncertain to plan by


class Planned(NamedTuple):
    sees: float | None  # the smallest effect that the same number of units would see
    needed: int | None  # units that would see the effect in question
    bounded: bool = True  # whether the interval of the exam has both ends; else no difference is seen


def plan_columns(
    effects: np.ndarray, effect: float, *, step: float, coverage: float = 0.95, power: float = 0.8
) -> list[Planned]:
    """The power of each column of effects, shape (units, columns), by the spread of its units.

    None where all units agree; from fewer than `FEWEST` units, the number needed is not planned. `step` is
    the most that one unit can lose: the units needed are so many that unseen ones cannot move a mean by the
    effect.
    """
    units, columns = effects.shape
    if units < 2 or not columns:
        return [Planned(None, None)] * columns
    together = simultaneous(effects, rng=np.random.default_rng(0), coverage=coverage)
    # Columns that move together count for less than their number, as the run's critical value shows.
    comparisons = comparisons_behind(together.critical, units, coverage=coverage)
    least = units_to_hold(effect, columns, step=step, coverage=coverage) or 0
    how = {"comparisons": comparisons, "coverage": coverage, "power": power}
    planned = []
    for spread in effects.std(axis=0, ddof=1):
        if spread <= 1e-12:
            planned.append(Planned(None, None))
            continue
        needed = max(units_needed(effect, spread, **how), least) if units >= FEWEST else None
        planned.append(Planned(smallest_effect(units, spread, **how), needed))
    return planned


def chance_to_see(
    effect: float, units: int, spread: float, *, comparisons: float = 1, coverage: float = 0.95
) -> float:
    """Chance that the interval excludes 0 in the right direction; `spread` is the standard deviation."""
    _check(spread, comparisons, coverage)
    if units < 2:
        return 0.0
    shift = abs(effect) / spread * math.sqrt(units)
    return _beyond(_critical(units, comparisons, coverage), units, shift)


def smallest_effect(
    units: int, spread: float, *, comparisons: float = 1, coverage: float = 0.95, power: float = 0.8
) -> float:
    """The smallest effect that `units` units show with chance `power`; infinite for a single unit."""
    _check(spread, comparisons, coverage)
    if units < 2:
        return math.inf
    critical = _critical(units, comparisons, coverage)
    top = 2 * critical + 10
    while _beyond(critical, units, top) < power:
        top *= 2
    shift = optimize.brentq(lambda shift: _beyond(critical, units, shift) - power, 0, top)
    return float(shift * spread / math.sqrt(units))


def units_needed(
    effect: float, spread: float, *, comparisons: float = 1, coverage: float = 0.95, power: float = 0.8
) -> int:
    """The smallest number of units that show `effect` with chance `power`."""
    _check(spread, comparisons, coverage)
    if effect == 0:
        raise AssayError(
            "no number of units can show an effect of 0; give the smallest effect that would matter."
        )

    def sees(units: int) -> bool:
        return chance_to_see(effect, units, spread, comparisons=comparisons, coverage=coverage) >= power

    return _least(sees)


@lru_cache(maxsize=256)  # the levels of an exam share their distance to random play
def units_to_stand_apart(
    value: float, spread: float, units: int, *, comparisons: float = 1, coverage: float = 0.95
) -> int | None:
    """The smallest number of units whose interval around `value` excludes 0; None for too few units."""
    if units < FEWEST or not value > 0:
        return None
    return _least(lambda n: _critical(n, comparisons, coverage) * spread / math.sqrt(n) < value)


def comparisons_behind(critical: float, units: int, *, coverage: float = 0.95) -> float:
    """The number of comparisons whose Bonferroni t is `critical`; lower where columns move together."""
    tail = stats.t.sf(critical, units - 1)
    return max(1.0, float((1 - coverage) / 2 / tail)) if tail > 0 else math.inf


def _least(enough: Callable[[int], bool]) -> int:
    """The smallest number of units, 2 or more, that is enough."""
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
    """Chance that a t with noncentrality `shift` is above `critical`."""
    tail = stats.nct.sf(critical, units - 1, shift) if shift else stats.t.sf(critical, units - 1)
    if np.isfinite(tail):
        return float(tail)
    # scipy has no value far out in the tail of the noncentral t, where the shift alone decides.
    return float(shift > critical)


def _check(spread: float, comparisons: float, coverage: float) -> None:
    if not spread > 0:
        raise AssayError(
            f"the spread of units must be above 0, not {spread}; units that all agree do not show it."
        )
    if not comparisons >= 1:
        raise AssayError(f"the number of comparisons must be at least 1, not {comparisons}.")
    require_coverage(coverage)
