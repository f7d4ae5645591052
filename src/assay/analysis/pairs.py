"""The findings of a run of pairs: scores on the training task and on the evaluation task, and the gap."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.analysis.pair_limits import limits_of_pair
from assay.plans.pair_jobs import locate_pairs, rollout_name
from assay.plans.plan import PairPlan, PairsPlan, Plan, TaskLimits, TrainPlan, plan_of
from assay.plans.question import PLAIN
from assay.results import Job, Run
from assay.results.record import canonical, digest_of
from assay.stats.aggregate import Interval
from assay.stats.aggregate import iqm as interquartile_mean
from assay.stats.bca import shared_coverage
from assay.stats.bounded_mean import Range
from assay.stats.compare import auc
from assay.stats.intervals import METHODS, widen_to_range
from assay.stats.limits import cut
from assay.stats.resampling import bootstrap, bootstrap_t
from assay.stats.skewness import FEW_UNITS
from assay.suites.playground_factors import PLAYGROUND, Factors, factors

COVERAGE = 0.95
# For an interval where pairs are compared with a baseline: of agents of which three in ten fail, three show
# no failure in a third of runs, and Student's interval of them holds in three of four.
FEWEST_SEEDS = 5
OF_IQM = ("trained", "evaluated", "share")  # fields that are IQMs where there are seeds enough


@dataclass(frozen=True)
class PairFinding:
    """One pair, over seeds; shares are of each task's own optimum, where it is known for all seeds."""

    train: str
    evaluate: str
    seeds: int
    trained: Interval  # score on the training task
    evaluated: Interval  # score on the evaluation task
    gap: Interval | None  # mean of evaluated - trained, per seed; None where both are one task
    share: Interval | None  # the evaluated score as a share of the optimum
    area: Interval | None  # mean over the reports of training; None without training
    area_share: Interval | None = None  # the same as a share of the training task's optimum
    area_length: Interval | None = None  # mean length of the episodes of training, over its reports
    regret: Interval | None = None  # mean of optimum - score
    last: Interval | None = None  # the last report of training
    rollout: Interval | None = None  # mean over the reports of the policy, played on the evaluation task
    rollout_length: Interval | None = None  # the length of these episodes
    point: dict[str, Any] = field(default_factory=dict)  # its settings among those in which pairs differ
    label: str = ""  # the pair's published id, or its settings
    changes: str = ""  # the parameters in which the tasks of a pair with an id differ
    units: dict[str, tuple[float, ...]] = field(default_factory=dict)  # by field: the value of each seed
    seed_numbers: tuple[int, ...] = ()
    statistic: str = "IQM"  # of scores and of shares of the optimum, over seeds; the rest are means


def find_pairs(run: Run, method: str = "", compat: str = "") -> list[PairFinding]:
    """One finding per pair, in the order of the plan; pairs without a finished job are left out.

    By default scores and shares are IQMs and the rest are means; where any pair has fewer than ten seeds, all
    are means with Student's intervals. With a `method` of `stats.intervals` all are means, and their
    intervals share the error of all comparisons of two pairs.
    """
    plan, pairs = plan_of(run), pairs_of(run)
    normal = normalise_pairs(pairs) if compat == PLAYGROUND else [(Factors(), Factors())] * len(pairs)
    by_job = measures_of(run)
    labels = labels_of(pairs)
    findings = []
    finished = [
        ([job for job in jobs if len(by_job.means.get(job.id, ())) > task], task)
        for jobs, task in jobs_of_pairs(run)
    ]
    iqms = not method and min((len(jobs) for jobs, _ in finished if jobs), default=0) >= FEW_UNITS
    for number, (pair, (jobs, task)) in enumerate(zip(pairs, finished)):
        if not jobs:
            continue
        columns = columns_of(by_job, [job.id for job in jobs], task, *normal[number])
        optima = optima_of(by_job, [job.id for job in jobs], task)
        limits = limits_of_pair(optima, normal[number], known_of_pair(plan, pair))
        scores: dict[str, Any] = {
            key: None if values is None
            else cut(
                interval(key, values, plan, number, len(pairs), method, iqm=iqms and key in OF_IQM),
                limits[key],
            )
            for key, values in columns.items()
        }  # fmt: skip
        if few_seeds(pairs, len(jobs)) and not method:
            scores = {key: each and without_ends(each) for key, each in scores.items()}
        findings.append(
            PairFinding(
                pair.train, pair.evaluate, len(jobs), **scores, point=dict(pair.point), label=labels[number],
                changes=describe_pair_changes(pair),
                units={key: tuple(map(float, each)) for key, each in columns.items() if each is not None},
                seed_numbers=tuple(job.seed for job in jobs), statistic="IQM" if iqms else "mean",
            )
        )  # fmt: skip
    return findings


