"""How many units are needed to see a difference, and how small a difference so many units see.

Student's t for paired means, the error shared out over the comparisons (Bonferroni), and the noncentral t for
the chance of seeing it: no simulation. `comparisons_behind` puts a finished run's own critical value in place
of the number of its comparisons, so that a plan for the next run knows how its columns hang together.
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
from assay.stats.unseen import units_to_hold

FEWEST = 5  # units whose spread is a guide to others; fewer plan nothing


class Planned(NamedTuple):
    sees: float | None  # the least effect that as many units as there were would see
    needed: int | None  # units that would see the effect asked for


def plan_columns(
    effects: np.ndarray, effect: float, *, step: float, coverage: float = 0.95, power: float = 0.8
) -> list[Planned]:
    """For each column of effects (units, columns), by how much its units spread.

    Nothing is known where the units all agree; of fewer than `FEWEST`, not how many would do. `step` is what
    one unit can lose: so many units are needed that those not seen move no mean by the effect.
    """
    units, columns = effects.shape
    if units < 2 or not columns:
        return [Planned(None, None)] * columns
    together = simultaneous(effects, rng=np.random.default_rng(0), coverage=coverage)
    # Columns that move together count for less than their number: the run's own critical value says how much.
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
    return float(shift * spread / math.sqrt(units))


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


@lru_cache(maxsize=256)  # the levels of an exam share their distance to random play
def units_to_stand_apart(
    value: float, spread: float, units: int, *, comparisons: float = 1, coverage: float = 0.95
) -> int | None:
    """The least number of units whose interval of a mean like `value` leaves 0 out; None of few units."""
    if units < FEWEST or not value > 0:
        return None
    return _least(lambda n: _critical(n, comparisons, coverage) * spread / math.sqrt(n) < value)


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
    require_coverage(coverage)
