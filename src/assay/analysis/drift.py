"""Findings on drift: what each drift of a run cost, against its control without the drift.

A drift is judged while it is on: from when something comes on until it goes off, something else comes on or
the curves end. What happens after it went off is the world's doing, and is told apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from assay.analysis.drift_curves import Curves, learning_curves, played_curves
from assay.analysis.shift import generator
from assay.errors import AssayError, NotApplicable
from assay.plans.drift_question import DriftQuestion
from assay.plans.plan import PairsPlan, Plan
from assay.results import Run
from assay.stats.aggregate import Interval
from assay.stats.drift import DriftMetrics, TimeEstimate, Watch, measure_drift
from assay.stats.limits import ANYWHERE, Limits, cut
from assay.stats.resampling import bootstrap_t
from assay.strict_json import to_json

ERROR = 0.05  # of all drifts together
WINDOWS = 10  # after the first drift, where the user asks for no window
SEED, EPISODE = "seed", "episode"  # what is replicated
# For a verdict on others: even if five agents lost everything in all of ten windows, a sixth might not.
FEWEST_AGENTS = 6


@dataclass(frozen=True)
class CurvePoint:
    """A window of both curves: the means over units, with pointwise intervals."""

    start: float
    end: float
    drifted: Interval
    control: Interval

    @property
    def time(self) -> float:
        """Of its middle."""
        return (self.start + self.end) / 2


@dataclass(frozen=True)
class DriftFinding:
    """One drift; times are steps or episodes after it, None where they are beyond the time watched."""

    at: int
    until: int  # when it went off, the next drift came or the curves ended
    level: Interval
    depth: Interval
    depth_share: Interval | None
    deepest: int
    recovery: TimeEstimate
    margin: float  # in units of the score
    area: Interval
    detection: TimeEstimate | None  # None: too few units to tell noise
    told: float | None
    false_alarms: float | None
    # Whether a fall of this drift's own is told from chance; None: too few agents to speak of others.
    fall: bool | None = False
    carried: int = 0  # episodes that were over before, though not in the control
    lasting: int | None = None  # episodes of the control that go on at the drift; None: of training
    own_depth: Interval | None = None  # with carried episodes counted as no loss; None where there are none
    of_units: tuple[float, ...] = ()  # the own fall of each unit in the deepest window; of agents alone
    off: bool = False  # whether it went off at `until`
    follows: int | None = None  # when the next drift came or the curves ended, where it went off before
    lost_after: Interval | None = None  # the sum of the differences from `until` to `follows`
    what: str = ""  # the variations that came on, with their levels

    @property
    def own(self) -> Interval:
        """The depth that is this drift's alone."""
        return self.depth if self.own_depth is None else self.own_depth


@dataclass(frozen=True)
class Drift:
    agent: str
    question: DriftQuestion
    unit: str  # what is replicated: SEED, a trained agent each, or EPISODE of one agent
    units: int
    trained: bool  # whether the agents were trained for this
    seeds: tuple[int, ...]
    episodes: int  # per seed and task, of a frozen agent
    reached: (
        float | None
    )  # share of the control's episodes that last until the first drift; None: of training
    same_before: bool  # whether both arms have the same scores up to the first drift
    window: int  # in steps or episodes
    least_window: int  # likewise: a step, or what a training reports at once
    points: tuple[CurvePoint, ...]
    findings: tuple[DriftFinding, ...]
    holds_for: str = ""  # what verdicts and intervals speak of, in words
    coverage: float = 1 - ERROR  # of each drift's intervals; with several, the error is shared out

    @property
    def one_trained(self) -> bool:
        """Whether all that was seen is one trained agent, so that nothing is known of others."""
        return self.trained and (self.unit == EPISODE or self.units == 1)

    @property
    def too_few(self) -> bool:
        """Whether the agents are too few for a verdict on others that are trained alike."""
        return too_few_agents(self.unit, self.units)

    @property
    def concepts(self) -> tuple[str, ...]:
        """What came on, each once; () where all drifts are to the same."""
        names = tuple(dict.fromkeys(each.what for each in self.findings))
        return names if len(names) > 1 else ()

    @property
    def falls(self) -> tuple[DriftFinding, ...]:
        """The drifts with a fall of their own that is told from chance."""
        return tuple(each for each in self.findings if each.fall)


class Stretch(NamedTuple):
    """When a drift comes on, until when it is judged, and when what follows it ends."""

    at: int
    until: int
    follows: int

    @property
    def off(self) -> bool:
        return self.until < self.follows


