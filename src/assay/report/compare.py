"""Two exams of one task beside each other: where their effects differ, and whether that is real."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from assay.errors import AssayError
from assay.report.findings import COVERAGE, effects_of
from assay.report.scores import questions_of, read_scores, whole_units
from assay.results import Run
from assay.results.asked import PLAIN_PLACE, Where
from assay.stats.aggregate import Interval
from assay.stats.bootstrap import simultaneous
from assay.stats.compare import probability_of_improvement


@dataclass(frozen=True)
class Effects:
    """What one exam says, unit by unit."""

    agent: str
    unit: str
    units: list[int]
    plain: np.ndarray  # (units,) scores on the plain task
    effect: dict[Where, np.ndarray]  # (units,) each


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
    paired: bool  # seed with seed
    plain: tuple[float, float]  # mean scores on the plain task
    better: Interval  # chance that a unit of the first run beats one of the second there
    differences: tuple[Difference, ...]
    left_out: tuple[str, ...]  # axes or levels that only one run has


def require_exam(run: Run) -> None:
    plan = run.plan["plan"]
    if "questions" not in plan:
        made = f"a run of `assay {plan['kind']}`" if "kind" in plan else "a run that no command planned"
        raise AssayError(f"{run.folder} is {made}, not an exam, so it has no effects.")


def effects(run: Run) -> Effects:
    require_exam(run)
    plan = run.plan["plan"]
    scores = read_scores(run)
    units, questions = whole_units(scores, questions_of(plan))
    random = np.array(list(scores.random[PLAIN_PLACE].values()) or [np.nan])
    matrix = effects_of(scores, questions, units, random)
    places = [place for question in questions for place in question.places]
    columns = {place: matrix[:, i] for i, place in enumerate(places)}
    return Effects(plan["agent"], scores.unit, units, scores.column(PLAIN_PLACE, units), columns)


def compare(first: Run, second: Run) -> Comparison:
    """Differences of effects, first - second, at every level that both runs tried."""
    for run in (first, second):
        require_exam(run)
    tasks = [run.plan["plan"]["task"] for run in (first, second)]
    if tasks[0] != tasks[1]:
        raise AssayError(
            f"{first.folder} is on {tasks[0]} and {second.folder} on {tasks[1]}; compare one task."
        )
    ours, theirs = effects(first), effects(second)
    both = [
        place
        for place, column in ours.effect.items()
        if place in theirs.effect and np.isfinite(column).all() and np.isfinite(theirs.effect[place]).all()
    ]
    if not both:
        raise AssayError(
            f"{first.folder} and {second.folder} have no level in common; there is nothing to compare."
        )
    # Seeds pair: the same seed plays the same episodes in the same world, whoever the agent is.
    paired = ours.unit == theirs.unit and ours.units == theirs.units
    a, b = (np.stack([side.effect[place] for place in both], axis=1) for side in (ours, theirs))
    low, high = ends(a, b, paired)
    differences = []
    for i, (arm, axis, level) in enumerate(both):
        interval = Interval(float(a[:, i].mean() - b[:, i].mean()), float(low[i]), float(high[i]))
        real = interval.low > 0 or interval.high < 0
        differences.append(
            Difference(arm, axis, level, float(a[:, i].mean()), float(b[:, i].mean()), interval, real)
        )
    alone = sorted({f"{axis}={level}" for _, axis, level in ours.effect.keys() ^ theirs.effect.keys()})
    better = probability_of_improvement(
        ours.plain[:, None], theirs.plain[:, None], rng=np.random.default_rng(0), coverage=COVERAGE
    )
    return Comparison(
        f"{ours.agent} ({first.folder.name})", f"{theirs.agent} ({second.folder.name})", tasks[0], paired,
        (float(ours.plain.mean()), float(theirs.plain.mean())), better, tuple(differences), tuple(alone),
    )  # fmt: skip


def ends(a: np.ndarray, b: np.ndarray, paired: bool) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the intervals of all differences of means, holding together; (units, levels) each."""
    if paired:
        found = simultaneous(a - b, rng=np.random.default_rng(0), coverage=COVERAGE)
        return found.low, found.high
    # Other units: Welch's t, the error shared out over the levels.
    parts = [side.var(axis=0, ddof=1) / len(side) if len(side) > 1 else np.full(a.shape[1], np.inf)
             for side in (a, b)]  # fmt: skip
    spread = np.sqrt(parts[0] + parts[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = spread**4 / (parts[0] ** 2 / max(len(a) - 1, 1) + parts[1] ** 2 / max(len(b) - 1, 1))
    reach = stats.t.isf((1 - COVERAGE) / 2 / a.shape[1], np.where(np.isfinite(freedom), freedom, 1.0))
    # Units that all agree say nothing of others; equal effects leave a rounding error, which is no spread.
    agree = spread <= 1e-12 * np.maximum(np.abs(a).max(axis=0), np.abs(b).max(axis=0))
    half = np.where(agree, np.inf, reach * spread)
    middle = a.mean(axis=0) - b.mean(axis=0)
    return middle - half, middle + half