def few_seeds(pairs: Sequence[PairPlan], seeds: int) -> bool:
    """Whether a pair that is compared with a baseline, or a cell, has too few seeds for an interval."""
    return seeds < FEWEST_SEEDS and any(pair.baseline or pair.cell for pair in pairs)


def without_ends(interval: Interval) -> Interval:
    return Interval(interval.value, -math.inf, math.inf)


def known_of_pair(plan: Plan, pair: PairPlan) -> tuple[TaskLimits, TaskLimits]:
    """What is known beforehand of the episodes of a pair's two tasks."""
    limits = plan.limits if isinstance(plan, (TrainPlan, PairsPlan)) else {}
    return limits.get(pair.train, TaskLimits()), limits.get(pair.evaluate, TaskLimits())


def interval(
    key: str,
    values: np.ndarray,
    plan: Plan,
    number: int,
    pairs: int,
    method: str,
    known: Range | None = None,
    iqm: bool = False,
) -> Interval:
    """The interval of one measure of one pair, with a generator of its own: other measures do not move it."""
    if isinstance(plan, PairsPlan):
        about = [plan.agent, "", [list(pair.tasks) for pair in plan.suite.pairs], len(values)]
    else:
        about = [plan.agent, plan.name, None, len(values)]
    seed = digest_of([canonical(about).encode(), f"{key} {number}".encode()])
    rng = np.random.default_rng(int(seed, 16))
    if method:
        coverage = shared_coverage(pairs, COVERAGE)
        return widen_to_range(METHODS[method](values, rng=rng, coverage=coverage), values, known, coverage)
    if known is not None:
        return bootstrap_t(values, rng=rng, known=known)
    if iqm:
        return bootstrap(values[:, None], interquartile_mean, rng=rng)
    return bootstrap_t(values, rng=rng)


@dataclass(frozen=True)
class Measures:
    """Means, curves and optima from the records of a run, by job or task."""

    means: dict[str, list[tuple[float, float, str]]]  # score, return and task: the training task first
    curves: dict[str, dict[str, np.ndarray]]  # by name, then by job: the values of all reports that have one
    best: dict[str, float]  # optimum by task

    def curve(self, name: str, job: str, of: Callable[..., Any]) -> float | None:
        values = self.curves.get(name, {}).get(job)
        return None if values is None or not values.size else float(of(values))


def measures_of(run: Run) -> Measures:
    best = {each.task: each.value for each in run.references(kind="optimum")}
    return Measures(seed_means(run), learning(run), best)


def optima_of(by_job: Measures, jobs: list[str], task: int) -> tuple[np.ndarray, np.ndarray]:
    """The optimum of each seed on the training task and on the evaluation task; NaN where not known."""
    home, away = (
        np.array([by_job.best.get(by_job.means[job][side][2], math.nan) for job in jobs])
        for side in (0, task)
    )
    return home, away


def columns_of(
    by_job: Measures, jobs: list[str], task: int, at_home: Factors, elsewhere: Factors
) -> dict[str, np.ndarray | None]:
    """The value of each seed, by field of `PairFinding`; None where a seed has none.

    `task` is the number of the evaluation task among the job's tasks; 0 is the training task.
    """

    def final(side: int, normal: Factors) -> np.ndarray:
        # Returns are used only where a factor applies to returns alone; else scores, as everywhere.
        late = normal.of_returns != normal.of_scores
        return np.array([by_job.means[job][side][late] for job in jobs]) * normal[0 if late else 1]

    trained, evaluated = final(0, at_home), final(task, elsewhere)
    score = np.array([by_job.means[job][task][0] for job in jobs])
    home, away = optima_of(by_job, jobs, task)
    known_at_home, known = (bool(np.isfinite(best).all() and (best > 0).all()) for best in (home, away))

    def over(name: str, of: Callable[..., Any] = auc) -> np.ndarray | None:
        values = [by_job.curve(name, job, of) for job in jobs]
        return None if any(value is None for value in values) else np.array(values)

    def learned(of: Callable[..., Any]) -> np.ndarray | None:
        paid = over("return", of)
        if at_home.of_returns != at_home.of_scores and paid is not None:
            return paid * at_home.of_returns
        return multiply(over("score", of), at_home.of_scores)

    def rolled_out(alone: str, measure: str) -> np.ndarray | None:
        values = over(rollout_name(task, measure))
        return over(alone) if values is None else values

    area = over("score")
    return {
        "trained": trained,
        "evaluated": evaluated,
        "gap": evaluated - trained if task else None,
        "share": score / away if known else None,
        "area": learned(auc),
        "area_share": area / home if area is not None and known_at_home else None,
        "area_length": over("length"),
        "regret": away - score if known else None,
        "last": learned(lambda values: values[-1]),
        "rollout": multiply(rolled_out("rollout", "score"), elsewhere.of_scores),
        "rollout_length": rolled_out("rollout_length", "length"),
    }


