"""Makes a plan of each kind from a user's request; what cannot be done is refused before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from assay.catalogue import axis_of, env_entry, world_seed_of
from assay.core.axis import Axis
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.plans.agents import (
    has_training,
    is_outside,
    require_one_kind,
    require_task,
    require_trained_there,
    settings_of,
    steps_of,
    why_unfit,
)
from assay.plans.choose_questions import (
    SET_ALREADY,
    ExamQuestions,
    ask_every_axis,
    is_ordered,
    make_question,
    parse_levels,
)
from assay.plans.companions import companions_of
from assay.plans.defaults import EPISODES, EPISODES_ALONE, MARGIN, SEEDS
from assay.plans.design import design_points, parse_factor, split_point
from assay.plans.pair_levels import changed_parameters, direction_of, points_of
from assay.plans.plan import (
    EXAMINE,
    RUN,
    SWEEP,
    TRAIN,
    Basis,
    ExamPlan,
    NotAsked,
    PairPlan,
    PairsPlan,
    SuitePlan,
    TrainPlan,
    extend,
    through_json,
)
from assay.plans.protocol import measures_to_show, plan_blind
from assay.plans.question import BLIND, RANDOM
from assay.plans.random_play import random_play_of
from assay.plans.shared_parts import (
    basis_of,
    declared_range,
    draws_worlds,
    limits_of_tasks,
    require_checkpoint_fits,
    require_fit,
    step_limit_of,
)
from assay.plans.sources import load_own_modules
from assay.stats.unseen_share import units_to_plan
from assay.suites.suite import Pair, Suite
from assay.task_spaces import SpaceTable
from assay.task_text import TaskText, parse
from assay.tasks import task as canonical_task

OWN_WORLDS = "every seed has an MDP of its own (set the axis in the task to fix one)"


def train_plan(agent: str, task: str, **asked: Any) -> TrainPlan:
    text, basis = canonical_task(task), basis_of(TRAIN, agent, task, **asked)
    return extend(basis, TrainPlan, task=str(text), limits=limits_of_tasks([text], basis.max_steps))


def exam_plan(
    agent: str,
    task: str,
    *,
    margin: float = MARGIN,
    only: Sequence[str] = (),
    all_levels: bool = False,
    retrain: bool = False,
    **asked: Any,
) -> ExamPlan:
    """The plan of an exam of every axis, or of those in `only`."""
    load_own_modules(task, only)
    text = canonical_task(task)
    for name in only:  # before the agent is loaded, which may take long
        axis_of(text.env, name)
    plan = basis_of(EXAMINE, agent, task, **asked)
    unfit = partial(why_unfit, agent, native=env_entry(text.env).native, settings=plan.settings)
    questions = ask_every_axis(text, plan.trains, all_levels, retrain, unfit, only)
    if plan.own_worlds and (worlds := world_seed_of(text.env)):
        kept = tuple(q for q in questions.questions if q.axis != worlds.name)
        questions = ExamQuestions(kept, (*questions.not_asked, (worlds.name, OWN_WORLDS)))
    if only:
        for name in only:
            require_asked(agent, text, questions, name)
        questions = ExamQuestions(tuple(q for q in questions.questions if q.axis in only), ())
    return with_questions(plan, text, questions, margin, asked.get("episodes"))


def require_asked(agent: str, task: TaskText, questions: ExamQuestions, name: str) -> None:
    """Refuses an axis that the user named but that cannot be examined."""
    env = task.env
    axis, left_out = axis_of(env, name), dict(questions.not_asked)
    if name in left_out:
        raise NotApplicable(f"{name} cannot be asked of {agent} on {task}: {left_out[name]}.")
    if any(question.axis == name for question in questions.questions):
        return
    if axis.same_as:
        raise NotApplicable(f"{name} is {axis.same_as} on {env}; name that axis.")
    raise NotApplicable(f"{name} cannot be asked of {agent} on {task}.")


def sweep_plan(
    agent: str, task: str, axes: Mapping[str, str], *, margin: float = MARGIN, **asked: Any
) -> ExamPlan:
    """The plan of an exam of given axes and levels: {"delay": "1,2,4", "filters.hue_shift": "0:180:20"}."""
    if not axes:
        raise AssayError("a sweep needs an axis and its levels, such as --axis delay=1,2,4,8.")
    load_own_modules(task, axes)
    text = canonical_task(task)
    swept = levels_to_sweep(text, axes)  # before the agent is loaded, which may take long
    plan = basis_of(SWEEP, agent, task, **asked)
    unfit = partial(why_unfit, agent, native=env_entry(text.env).native, settings=plan.settings)
    questions = []
    for name, (axis, levels) in swept.items():
        # The plain task would not be at neutral, so an order from weak to strong would mean nothing.
        if is_ordered(axis) and any(setting.name == name for setting in text.settings):
            raise NotApplicable(f"{name} cannot be swept: {SET_ALREADY}; drop it there.")
        if plan.own_worlds and axis == world_seed_of(text.env):
            raise NotApplicable(f"{name} cannot be swept: {OWN_WORLDS}.")
        try:
            questions.append(make_question(text, axis, plan.trains, retrain=True, levels=levels, unfit=unfit))
        except NotApplicable as error:
            raise NotApplicable(f"{name} cannot be swept: {str(error).rstrip('.')}.") from None
    return with_questions(plan, text, ExamQuestions(tuple(questions), ()), margin, asked.get("episodes"))


def levels_to_sweep(text: TaskText, axes: Mapping[str, str]) -> dict[str, tuple[Axis, tuple[Any, ...]]]:
    """The axes to sweep and their levels, by name, typed and known to the env."""
    levels = {}
    for name, written in axes.items():
        axis = axis_of(text.env, name)
        if axis.neutral is None:
            raise NotApplicable(
                f"{name} cannot be swept: it has no neutral level to compare with; write it into the task."
            )
        levels[name] = axis, parse_levels(axis, written) if written else axis.levels
    return levels


def suite_plan(
    suite: Suite,
    agent: str,
    *,
    seeds: int | None = None,
    episodes: int | None = None,
    settings: Mapping[str, Any] | None = None,
    **asked: Any,
) -> PairsPlan:
    """The plan of a suite's pairs, with the suite's own seeds, episodes, steps and settings as defaults."""
    if suite.agent and agent != suite.agent:
        raise NotApplicable(
            f"{suite.name} gives settings of {suite.agent}, so {agent} cannot run it; use {suite.agent}."
        )
    given, own = dict(settings or {}), suite_steps(suite, agent) | dict(suite.recipes.get(agent, {}))
    first = canonical_in_suite(suite.pairs[0].train)
    plan = basis_of(RUN, agent, str(first), seeds=len(suite.seeds) if seeds is None else seeds,
                     episodes=suite.episodes if episodes is None else episodes, settings=own | given,
                     **asked)  # fmt: skip
    if not asked.get("first_seed"):
        plan = replace(plan, seeds=first_seeds(suite.seeds, len(plan.seeds)))
    configs = [settings_of(agent, {**own, **each, **given}) for each in suite.settings]
    pairs = plan_pairs(suite, configs)
    require_trained_there(agent, [pair.train for pair in pairs])
    texts = {text: parse(text) for pair in pairs for text in pair.tasks}
    for text, parsed in texts.items():
        require_task(agent, text, env_entry(parsed.env).native)
    require_checkpoint_fits(agent, texts.values(), plan.trust)
    table = SpaceTable()
    for pair in pairs:
        require_one_kind(agent, pair.tasks)
        if env_entry(parse(pair.train).env).native:
            for text in pair.tasks:
                require_fit(agent, texts[text], table(texts[text]), True, pair.settings or plan.settings)
    if (cut := step_limit_of(list(texts.values()), asked.get("max_steps"))) is not None:
        plan = replace(plan, max_steps=cut)
    return extend(
        replace(
            plan,
            own_worlds=plan.trains and draws_worlds(list(texts.values())),
            companions=companions_of(texts.values()),
        ),
        PairsPlan,
        limits=limits_of_tasks(list(texts.values()), plan.max_steps),
        suite=SuitePlan(
            name=suite.name, version=suite.version, asks=suite.asks, pairs=pairs,
            measures=measures_to_show(pairs), blind=plan_blind(suite, pairs, agent, plan.budget),
            rollouts=suite.rollouts and plan.trains and not is_outside(agent),
            random=suite.random and agent != RANDOM, counts_events=suite.counts_events,
            normalised=suite.normalised,
            random_play={text: random_play_of(text) for text in texts} if suite.normalised else {},
        ),
    )  # fmt: skip


def plan_pairs(suite: Suite, configs: Sequence[Mapping[str, Any]]) -> tuple[PairPlan, ...]:
    """The pairs of a suite as a plan holds them; `configs` are the agent's settings, pair by pair."""
    tasks = [
        (str(canonical_in_suite(pair.train)), str(canonical_in_suite(pair.evaluate))) for pair in suite.pairs
    ]
    points = points_of([train for train, _ in tasks], suite.settings)
    published = any(pair.name for pair in suite.pairs)
    pairs = []
    for number, (pair, (train, evaluate)) in enumerate(zip(suite.pairs, tasks)):
        pairs.append(
            PairPlan(
                train=train, evaluate=evaluate, name=pair.name, axis=pair.axis,
                settings=through_json(configs[number]) if configs else None,
                point=through_json(points[number]),
                changes=changes_of(train, evaluate) if published else {},
                baseline=pair.baseline, published=pair.published, cell=pair.cell,
                direction=direction_of(train, evaluate) if suite.normalised else "",
            )
        )  # fmt: skip
    return tuple(pairs)


