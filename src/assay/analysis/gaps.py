"""The loss from the training task to the evaluation task, measure by measure, and by axis.

By default the loss after training, with intervals over seeds. With `compat="kage"`, as KAGE-Bench has it: for
each measure and each task by itself the largest mean over all evaluations during training, with mean and
standard error over seeds. A maximum over noisy evaluations is too high, and more so the more there are; the
numbers of a row may also come from different moments of training. So the number of evaluations is reported.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.pair_limits import limits_of_scores
from assay.analysis.pairs import (
    Measures,
    describe_pair_changes,
    interval,
    jobs_of_pairs,
    known_of_pair,
    labels_of,
    learning,
    optima_of,
    seed_means,
)
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.pair_jobs import PairPlace, locate_pairs, rollout_name
from assay.plans.plan import BlindPlan, MeasurePlan, PairsPlan, SuitePlan, TaskLimits, plan_of
from assay.plans.question import BLIND
from assay.results import Job, Run
from assay.stats.aggregate import Interval
from assay.stats.bounded_mean import Range
from assay.stats.gap import mean_and_error, relative_loss
from assay.stats.limits import ANYWHERE, Limits, cut
from assay.suites.playground_factors import Factors

KAGE = "kage"
SHARE = "share"  # a gap in percent of the value before; any other gap is a difference
RETURN = MeasurePlan("score", "return", "difference", 1)

Means = dict[str, list[dict[str, float]]]  # by job and task: the mean of every measure


@dataclass(frozen=True)
class Gap:
    """One measure of a pair, with intervals of means over seeds, or plus and minus one standard error."""

    measure: str
    trained: Interval
    evaluated: Interval
    lost: Interval | None  # None where both are one task, or the value before is not above 0
    alike: tuple[str, ...] = ()  # which of the three have one value for all seeds


@dataclass(frozen=True)
class Blind:
    """The best blind policy, chosen by one measure: its means over seeds, by measure."""

    by: str
    policy: str  # of most seeds, in words
    seeds: int
    trained: dict[str, float]
    evaluated: dict[str, float]


@dataclass(frozen=True)
class PairGaps:
    label: str
    axis: str  # that the pair belongs to
    changes: str
    seeds: int
    evaluations: int  # per task and seed
    gaps: tuple[Gap, ...]
    blind: tuple[Blind, ...] = ()


@dataclass(frozen=True)
class AxisGap:
    """One measure of an axis: unweighted means over its pairs, plus and minus one error over pairs."""

    axis: str
    measure: str
    pairs: int
    trained: Interval
    evaluated: Interval
    lost: Interval | None  # over the pairs that have a loss


@dataclass(frozen=True)
class Gaps:
    way: str  # "final" or "kage"
    measures: tuple[MeasurePlan, ...]
    pairs: tuple[PairGaps, ...]
    axes: tuple[AxisGap, ...]


def find_gaps(run: Run, method: str = "", compat: str = "") -> Gaps | None:
    """The gaps of a run whose env has measures beside the score; None for any other run."""
    plan = plan_of(run)
    if not isinstance(plan, PairsPlan) or not plan.suite.measures:
        if compat == KAGE:
            raise AssayError(
                f"{run.folder} has no measures beside the score, so it cannot be reported as in {KAGE}; "
                "run a suite whose env measures how episodes ended, such as kage/filters."
            )
        return None
    measures = (*plan.suite.measures, RETURN)
    finals, curves = final_means(run), learning(run) if compat == KAGE else {}
    blind = blind_of_pairs(run, plan.suite, finals, measures)
    scores = Measures(seed_means(run), {}, {each.task: each.value for each in run.references(kind="optimum")})
    labels, gaps_of_pairs = labels_of(plan.suite.pairs), []
    for number, (jobs, task) in enumerate(jobs_of_pairs(run)):
        jobs = [job for job in jobs if len(finals.get(job.id, ())) > task]
        if not jobs:
            continue
        sides, evaluations = sides_of(finals, curves, jobs, task, measures)
        pair = plan.suite.pairs[number]
        optima = optima_of(scores, [job.id for job in jobs], task)
        limits = limits_of_return(optima, known_of_pair(plan, pair))
        gaps = tuple(
            gap_of(
                plan, number, each, sides, bool(task), method, compat, limits_of_measure(each, sides, limits)
            )
            for each in measures
        )
        head = labels[number], pair.axis or plan.suite.name, describe_pair_changes(pair)
        gaps_of_pairs.append(PairGaps(*head, len(jobs), evaluations, gaps, blind[number]))
    return Gaps(compat or "final", measures, tuple(gaps_of_pairs), axes_of(gaps_of_pairs, measures))


def limits_of_return(
    optima: tuple[np.ndarray, np.ndarray], known: tuple[TaskLimits, TaskLimits] = (TaskLimits(),) * 2
) -> tuple[Limits, Limits]:
    """The mean score on a task is at most the mean optimum of the seeds' worlds, where all are known."""
    trained, evaluated = (
        limits_of_scores(Factors(), float(np.mean(best)), each) for best, each in zip(optima, known)
    )
    return trained, evaluated


