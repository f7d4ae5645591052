"""How many units the next exam needs, from the spread of a finished one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.report.compare import effects
from assay.report.findings import COVERAGE
from assay.results import Run
from assay.stats.bootstrap import simultaneous
from assay.stats.power import comparisons_behind, smallest_effect, units_needed


class Needed(NamedTuple):
    axis: str
    level: str
    arm: str
    sees: float | None  # the least effect that as many units as there were would see
    needed: int | None  # units that would see the effect asked for; None where the units all agree


class Plan(NamedTuple):
    unit: str
    had: int
    levels: tuple[Needed, ...]


def needed(run: Run, effect: float, chance: float) -> Plan:
    """For every level of an exam, by how much its units spread."""
    found = effects(run)
    places = [place for place, column in found.effect.items() if np.isfinite(column).all()]
    count = len(found.units)
    if not places:
        return Plan(found.unit, count, ())
    matrix = np.stack([found.effect[place] for place in places], axis=1)
    together = simultaneous(matrix, rng=np.random.default_rng(0), coverage=COVERAGE)
    # Columns that move together count for less than their number: the run's own critical value says how much.
    comparisons = comparisons_behind(together.critical, count, coverage=COVERAGE) if count > 1 else 1.0
    levels = []
    for i, (arm, axis, level) in enumerate(places):
        spread = float(matrix[:, i].std(ddof=1)) if count > 1 else 0.0
        if spread <= 1e-12:
            levels.append(Needed(axis, level, arm, None, None))
            continue
        how = {"comparisons": comparisons, "coverage": COVERAGE, "power": chance}
        levels.append(
            Needed(
                axis, level, arm, smallest_effect(count, spread, **how), units_needed(effect, spread, **how)
            )
        )
    return Plan(found.unit, count, tuple(levels))