def canonical_in_suite(text: str) -> TaskText:
    """A task of a suite; what is wrong with it names its env, for the user wrote none."""
    try:
        return canonical_task(text)
    except WrongLevel as error:
        env = parse(text).env
        raise error if env in str(error) else WrongLevel(f"{env}: {error}") from None


def first_seeds(own: Sequence[int], count: int) -> tuple[int, ...]:
    """The first seeds of a suite; where it has too few, the smallest other numbers follow."""
    others = (number for number in range(len(own) + count) if number not in own)
    return (*own, *others)[:count]


def changes_of(train: str, evaluate: str) -> dict[str, tuple[Any, Any]]:
    """The parameters in which two tasks differ, with both values as JSON returns them."""
    return {name: (a, b) for name, (a, b) in through_json(changed_parameters(train, evaluate)).items()}


def suite_steps(suite: Suite, agent: str) -> dict[str, int]:
    """The steps that a suite sets, as a setting of the agent; empty for an agent that does not learn."""
    learns = agent != BLIND and has_training(agent, steps_of(settings_of(agent, {})))
    return {"steps": suite.steps} if suite.steps and learns else {}


def design_plan(
    agent: str,
    task: str,
    over: Mapping[str, str],
    design: str,
    count: int | None,
    *,
    settings: Mapping[str, Any] | None = None,
    first_seed: int = 0,
    **asked: Any,
) -> PairsPlan:
    """The plan of a design over settings of task and agent, which trains and evaluates every point."""
    text = canonical_task(task)
    points = design_points(
        [parse_factor(name, written) for name, written in over.items()], design, count, first_seed
    )
    pairs, configs = [], []
    for point in points:
        of_task, of_agent = split_point(point)
        pairs.append(with_levels(text, of_task))
        configs.append(settings_of(agent, {**(settings or {}), **of_agent}))
    suite = Suite(f"{design}-design", 0, f"{design} design over {', '.join(over)}",
                  tuple(Pair(str(pair), str(pair)) for pair in pairs), (0,), EPISODES)  # fmt: skip
    asked["seeds"] = SEEDS if asked.get("seeds") is None else asked["seeds"]
    plan = suite_plan(suite, agent, settings=settings, first_seed=first_seed, **asked)
    designed = tuple(
        replace(pair, settings=through_json(config), point=through_json(point))
        for pair, config, point in zip(plan.suite.pairs, configs, points)
    )
    return replace(plan, suite=replace(plan.suite, pairs=designed))