def find_drift(run: Run, plan: Plan, question: DriftQuestion) -> Drift:
    """The findings of a finished run of both arms."""
    jobs = [job for job in run.jobs(status="done") if job.agent == plan.agent]
    curves = learning_curves(run, jobs, question) if question.learning else played_curves(run, jobs, question)
    stretches = stretches_of(curves, question)
    require_room(question, stretches)
    first = curves.place(stretches[0].at)
    window = window_of(curves, stretches[0].at, question.window)
    coverage = 1 - ERROR / len(stretches)
    asked = {name: value for name, value in vars(question).items() if name != "names"}
    rng = generator(plan.agent, to_json(asked), sorted(job.id for job in jobs))
    # The episodes of one trained agent say nothing about other agents, and are not the seeds of one.
    unit = SEED if plan.trains and (len(jobs) > 1 or question.learning) else EPISODE
    units, limits = len(curves.control), limits_of_depth(plan, question)
    return Drift(
        agent=plan.agent,
        question=question,
        unit=unit,
        units=units,
        trained=plan.trains,
        seeds=plan.seeds,
        episodes=plan.episodes,
        reached=curves.reached,
        same_before=same_until(curves, first),
        window=round(window * curves.spacing),
        least_window=max(1, round(curves.spacing)),
        points=curve_points(curves, stretches, window),
        findings=tuple(
            replace(
                cut_depth(judge_drift(curves, each, window, question.margin, rng, coverage, unit), limits),
                what=question.name_of(each.at),
            )
            for each in stretches
        ),
        holds_for=say_scope(plan, unit, units),
        coverage=coverage,
    )


def limits_of_depth(plan: Plan, question: DriftQuestion) -> Limits:
    """How far apart scores of both arms can be: ranges are of whole episodes, none is known of steps."""
    known = plan.limits if isinstance(plan, PairsPlan) and question.learning else {}
    ranges = [limit.score for task in (question.control, question.task) if (limit := known.get(task))]
    if len(ranges) < 2 or None in ranges:
        return ANYWHERE
    control, drifted = ranges
    assert control is not None and drifted is not None
    return Limits(control.low - drifted.high, control.high - drifted.low)


def cut_depth(finding: DriftFinding, limits: Limits) -> DriftFinding:
    """The finding with its depths cut at what scores can be."""
    own = finding.own_depth
    return replace(
        finding, depth=cut(finding.depth, limits), own_depth=None if own is None else cut(own, limits)
    )


def stretches_of(curves: Curves, question: DriftQuestion) -> list[Stretch]:
    """When each drift within the curves is judged; refuses curves that end before the first."""
    last = int(curves.times[-1])
    on = {start * question.lanes: end * question.lanes for start, end in question.spans}
    drifts = [at * question.lanes for at in question.drifts]
    within = [at for at in drifts if 0 < curves.place(at) < len(curves.times)]
    if not within:
        raise NotApplicable(
            f"nothing drifts within the {last:,.0f} {question.counted} that were played of "
            f"{question.control}: the first drift comes after {drifts[0]:,}; let it come earlier."
        )
    return [Stretch(at, min(on.get(at, last), after), after) for at, after in pairwise([*within, last])]


def say_scope(plan: Plan, unit: str, units: int) -> str:
    """What verdicts and intervals speak of."""
    if not plan.trains:
        return "this agent as it is, in other episodes"
    if unit == EPISODE or units == 1:
        return f"this one trained agent (seed {plan.seeds[0]}) alone, not others that are trained alike"
    if too_few_agents(unit, units):
        return f"these {units} trained agents alone: too few to speak of others that are trained alike"
    return "agents that are trained alike, with other seeds"


def too_few_agents(unit: str, units: int) -> bool:
    return unit == SEED and units < FEWEST_AGENTS


def same_until(curves: Curves, drift: int) -> bool:
    return bool(np.allclose(curves.drifted[:, :drift], curves.control[:, :drift]))


