"""Two exams of one task beside each other: where their effects differ, and whether that is real."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analysis.findings import COVERAGE, distance, step_of, unit_effects
from assay.analysis.scores import Scores, read_scores, whole_units
from assay.errors import AssayError
from assay.plans.plan import ExamPlan, is_planned, plan_of
from assay.plans.question import PLAIN_PLACE, Where
from assay.results import Run
from assay.stats.aggregate import Interval
from assay.stats.compare import probability_of_improvement
from assay.stats.resampling import Simultaneous, simultaneous


@dataclass(frozen=True)
class Effects:
    """What one exam says, unit by unit."""

    agent: str
    unit: str
    units: list[int]
    seeds: list[int]  # of the run: an episode's number means the same one only under the same seed
    step: float  # what one unit can lose
    plain: np.ndarray  # (units,) scores on the plain task
    effect: dict[Where, np.ndarray]  # (units,) each: to first order, the error of random play in it
    because: str = ""  # why there are no effects, where plain play is not above random play


@dataclass(frozen=True)
class Difference:
    """One level of one axis in both runs; a difference above 0 says that the first lost less there."""

    arm: str
    axis: str
    level: str
    first: float
    second: float
    difference: Interval
    real: bool  # the interval, which holds together with all the others, leaves 0 out


@dataclass(frozen=True)
class Comparison:
    first: str
    second: str
    task: str
    paired: bool  # unit with unit: the same seeds, or the same episodes
    unit: str  # "seed" or "episode" of both runs, "unit" where they differ in that
    plain: tuple[float, float]  # mean scores on the plain task
    better: Interval  # chance that a unit of the first run beats one of the second there
    differences: tuple[Difference, ...]
    left_out: tuple[str, ...]  # axes or levels that only one run has
    same: bool = False  # both are one run, or one is a copy of the other


def require_exam(run: Run) -> ExamPlan:
    """The plan of an exam; of any other run there are no effects."""
    plan = plan_of(run) if is_planned(run.plan) else None
    if not isinstance(plan, ExamPlan):
        made = f"a run of `assay {plan.kind}`" if plan else "a run that no command planned"
        raise AssayError(f"{run.folder} is {made}, not an exam, so it has no effects.")
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
            f"{first.folder} is on {tasks[0]} and {second.folder} on {tasks[1]}; compare one task."
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
    """At every level that both have; nothing where they have none in common."""
    both = [
        place
        for place, column in ours.effect.items()
        if place in theirs.effect and np.isfinite(column).all() and np.isfinite(theirs.effect[place]).all()
    ]
    if not both:
        return []
    a, b = (np.stack([side.effect[place] for place in both], axis=1) for side in (ours, theirs))
    low, high = ends(a, b, are_pairs(ours, theirs), max(ours.step, theirs.step))
    differences = []
    for i, place in enumerate(both):
        first, second = float(a[:, i].mean()), float(b[:, i].mean())
        interval = Interval(first - second, float(low[i]), float(high[i]))
        real = interval.low > 0 or interval.high < 0
        differences.append(Difference(*place, first, second, interval, real))
    return differences


def are_pairs(ours: Effects, theirs: Effects) -> bool:
    """Whether unit by unit both runs met the same: the same seeds, or the same episodes of the same seeds.

    The same seed plays the same episodes in the same world, whoever the agent is. Episode 3 of another seed
    is another episode.
    """
    same = ours.unit == theirs.unit and ours.units == theirs.units
    return same and (ours.unit == "seed" or ours.seeds == theirs.seeds)


def ends(a: np.ndarray, b: np.ndarray, paired: bool, step: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the intervals of all differences of means, holding together; (units, levels) each."""

    def together(units: np.ndarray) -> Simultaneous:
        return simultaneous(units, rng=np.random.default_rng(0), coverage=COVERAGE, step=step)

    if paired:
        paired_ends = together(a - b)
        return paired_ends.low, paired_ends.high
    # Other units: each side's own interval, and the squares of their reaches added (the method of variance
    # estimates recovery), which keeps them as lopsided as the units are.
    one, other = together(a), together(b)
    middle = one.value - other.value
    below = np.hypot(one.value - one.low, other.high - other.value)
    above = np.hypot(one.high - one.value, other.value - other.low)
    return middle - below, middle + above