def with_levels(text: TaskText, levels: Mapping[str, Any]) -> TaskText:
    """The task with several axes at levels; an axis at its neutral level is left out."""
    away = {name: level for name, level in levels.items() if level != axis_of(text.env, name).neutral}
    for name in levels:
        if any(setting.name == name for setting in text.settings):
            raise NotApplicable(f"{name} cannot be varied: {SET_ALREADY}; drop it there.")
    return canonical_task(text, away)


def with_questions(
    plan: Basis, text: TaskText, asked: ExamQuestions, margin: float, episodes: int | None = None
) -> ExamPlan:
    """The exam plan with its questions; they decide how many episodes an agent plays that is not trained."""
    if not 0 <= margin < 1:
        raise AssayError(f"--margin is a share of at least 0 and below 1, such as 0.1, not {margin}.")
    if not asked.questions:
        raise NotApplicable(f"no axis of {text} can be asked of {plan.agent}.")
    reasons: dict[str, list[str]] = {}
    for axis, why in asked.not_asked:
        reasons.setdefault(why, []).append(axis)
    declared = declared_range(text)
    exam = extend(
        plan,
        ExamPlan,
        task=str(text),
        questions=asked.questions,
        not_asked=tuple(NotAsked(tuple(axes), why) for why, axes in reasons.items()),
        margin=margin,
        score_range=declared,
    )
    if episodes is None and not plan.trains:
        needed = units_to_plan(margin, exam.columns, known=declared is not None)
        return replace(exam, episodes=max(EPISODES_ALONE, needed or 0))
    return exam