def normalise_pairs(pairs: Sequence[PairPlan]) -> list[tuple[Factors, Factors]]:
    """The factors of the training task and of the evaluation task of each pair."""
    normal = factors([text for pair in pairs for text in pair.tasks])
    return list(zip(normal[::2], normal[1::2]))


def multiply(values: np.ndarray | None, factor: float) -> np.ndarray | None:
    return None if values is None else values * factor


def seed_means(run: Run) -> dict[str, list[tuple[float, float, str]]]:
    """By job: mean score, mean return and text of the training task, then of the others in order."""
    keys, episodes = ["job", "arm", "task"], run.episodes()
    found = (
        episodes.group_by(keys, use_threads=False)
        .aggregate([("score", "mean"), ("return", "mean")])
        .to_pylist()
    )
    by_key = {tuple(row[key] for key in keys): (row["score_mean"], row["return_mean"]) for row in found}
    # Groups come in any order: now and then Arrow swaps two that begin close to each other.
    in_order = dict.fromkeys(zip(*(episodes[key].to_pylist() for key in keys)))
    means: dict[str, list[tuple[float, float, str]]] = {}
    for job, arm, task in sorted(in_order, key=lambda key: key[1] != PLAIN):
        means.setdefault(job, []).append((*by_key[job, arm, task], task))
    return means


def learning(run: Run) -> dict[str, dict[str, np.ndarray]]:
    """By name and job: the learning curve, without reports in which no episode ended."""
    table = run.curves()
    curves: dict[str, dict[str, list[float]]] = {}
    for job, name, value in zip(*(table[column].to_pylist() for column in ("job", "name", "value"))):
        curves.setdefault(name, {}).setdefault(job, []).append(value)
    return {
        name: {job: np.array(curve)[np.isfinite(curve)] for job, curve in by_job.items()}
        for name, by_job in curves.items()
    }


def jobs_of_pairs(run: Run) -> list[tuple[list[Job], int]]:
    """The finished jobs of each pair, and the number of its evaluation task among the tasks of a job."""
    plan = plan_of(run)
    done = run.jobs(agent=plan.agent, status="done")
    if not isinstance(plan, PairsPlan):
        return [(done, 0)]
    return [
        ([job for job in done if job.pair == place.job], place.task)
        for place in locate_pairs(plan.suite.pairs)
    ]


def pairs_of(run: Run) -> tuple[PairPlan, ...]:
    """The pairs of a suite or design; for `assay train`, its task paired with itself."""
    plan = plan_of(run)
    if isinstance(plan, PairsPlan):
        return plan.suite.pairs
    [task] = plan.tasks
    return (PairPlan(train=task, evaluate=task),)


def labels_of(pairs: Sequence[PairPlan]) -> list[str]:
    """Each pair's id, or its settings (`delay=4`); its tasks where there are no settings to tell pairs apart.

    "plain" is the pair of a design without a setting; a task that stands alone is not, whatever it holds.
    """
    if all(pair.name for pair in pairs):
        return [pair.name for pair in pairs]
    short = [
        ", ".join(f"{key}={level_text(value)}" for key, value in pair.point.items()) or "plain"
        for pair in pairs
    ]
    if len(set(short)) == len(short) and any(pair.point for pair in pairs):
        return short
    return [
        pair.train if pair.train == pair.evaluate else f"{pair.train} → {pair.evaluate}" for pair in pairs
    ]


def describe_pair_changes(pair: PairPlan) -> str:
    """The parameters in which the tasks of a pair differ, in words; "" where the plan has none."""
    changes = pair.changes.items()
    return ", ".join(f"{name} {level_text(old)} → {level_text(new)}" for name, (old, new) in changes)


def level_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(level_text, value))}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
