"""How many units the next exam needs, by the spread of units in a finished one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.analysis.compare import effects
from assay.analysis.most_lost import COVERAGE
from assay.results import Run
from assay.stats.power import plan_columns


class Needed(NamedTuple):
    axis: str
    level: str
    arm: str
    sees: float | None  # the smallest effect that the same number of units would see
    needed: int | None  # units that would see the effect in question; None where not known


class UnitsNeeded(NamedTuple):
    """How many units an exam had, and how many each of its levels needs."""

    unit: str
    had: int
    levels: tuple[Needed, ...]


def count_units_needed(run: Run, effect: float, chance: float) -> UnitsNeeded:
    """The units that each level of an exam needs to see an effect with a given chance."""
    scores = effects(run)
    places = [place for place, column in scores.effect.items() if np.isfinite(column).all()]
    count = len(scores.units)
    if not places:
        return UnitsNeeded(scores.unit, count, ())
    matrix = np.stack([scores.effect[place] for place in places], axis=1)
    planned = plan_columns(matrix, effect, step=scores.step, coverage=COVERAGE, power=chance)
    levels = [Needed(axis, level, arm, *each) for (arm, axis, level), each in zip(places, planned)]
    return UnitsNeeded(scores.unit, count, tuple(levels))
