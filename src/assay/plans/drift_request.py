"""Plans a drift and its control: which task, from when on, and what cannot be measured is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeGuard

from assay.catalogue import axis_of, env_entry
from assay.errors import AssayError, NotApplicable
from assay.plans.agents import catalogue_agent, config_of, has_training, is_outside, settings_of, steps_of
from assay.plans.defaults import DRIFT_EPISODES_ALONE, MARGIN, SEEDS
from assay.plans.defaults import EPISODES as EPISODES_TRAINED
from assay.plans.drift_length import require_in_time
from assay.plans.drift_question import EPISODES, LIFE, STEPS, DriftQuestion
from assay.plans.make_plan import suite_plan
from assay.plans.plan import PairsPlan, Plan
from assay.plans.shared_parts import most_steps
from assay.plans.sources import load_own_modules
from assay.suites.suite import Pair, Suite
from assay.task_spaces import SpaceTable
from assay.task_text import DRAWN, Schedule, Setting, TaskText, parse
from assay.tasks import task as canonical_task

ENVS = "envs"  # the setting of learners that play copies of a native env side by side
MOST_DRIFTS = 20
MOST_STEPS = 10**6  # of an episode whose limit only its env knows
NAME, ASKS = "drift-", "What does the drift cost, and is it made good?"  # of the suite in such a plan
EXAMPLE = "+action.random=0.3@sudden:50"


def drift_plan(
    agent: str,
    task: str,
    *,
    control: str | None = None,
    window: int | None = None,
    margin: float = MARGIN,
    seeds: int | None = None,
    episodes: int | None = None,
    **asked: Any,
) -> tuple[DriftQuestion, PairsPlan]:
    """What is asked, and the plan that plays both arms: a pair whose training task is the control.

    A schedule in steps of the episode asks about a frozen agent, and one on the clock of a life about an
    agent that goes on learning; then both arms are trained.
    """
    load_own_modules(task)
    text = canonical_task(task)
    plain = control_of(text, control)
    unit = unit_of(text)
    budget = steps_of(settings_of(agent, asked.get("settings") or {}))
    trains = has_training(agent, budget)
    if unit != STEPS:
        require_curves(agent, text, unit, trains)
    if seeds is not None and not trains:
        raise AssayError(f"{agent} is not trained, so its units are episodes: use --episodes, not --seeds.")
    require_size(window, margin)
    pairs = (Pair(plain, str(text)),) if unit == STEPS else (Pair(plain, plain), Pair(str(text), str(text)))
    suite = Suite(
        name=f"{NAME}{text.env}", version=1, asks=ASKS,
        pairs=pairs, seeds=tuple(range(SEEDS if trains else 1)),
        episodes=EPISODES_TRAINED if trains else DRIFT_EPISODES_ALONE,
    )  # fmt: skip
    plan = suite_plan(suite, agent, seeds=seeds, episodes=episodes, **asked)
    # Two programs are all there is to compile, so that axes at neutral would only make them larger.
    plan = replace(plan, transcripts=unit == STEPS, companions=())
    question = question_of(plan, window, margin)
    if unit == STEPS and math.isfinite(limit := require_in_time(question)):
        require_room(window, question.drifts, question.spans, int(limit), "the end of the episode")
    return question, plan


def is_drift(plan: Plan) -> TypeGuard[PairsPlan]:
    """Whether a plan is one of a drift."""
    return isinstance(plan, PairsPlan) and plan.suite.name.startswith(NAME) and plan.suite.asks == ASKS


def question_of(plan: PairsPlan, window: int | None, margin: float) -> DriftQuestion:
    """What a plan asks of its drift, with these options; refuses a drift that cannot come on."""
    task, control = plan.suite.pairs[-1].evaluate, plan.suite.pairs[0].train
    text = parse(task)
    unit = unit_of(text)
    lanes = lanes_of(plan, text) if unit != STEPS else 1
    if unit == EPISODES and lanes > 1:
        raise NotApplicable(
            f"{plan.agent} plays {lanes} copies of the env at once, so that its episodes have no order; "
            "write the schedule in steps of the life, with :life."
        )
    horizon = (plan.budget // lanes if unit == LIFE else plan.budget) if unit != STEPS else most_steps(text)
    require_off_at_first(text, parse(control))
    spans = spans_of(text, horizon or plan.max_steps or MOST_STEPS)
    drifts = drifts_of(text, spans, horizon, unit)
    ends = [end for end in (horizon, plan.max_steps) if end]
    if unit == STEPS and ends:
        require_room(window, drifts, spans, min(ends), "the end of the episode")
    if unit == LIFE and horizon:  # its last episodes may not end, so that curves may end earlier
        most = None if window is None else -(-window // lanes)
        require_room(most, drifts, spans, horizon, "the end of the training")
    names = tuple(coming_on(text, at) for at in drifts)
    return DriftQuestion(task, control, unit, drifts, spans, lanes, window, margin, names)


def control_of(text: TaskText, given: str | None) -> str:
    """The task without what is scheduled, or the given one, if an agent of the one can play the other."""
    if given is None:
        return str(plain_of(text))
    load_own_modules(given)
    control = canonical_task(given)
    table = SpaceTable()
    for name in ("observation", "action"):
        spaces = [table(each)[name] for each in (text, control)]
        if spaces[0] != spaces[1]:
            raise NotApplicable(
                f"the control {control} has another {name} space than {text}, so that no agent can be "
                "compared on both; leave --control out, and it is the task without its schedules."
            )
    if any(setting.schedule for setting in control.settings):
        raise NotApplicable(f"the control {control} has a schedule itself; write one that does not drift.")
    return str(control)


def plain_of(text: TaskText) -> TaskText:
    """The task without what is scheduled.

    A setting that acts on variations, such as `compat=stori`, may find nothing else to act on: then what is
    scheduled stays, at its neutral level and without its schedule.
    """
    plain = canonical_task(TaskText(text.env, tuple(each for each in text.settings if each.schedule is None)))
    try:
        SpaceTable()(plain)  # builds it
        return plain
    except NotApplicable:
        settings = tuple(
            each if each.schedule is None else Setting(each.name, axis_of(text.env, each.name).neutral)
            for each in text.settings
        )
        neutral = canonical_task(TaskText(text.env, settings))
        SpaceTable()(neutral)
        return neutral


def schedules_of(text: TaskText) -> list[Schedule]:
    """The schedules of a task, each once; refuses a task without one, and those that draw."""
    schedules = list(dict.fromkeys(each.schedule for each in text.settings if each.schedule))
    drawn = [each for each in schedules if each.kind in DRAWN or each.kind == "random"]
    if drawn:
        raise NotApplicable(
            f"{drawn[0]} draws what happens when, so that there is no time to measure from; use sudden, "
            f"cyclic, ramp, window or turn, such as {EXAMPLE}."
        )
    if not schedules:
        raise NotApplicable(f"nothing in {text} drifts; give a variation a schedule, such as {EXAMPLE}.")
    return schedules


def unit_of(text: TaskText) -> str:
    """What the schedules count, all of them the same."""
    units = list(dict.fromkeys(each.unit for each in schedules_of(text)))
    if len(units) > 1:
        raise NotApplicable(
            f"the schedules of {text} count {units[0]} and {units[1]}, which have no time in common; let all "
            "count the same."
        )
    return units[0]


def spans_of(text: TaskText, horizon: int) -> tuple[tuple[int, int], ...]:
    """From when to when something is on, in order; refuses schedules that are on at the same time."""
    named = [(span, each) for each in schedules_of(text) for span in on_spans(each, horizon)]
    named.sort(key=lambda pair: pair[0])
    for (before, first), (after, second) in pairwise(named):
        if after[0] < before[1]:
            raise NotApplicable(
                f"{first} and {second} overlap in {text}, so that a loss could be of either; let one follow "
                "the other, as in [a=1,b=2]@sudden:300:600, or give both one schedule, as in "
                "[a=1+b=2]@sudden:300."
            )
    return tuple(span for span, _ in named)


def coming_on(text: TaskText, tick: int) -> str:
    """The variations that come on after so many ticks, as they are written without their schedules."""
    names = tuple(
        Setting(each.name, each.value)
        for each in text.settings
        if each.schedule and any(start == tick for start, _ in on_spans(each.schedule, tick + 1))
    )
    return str(TaskText(text.env, names)).removeprefix(text.env).removeprefix("+")


def on_spans(schedule: Schedule, horizon: int) -> Iterator[tuple[int, int]]:
    """From when to when a schedule is on before the horizon."""
    first, *more = (int(number) for number in schedule.numbers)
    if schedule.kind in ("sudden", "ramp"):
        begun, on, period = first, horizon, horizon
    elif schedule.kind == "window":
        begun, on, period = first, more[0] - first, horizon
    elif schedule.kind == "cyclic":
        begun, on, period = 0, first, first + more[0]
    else:  # turns
        begun, on, period = first * more[0], first, first * more[1]
    for start in range(begun, horizon, period):
        yield start, min(start + on, horizon)


def drifts_of(
    text: TaskText, spans: tuple[tuple[int, int], ...], horizon: int | None, unit: str
) -> tuple[int, ...]:
    """When something comes on; refuses drifts that are never felt, and too many."""
    drifts = tuple(dict.fromkeys(start for start, _ in spans if start > 0))
    what = "steps of an episode" if unit == STEPS else "steps of training"
    length = " an episode" if horizon is None else f" the {horizon:,} {what}"
    if not drifts:
        raise NotApplicable(f"the schedule of {text} does not come on within{length}; let it begin earlier.")
    if len(drifts) > MOST_DRIFTS and horizon is not None:
        raise NotApplicable(
            f"{text} drifts {len(drifts)} times within{length}, and {MOST_DRIFTS} is the most; "
            "let the turns last longer."
        )
    return drifts[:MOST_DRIFTS]


def require_curves(agent: str, text: TaskText, unit: str, trains: bool) -> None:
    """Refuses agents whose learning cannot be followed."""
    if not trains:
        raise NotApplicable(
            f"{agent} does not learn, and :{unit} drifts over a whole training; drop :{unit}, and the drift "
            "comes within every episode."
        )
    if is_outside(agent):
        raise NotApplicable(
            f"{agent} leaves no learning curve with assay, on which a drift over a training is measured; "
            f"drop :{unit}, and its trained agent is followed through a drift within the episode."
        )


def require_size(window: int | None, margin: float) -> None:
    if window is not None and window < 1:
        raise AssayError(f"--window is at least 1, not {window}.")
    if not 0 <= margin < 1:
        raise AssayError(f"--margin is a share from 0 up to 1, not {margin}.")


def require_off_at_first(text: TaskText, control: TaskText) -> None:
    """Refuses what is on from the beginning, unless it is in the control too: no drift would show what it
    costs, and what comes on later would be judged without it."""
    kept = {(each.name, each.value) for each in control.settings}
    for setting in text.settings:
        schedule = setting.schedule
        if schedule is None or (setting.name, setting.value) in kept:
            continue
        if next(on_spans(schedule, 1), None) is None:
            continue
        turn = Schedule("turn", (int(schedule.numbers[0]) or 1, 1, 2), schedule.unit)
        instead = str(turn) if schedule.kind in ("cyclic", "turn") else EXAMPLE
        raise NotApplicable(
            f"{text} is varied from its beginning on: {schedule} begins on at step 0, and what a drift costs "
            f"is told from a time before it; write {instead}, or a --control with {setting.name}."
        )


def require_room(
    window: int | None, drifts: tuple[int, ...], spans: tuple[tuple[int, int], ...], end: int, last: str
) -> None:
    """Refuses before anything is played a window that no drift is watched for until `end`."""
    felt, off = [at for at in drifts if at < end], dict(spans)
    watched = [min(after, off[at]) - at for at, after in pairwise([*felt, end])]
    longest = max(watched, default=0)
    if window is not None and window > longest > 0:
        raise AssayError(
            f"--window is at most {longest:,} here, not {window:,}: no drift is watched for longer, until it "
            f"goes off, the next one comes or {last} after {end:,} steps."
        )


def lanes_of(plan: PairsPlan, text: TaskText) -> int:
    """How many copies of the env a learner plays at once."""
    if env_entry(text.env).native:
        return int(plan.settings.get(ENVS, 1))
    learner = catalogue_agent(plan.agent).learner
    assert learner is not None, "agents that cannot learn from hosts are refused before"
    return int(learner.lanes(config_of(plan.agent, plan.settings)))
