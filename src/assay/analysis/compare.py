"""Compares two exams of one task: where their effects differ, and whether that is more than chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analysis.most_lost import COVERAGE, distance, step_of
from assay.analysis.planned_units import unit_effects
from assay.analysis.scores import Scores, read_scores, whole_units
from assay.errors import AssayError
from assay.plans.plan import ExamPlan, is_planned, plan_of
from assay.plans.question import PLAIN_PLACE, Place
from assay.results import Run
from assay.stats.aggregate import Interval
from assay.stats.compare import probability_of_improvement
from assay.stats.resampling import Simultaneous, simultaneous


@dataclass(frozen=True)
class Effects:
    """The effects of one exam, unit by unit."""

    agent: str
    unit: str
    units: list[int]
    seeds: list[int]  # of the run: equal episode numbers mean equal episodes only under the same seed
    step: float  # what one unit can lose
    plain: np.ndarray  # (units,) scores on the plain task
    effect: dict[Place, np.ndarray]  # (units,) each: to first order, with the error of random play
    because: str = ""  # why there are no effects, where plain play is not above random play


@dataclass(frozen=True)
class Difference:
    """One level of one axis in both runs; a difference above 0 means that the first lost less."""

    arm: str
    axis: str
    level: str
    first: float
    second: float
    difference: Interval
    real: bool  # the interval, which holds together with all others, excludes 0


@dataclass(frozen=True)
class Comparison:
    first: str
    second: str
    task: str
    paired: bool  # unit with unit: the same seeds, or the same episodes
    unit: str  # "seed" or "episode"; "unit" where the runs differ in that
    plain: tuple[float, float]  # mean scores on the plain task
    better: Interval  # chance that a unit of the first run beats one of the second on the plain task
    differences: tuple[Difference, ...]
    left_out: tuple[str, ...]  # axes or levels that only one run has
    same: bool = False  # both are one run, or one is a copy of the other


def require_exam(run: Run) -> ExamPlan:
    """The plan of an exam; refuses any other run, which has no effects."""
    plan = plan_of(run) if is_planned(run.plan) else None
    if not isinstance(plan, ExamPlan):
        kind = f"a run of `assay {plan.kind}`" if plan else "a run without a plan of assay"
        raise AssayError(f"{run.folder} is {kind}, not an exam, so it has no effects.")
    return plan


def effects(run: Run) -> Effects:
    plan = require_exam(run)
    return effects_of(read_scores(run), plan)


def effects_of(scores: Scores, plan: ExamPlan) -> Effects:
    units, questions = whole_units(scores, plan.questions)
    seeds, plain = list(plan.seeds), scores.column(PLAIN_PLACE, units)
    return Effects(
        plan.agent, scores.unit, units, seeds, step_of(plan, scores, units), plain,
        unit_effects(scores, questions, units), distance(scores, units).because,
    )  # fmt: skip


def compare(first: Run, second: Run) -> Comparison:
    """Differences of effects, first - second, at every level that both runs tried."""
    tasks = [require_exam(run).task for run in (first, second)]
    if tasks[0] != tasks[1]:
        raise AssayError(
            f"{first.folder} is an exam on {tasks[0]} and {second.folder} one on {tasks[1]}; "
            "compare exams of one task."
        )
    ours, theirs = effects(first), effects(second)
    differences = differences_of(ours, theirs)
    for run, side in ((first, ours), (second, theirs)):
        if not differences and side.because:
            raise AssayError(
                f"{run.folder} has no effects to compare: {side.because}, so no loss can be measured."
            )
    if not differences:
        raise AssayError(
            f"{first.folder} and {second.folder} have no level in common; there is nothing to compare."
        )
    alone = sorted({f"{axis}={level}" for _, axis, level in ours.effect.keys() ^ theirs.effect.keys()})
    better = probability_of_improvement(
        ours.plain[:, None], theirs.plain[:, None], rng=np.random.default_rng(0), coverage=COVERAGE
    )
    return Comparison(
        f"{ours.agent} ({first.folder.name})", f"{theirs.agent} ({second.folder.name})", tasks[0],
        are_pairs(ours, theirs),
        ours.unit if ours.unit == theirs.unit else "unit",
        (float(ours.plain.mean()), float(theirs.plain.mean())), better, tuple(differences), tuple(alone),
        first.fingerprint() == second.fingerprint(),
    )  # fmt: skip


def differences_of(ours: Effects, theirs: Effects) -> list[Difference]:
    """The difference at every level that both runs have."""
    both = [
        place
        for place, column in ours.effect.items()
        if place in theirs.effect and np.isfinite(column).all() and np.isfinite(theirs.effect[place]).all()
    ]
    if not both:
        return []
    a, b = (np.stack([side.effect[place] for place in both], axis=1) for side in (ours, theirs))
    low, high = difference_ends(a, b, are_pairs(ours, theirs), max(ours.step, theirs.step))
    differences = []
    for i, place in enumerate(both):
        first, second = float(a[:, i].mean()), float(b[:, i].mean())
        interval = Interval(first - second, float(low[i]), float(high[i]))
        real = interval.low > 0 or interval.high < 0
        differences.append(Difference(*place, first, second, interval, real))
    return differences


def are_pairs(ours: Effects, theirs: Effects) -> bool:
    """Whether the units of both runs pair up: the same seeds, or the same episodes of the same seeds.

    With the same seed, every agent plays the same episodes in the same world. Episode 3 of another seed is
    another episode.
    """
    same = ours.unit == theirs.unit and ours.units == theirs.units
    return same and (ours.unit == "seed" or ours.seeds == theirs.seeds)


def difference_ends(
    a: np.ndarray, b: np.ndarray, paired: bool, step: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of simultaneous intervals of all differences of means; a and b are (units, levels) each."""

    def together(units: np.ndarray) -> Simultaneous:
        return simultaneous(units, rng=np.random.default_rng(0), coverage=COVERAGE, step=step)

    if paired:
        paired_ends = together(a - b)
        return paired_ends.low, paired_ends.high
    # Unpaired units: the squared lengths of both sides' intervals are added (the method of variance
    # estimates recovery), which keeps intervals as lopsided as the units are.
    one, other = together(a), together(b)
    middle = one.value - other.value
    below = np.hypot(one.value - one.low, other.high - other.value)
    above = np.hypot(one.high - one.value, other.value - other.low)
    return middle - below, middle + above