def window_of(curves: Curves, drift: int, asked: int | None) -> int:
    """The places of a window."""
    after = len(curves.times) - curves.place(drift)
    if asked is None:
        return max(1, after // WINDOWS)
    return max(1, min(after, round(asked / curves.spacing)))


def require_room(question: DriftQuestion, watched: Sequence[Stretch]) -> None:
    """Refuses a window that is longer than any drift is watched."""
    longest = max(watched, key=lambda each: each.until - each.at)
    at, until = longest.at, longest.until
    if question.window is not None and question.window > until - at:
        raise AssayError(
            f"--window is at most {until - at:,} here, not {question.window:,}: no drift is watched for "
            f"longer than the one after {at:,} {question.counted}, until {until:,}."
        )


def judge_drift(
    curves: Curves,
    stretch: Stretch,
    window: int,
    margin: float,
    rng: np.random.Generator,
    coverage: float = 1 - ERROR,
    unit: str = EPISODE,
) -> DriftFinding:
    drift = curves.place(stretch.at)
    watch = Watch(drift, max(drift + 1, curves.place(stretch.until)), window)
    measure = partial(
        measure_drift, control=curves.control, watch=watch, margin=margin, rng=rng, coverage=coverage
    )
    metrics = measure(curves.drifted)
    finding = replace(in_time(curves, metrics, stretch), **follow(curves, watch, stretch, rng, coverage))
    own = metrics
    if curves.lives is not None:
        carried = curves.lives.carried(drift)
        own = measure(curves.lives.set_aside(carried)) if carried.any() else metrics
        finding = replace(finding, carried=int(carried.sum()),
                          lasting=int(curves.lives.lasting(drift).sum()),
                          own_depth=None if own is metrics else own.depth)  # fmt: skip
    few = too_few_agents(unit, len(curves.control))
    return replace(
        finding,
        fall=None if few else finding.own.low > 0,
        of_units=own.of_units if unit == SEED else (),
    )


def follow(
    curves: Curves, watch: Watch, stretch: Stretch, rng: np.random.Generator, coverage: float
) -> dict[str, Any]:
    """What is still lost after a drift went off, until the next one or the end; {} where it did not."""
    end = curves.place(stretch.follows)
    if not stretch.off or end <= watch.end:
        return {}
    lost = (curves.control - curves.drifted)[:, watch.end : end].sum(axis=1) * curves.spacing
    level = abs(float(curves.control.mean())) * (end - watch.end) * curves.spacing
    step = max(level, float(np.abs(lost).max()))
    return {
        "off": True,
        "follows": stretch.follows,
        "lost_after": bootstrap_t(lost, rng=rng, step=step, coverage=coverage),
    }


def in_time(curves: Curves, metrics: DriftMetrics, stretch: Stretch) -> DriftFinding:
    """The metrics with places of the curves turned into steps or episodes."""
    at, drift = stretch.at, curves.place(stretch.at)

    def elapsed(places: int | None) -> int | None:
        return None if places is None else int(curves.times[drift + places - 1]) - at if places else 0

    def estimate(time: TimeEstimate) -> TimeEstimate:
        return TimeEstimate(elapsed(time.value), elapsed(time.low), elapsed(time.high))

    detection = metrics.detection
    return DriftFinding(
        at=at,
        until=stretch.until,
        level=metrics.level,
        depth=metrics.depth,
        depth_share=metrics.depth_share,
        deepest=elapsed(metrics.deepest) or 0,
        recovery=estimate(metrics.recovery),
        margin=metrics.margin,
        area=Interval(*(end * curves.spacing for end in metrics.area)),
        detection=estimate(detection.delay) if detection else None,
        told=detection.told if detection else None,
        false_alarms=detection.false_alarms if detection else None,
    )


def curve_points(curves: Curves, stretches: Sequence[Stretch], window: int) -> tuple[CurvePoint, ...]:
    """Both curves in windows laid from each drift on, and before the first one back from it.

    No window lies across a drift or across where it went off; the last one before may be shorter.
    """
    inner = {curves.place(time) for each in stretches for time in (each.at, each.until)}
    borders = [0, *sorted(place for place in inner if place < len(curves.times)), len(curves.times)]
    first = borders[1] % window
    spans = [
        slice(max(start, border), min(start + window, end))
        for border, end in pairwise(borders)
        for start in range(border or (first - window if first else 0), end, window)
    ]
    return tuple(
        CurvePoint(
            float(curves.times[span.start - 1]) if span.start else 0.0,
            float(curves.times[span.stop - 1]),
            pointwise(curves.drifted[:, span].mean(axis=1)),
            pointwise(curves.control[:, span].mean(axis=1)),
        )
        for span in spans
    )


def pointwise(values: np.ndarray) -> Interval:
    """The mean over units with Student's interval, for the picture alone."""
    middle, units = float(values.mean()), len(values)
    if units == 1:
        return Interval(middle, math.nan, math.nan)
    half = float(stats.t.isf(0.025, units - 1) * values.std(ddof=1) / math.sqrt(units))
    return Interval(middle, middle - half, middle + half)