def limits_of_measure(
    measure: MeasurePlan, sides: Sequence[Sequence[dict[str, float]]], limits: tuple[Limits, Limits]
) -> tuple[Limits, Limits]:
    """The limits of scores, for scores themselves, and mirrored for a measure that is minus the score.

    Errors that are paid -1 each are such a measure: they are at most as many as the lowest score says.
    """
    if measure == RETURN:
        return limits
    rows = [row for side in sides for row in side]
    if all(RETURN.name in row and row[measure.name] == -row[RETURN.name] for row in rows):
        trained, evaluated = (Limits(-each.high, -each.low) for each in limits)
        return trained, evaluated
    return ANYWHERE, ANYWHERE


def final_means(run: Run) -> Means:
    """The means of every measure over the episodes after training."""
    table = run.episodes()
    sums: dict[str, dict[tuple[str, str], list[dict[str, float]]]] = {}
    columns = (table[name].to_pylist() for name in ("job", "arm", "task", "score", "extra"))
    for job, arm, task, score, extra in zip(*columns):
        sums.setdefault(job, {}).setdefault((arm, task), []).append({"score": score, **json.loads(extra)})
    return {
        job: [{name: float(np.mean([each[name] for each in rows])) for name in rows[0]}
              for rows in by_task.values()]
        for job, by_task in sums.items()
    }  # fmt: skip


def sides_of(
    finals: Means,
    curves: dict[str, dict[str, np.ndarray]],
    jobs: Sequence[Job],
    task: int,
    measures: Sequence[MeasurePlan],
) -> tuple[list[list[dict[str, float]]], int]:
    """For both tasks and each seed the value of each measure, and the number of evaluations behind it.

    The largest value during training, where there are curves of evaluations; else the value after training.
    """
    names = [each.name for each in measures]
    counts = {len(curves.get(rollout_name(0, name), {}).get(job.id, ())) for job in jobs for name in names}
    if len(counts) != 1 or 0 in counts:
        return [[finals[job.id][side] for job in jobs] for side in (0, task)], 1

    def largest(side: int, name: str, job: Job) -> float:
        return float(curves[rollout_name(side, name)][job.id].max())

    sides = [[{name: largest(side, name, job) for name in names} for job in jobs] for side in (0, task)]
    return sides, counts.pop()


def gap_of(
    plan: PairsPlan,
    number: int,
    measure: MeasurePlan,
    sides: Sequence[Sequence[dict[str, float]]],
    elsewhere: bool,
    method: str,
    compat: str,
    limits: tuple[Limits, Limits] = (ANYWHERE, ANYWHERE),
) -> Gap:
    """The gap of one pair in one measure, over seeds; `limits` of both tasks beside the declared range."""
    name = measure.name
    trained, evaluated = (np.array([each[name] for each in side]) for side in sides)
    lost = None
    if elsewhere:
        lost = relative_loss(trained, evaluated) if measure.gap == SHARE else trained - evaluated

    def interval_of(what: str, values: np.ndarray, known: Range | None = None) -> Interval:
        if compat == KAGE:
            return error_interval(*mean_and_error(values))
        return interval(f"{what} {name}", values, plan, number, len(plan.suite.pairs), method, known)

    # A loss in percent of a mean has no range of its own, but no more than all can be lost of what is never
    # below 0. Means with one standard error are no intervals, and stay as they are.
    most = Limits(high=100.0) if measure.gap == SHARE and limits_of(measure).low >= 0 else ANYWHERE
    possible = [limits_of(measure).both(each) for each in limits]
    if measure.gap != SHARE:
        most = Limits(possible[0].low - possible[1].high, possible[0].high - possible[1].low)
    if compat == KAGE:
        most, possible = ANYWHERE, [ANYWHERE, ANYWHERE]
    known = range_of(measure)
    sides_by_name = {"trained": trained, "evaluated": evaluated, "lost": lost}
    alike = (name for name, each in sides_by_name.items() if each is not None and np.ptp(each) == 0)
    return Gap(
        name,
        cut(interval_of("trained:", trained, known), possible[0]),
        cut(interval_of("evaluated:", evaluated, known), possible[1]),
        None if lost is None else cut(interval_of("lost:", lost), most),
        tuple(alike),
    )


