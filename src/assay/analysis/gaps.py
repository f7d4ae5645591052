"""What is lost from the task trained on to the one evaluated on, measure by measure, and by axis.

By default after training, by the same levels in both tasks, with intervals over seeds. As KAGE-Bench has it
(`compat="kage"`): of each measure the largest mean over all evaluations of training, for each task by itself,
and mean and standard error over seeds. A maximum over noisy evaluations is too high, the more so the more
there are, and the numbers of a row may come from different moments of training; so their count is told.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.pairs import interval, jobs_of_pairs, labels_of, learning, said_of_changes
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.pair_jobs import Place, places, rollout_name
from assay.plans.plan import BlindPlan, MeasurePlan, PairsPlan, SuitePlan, plan_of
from assay.plans.question import BLIND
from assay.results import Job, Run
from assay.stats.aggregate import Interval
from assay.stats.gap import mean_and_error, relative_loss
from assay.stats.known import Range

KAGE = "kage"
SHARE = "share"  # a gap in percent of what was there; any other is a difference
RETURN = MeasurePlan("score", "return", "difference", 1)

Means = dict[str, list[dict[str, float]]]  # by job: for each of its tasks the mean of every measure


@dataclass(frozen=True)
class Gap:
    """One measure of a pair. The interval is that of a mean over seeds, or plus and minus one error."""

    measure: str
    trained: Interval
    evaluated: Interval
    lost: Interval | None  # None where both are one task, or where nothing was there to lose


@dataclass(frozen=True)
class Blind:
    """The best policy that does not look, chosen one way: its means over seeds, by measure."""

    by: str
    policy: str  # in words, that of most seeds
    seeds: int
    trained: dict[str, float]
    evaluated: dict[str, float]


@dataclass(frozen=True)
class PairGaps:
    label: str
    axis: str  # to which the pair belongs
    changes: str
    seeds: int
    evaluations: int  # of each task and seed
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
    """The gaps of a run whose env tells measures; None of any other."""
    plan = plan_of(run)
    if not isinstance(plan, PairsPlan) or not plan.suite.measures:
        if compat == KAGE:
            raise AssayError(
                f"{run.folder} tells no measures, so nothing in it can be told as in {KAGE}; run a suite "
                "whose env measures how episodes ended, such as kage/filters."
            )
        return None
    measures = (*plan.suite.measures, RETURN)
    finals, curves = final_means(run), learning(run) if compat == KAGE else {}
    blind = blind_of_pairs(run, plan.suite, finals, measures)
    labels, gaps_of_pairs = labels_of(plan.suite.pairs), []
    for number, (jobs, task) in enumerate(jobs_of_pairs(run)):
        jobs = [job for job in jobs if len(finals.get(job.id, ())) > task]
        if not jobs:
            continue
        sides, evaluations = sides_of(finals, curves, jobs, task, measures)
        gaps = tuple(gap_of(plan, number, each, sides, bool(task), method, compat) for each in measures)
        pair = plan.suite.pairs[number]
        about = labels[number], pair.axis or plan.suite.name, said_of_changes(pair)
        gaps_of_pairs.append(PairGaps(*about, len(jobs), evaluations, gaps, blind[number]))
    return Gaps(compat or "final", measures, tuple(gaps_of_pairs), axes_of(gaps_of_pairs, measures))


def final_means(run: Run) -> Means:
    """Means over the episodes after training."""
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
    """For both tasks and each seed the value of each measure, and over how many evaluations.

    With curves of the evaluations during training, the largest of them; without, what was after training.
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
) -> Gap:
    """One measure of one pair, over seeds."""
    name = measure.name
    trained, evaluated = (np.array([each[name] for each in side]) for side in sides)
    lost = None
    if elsewhere:
        lost = relative_loss(trained, evaluated) if measure.gap == SHARE else trained - evaluated

    def interval_of(what: str, values: np.ndarray, known: Range | None = None) -> Interval:
        if compat == KAGE:
            return around(*mean_and_error(values))
        return interval(f"{what} {name}", values, plan, number, len(plan.suite.pairs), method, known)

    # What is lost in percent of a mean has no range of its own.
    known = Range(*measure.range) if measure.range else None
    return Gap(
        name,
        interval_of("trained:", trained, known),
        interval_of("evaluated:", evaluated, known),
        None if lost is None else interval_of("lost:", lost),
    )


def around(mean: float, error: float) -> Interval:
    """Plus and minus one standard error; no bound where one seed shows none."""
    error = error if np.isfinite(error) else np.inf
    return Interval(mean, mean - error, mean + error)


def axes_of(pairs: Sequence[PairGaps], measures: Sequence[MeasurePlan]) -> tuple[AxisGap, ...]:
    rows = []
    for axis in dict.fromkeys(each.axis for each in pairs):
        for place, measure in enumerate(measures):
            gaps = [each.gaps[place] for each in pairs if each.axis == axis]
            lost = [gap.lost for gap in gaps if gap.lost is not None]
            rows.append(
                AxisGap(
                    axis, measure.name, len(gaps), over_pairs([gap.trained for gap in gaps]),
                    over_pairs([gap.evaluated for gap in gaps]), over_pairs(lost) if lost else None,
                )
            )  # fmt: skip
    return tuple(rows)


def over_pairs(each: Sequence[Interval]) -> Interval:
    return around(*mean_and_error(np.array([one.value for one in each])))


def blind_of_pairs(
    run: Run, suite: SuitePlan, finals: Means, measures: Sequence[MeasurePlan]
) -> list[tuple[Blind, ...]]:
    """The best blind policies of each pair, one for each way to choose them."""
    plan = suite.blind
    if plan is None:
        return [()] * len(suite.pairs)
    where = places(plan.pairs)
    by_place = {place: tuple(blind_at(run, plan, finals, place, measures)) for place in set(where)}
    return [by_place[place] for place in where]


def blind_at(
    run: Run, plan: BlindPlan, finals: Means, place: Place, measures: Sequence[MeasurePlan]
) -> Iterator[Blind]:
    done = [job for job in run.jobs(agent=BLIND, status="done", pair=place.job) if job.id in finals]
    for by in (settings["choose"] for settings in plan.settings):
        jobs = [job for job in done if job_plan(job).settings["choose"] == by]
        if jobs:
            policy = of_most([policy_words(run.weights(job.id).arrays, plan.words) for job in jobs])
            sides = [[finals[job.id][side] for job in jobs] for side in (0, place.task)]
            names = [measure.name for measure in measures]
            means = [
                {name: float(np.mean([each[name] for each in side])) for name in names} for side in sides
            ]
            yield Blind(by, policy, len(jobs), *means)


def of_most(words: Sequence[str]) -> str:
    """What most seeds chose, and how many that is where they differ."""
    [(policy, times)] = Counter(words).most_common(1)
    return policy if times == len(words) else f"{policy} ({times} of {len(words)} seeds)"


def policy_words(arrays: dict[str, np.ndarray], words: Sequence[str]) -> str:
    """`RIGHT, RIGHT + JUMP every 25 steps for 4`."""
    period, held = int(arrays["period"]), int(arrays["held"])
    hold, press = words
    if held == 0 or held >= period:
        return f"{press if held else hold} held"
    lasting = f" for {held}" if held > 1 else ""
    return f"{hold}, {press} every {period} steps{lasting}"
