"""How many units the next exam needs, by the spread of units in a finished one."""

from __future__ import annotations

from typing import NamedTuple

from assay.analysis.compare import require_exam
from assay.analysis.findings import generator, judge_axes
from assay.analysis.planned_units import plan_levels
from assay.analysis.scores import read_scores, whole_units
from assay.results import Run


class Needed(NamedTuple):
    axis: str
    level: str
    arm: str
    sees: float | None  # the smallest effect that the same number of units would see
    needed: int | None  # units that would see the effect in question; None where not known
    bounded: bool  # whether the interval of the exam has both ends; else no difference is seen


class UnitsNeeded(NamedTuple):
    """How many units an exam had, and how many each of its levels needs."""

    unit: str
    had: int
    levels: tuple[Needed, ...]


def count_units_needed(run: Run, effect: float, chance: float) -> UnitsNeeded:
    """The units that each level of an exam needs to see an effect with a given chance."""
    plan = require_exam(run)
    scores = read_scores(run)
    units, questions = whole_units(scores, plan.questions)
    findings = judge_axes(scores, questions, units, plan, generator(plan, units))
    planned = plan_levels(findings, scores, questions, units, plan, effect, chance)
    levels = [Needed(axis, level, arm, *each) for (arm, axis, level), each in planned.items()]
    return UnitsNeeded(scores.unit, len(units), tuple(levels))