def limits_of(measure: MeasurePlan) -> Limits:
    """Where the measure can lie by its declaration; a count has no known end above, and none is below 0."""
    low, high = measure.range or (None, None)
    return Limits(-math.inf if low is None else low, math.inf if high is None else high)


def range_of(measure: MeasurePlan) -> Range | None:
    """The declared range, where it has both ends: only then a bound for any number of seeds follows."""
    limits = limits_of(measure)
    return Range(*limits) if math.isfinite(limits.low) and math.isfinite(limits.high) else None


def error_interval(mean: float, error: float) -> Interval:
    """The mean plus and minus one standard error; without ends for a single seed, which has no error."""
    error = error if np.isfinite(error) else np.inf
    return Interval(mean, mean - error, mean + error)


def axes_of(pairs: Sequence[PairGaps], measures: Sequence[MeasurePlan]) -> tuple[AxisGap, ...]:
    rows = []
    for axis in dict.fromkeys(each.axis for each in pairs):
        for number, measure in enumerate(measures):
            gaps = [each.gaps[number] for each in pairs if each.axis == axis]
            lost = [gap.lost for gap in gaps if gap.lost is not None]
            rows.append(
                AxisGap(
                    axis, measure.name, len(gaps), mean_over_pairs([gap.trained for gap in gaps]),
                    mean_over_pairs([gap.evaluated for gap in gaps]), mean_over_pairs(lost) if lost else None,
                )
            )  # fmt: skip
    return tuple(rows)


def mean_over_pairs(intervals: Sequence[Interval]) -> Interval:
    return error_interval(*mean_and_error(np.array([each.value for each in intervals])))


def blind_of_pairs(
    run: Run, suite: SuitePlan, finals: Means, measures: Sequence[MeasurePlan]
) -> list[tuple[Blind, ...]]:
    """The best blind policies of each pair, one for each measure to choose them by."""
    plan = suite.blind
    if plan is None:
        return [()] * len(suite.pairs)
    places = locate_pairs(plan.pairs)
    by_place = {place: tuple(blind_at(run, plan, finals, place, measures)) for place in set(places)}
    return [by_place[place] for place in places]


def blind_at(
    run: Run, plan: BlindPlan, finals: Means, place: PairPlace, measures: Sequence[MeasurePlan]
) -> Iterator[Blind]:
    done = [job for job in run.jobs(agent=BLIND, status="done", pair=place.job) if job.id in finals]
    for by in (settings["choose"] for settings in plan.settings):
        jobs = [job for job in done if job_plan(job).settings["choose"] == by]
        if jobs:
            policy = most_common_policy(
                [describe_policy(run.weights(job.id).arrays, plan.words) for job in jobs]
            )
            sides = [[finals[job.id][side] for job in jobs] for side in (0, place.task)]
            names = [measure.name for measure in measures]
            means = [
                {name: float(np.mean([each[name] for each in side])) for name in names} for side in sides
            ]
            yield Blind(by, policy, len(jobs), *means)


def most_common_policy(words: Sequence[str]) -> str:
    """The policy of most seeds, with their number where seeds differ."""
    [(policy, times)] = Counter(words).most_common(1)
    return policy if times == len(words) else f"{policy} ({times} of {len(words)} seeds)"


def describe_policy(arrays: dict[str, np.ndarray], words: Sequence[str]) -> str:
    """`RIGHT, RIGHT + JUMP every 25 steps for 4`."""
    period, held = int(arrays["period"]), int(arrays["held"])
    hold, press = words
    if held == 0 or held >= period:
        return f"{press if held else hold} held"
    lasting = f" for {held}" if held > 1 else ""
    return f"{hold}, {press} every {period} steps{lasting}"
