"""Lists the jobs of a plan; a plan always gives the same list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from assay.catalogue import env_entry, world_seed_of
from assay.interop.agents import OF_FILES
from assay.plans.agents import has_training, is_outside, settings_of, steps_of
from assay.plans.choose_questions import with_level
from assay.plans.job_plan import JobPlan, Try
from assay.plans.pair_jobs import locate_pairs, pair_name
from assay.plans.plan import (
    ExamPlan,
    PairPlan,
    PairsPlan,
    Plan,
    TrainPlan,
    Weights,
    plan_to_json,
    request_of,
)
from assay.plans.question import BLIND, CARRY, LEARN, PAIR, PLAIN, RANDOM, RETRAIN, Question
from assay.plans.sources import digest_of_source
from assay.results import Job
from assay.results.record import canonical, digest_of
from assay.strict_json import to_json
from assay.task_text import TaskText, parse

Draft = Callable[..., Job]  # a job that lacks only the digest of its code


def folder_name(plan: Plan) -> str:
    """The name of a run's folder: the same plan and the same code give the same name."""
    kind = next((each for each in OF_FILES if plan.agent.startswith(each)), "")
    agent = plan.agent.removeprefix(kind).rsplit("/", 1)[-1]
    agent = agent.removesuffix(".zip").removesuffix(".yaml")
    name = f"{agent}-{plan.name}".replace("/", "-").replace(":", ".")
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)[:60]
    request = canonical(plan_to_json(request_of(plan))).encode()
    return f"{plain}-{digest_of([request, digest_of_source(plan).encode()])[:6]}"


def jobs_of(plan: Plan) -> list[Job]:
    """Every job that the plan asks for, the expensive ones first."""
    if isinstance(plan, TrainPlan):
        return sign(plan, draft_training(plan))
    if isinstance(plan, ExamPlan):
        return sign(plan, draft_exam(plan))
    assert isinstance(plan, PairsPlan)
    return sign(plan, draft_suite(plan))


def sign(plan: Plan, drafts: Iterable[Draft]) -> list[Job]:
    """The jobs with the digest of their code, which is computed once."""
    digest = digest_of_source(plan)
    return [draft(source_digest=digest) for draft in drafts]


def draft_training(plan: TrainPlan) -> Iterator[Draft]:
    for seed in plan.seeds:
        plain = task_of_seed(plan, plan.task, seed)
        yield draft_job(plan, seed, plain, [Try(PLAIN, "", "", plain)])


def draft_exam(plan: ExamPlan) -> Iterator[Draft]:
    yield from draft_learning(plan, [q for q in plan.questions if q.arm == LEARN])
    for seed in plan.seeds:
        plain = task_of_seed(plan, plan.task, seed)
        rows = {
            q.axis: [
                Try(CARRY, q.axis, level, str(with_level(parse(plain), q.axis, level))) for level in q.levels
            ]
            for q in plan.questions
            if q.arm == CARRY
        }
        first = Try(PLAIN, "", "", plain)
        if has_training(plan.agent, plan.budget):
            yield draft_job(plan, seed, plain, [first, *(each for row in rows.values() for each in row)])
        else:
            # Nothing is trained, so each axis can be a job of its own, and workers share the axes.
            for row in ([first], *rows.values()):
                yield draft_job(plan, seed, plain, row)
        if plan.agent != RANDOM:
            yield draft_job(
                plan, seed, plain, [first, *(each for row in rows.values() for each in row)], RANDOM
            )


def draft_learning(plan: ExamPlan, questions: list[Question]) -> Iterator[Draft]:
    for question in questions:
        for level in question.levels:
            yield from draft_at_level(plan, LEARN, question.axis, level)


def draft_at_level(plan: ExamPlan, arm: str, axis: str, level: str) -> Iterator[Draft]:
    """Jobs that train and evaluate every seed at one level of one axis."""
    for seed in plan.seeds:
        text = str(with_level(parse(task_of_seed(plan, plan.task, seed)), axis, level))
        yield draft_job(plan, seed, text, [Try(arm, axis, level, text)])


def retraining_jobs(plan: ExamPlan, broken: list[tuple[str, str]]) -> list[Job]:
    """The jobs that train anew at each (axis, level) at which the frozen agents broke."""
    drafts = (each for axis, level in broken for each in draft_at_level(plan, RETRAIN, axis, level))
    return sign(plan, drafts) if broken else []


def draft_suite(plan: PairsPlan) -> Iterator[Draft]:
    suite = plan.suite
    for name, pairs in group_by_job(suite.pairs).items():
        for seed in plan.seeds:
            # A design may vary the agent's settings from pair to pair.
            yield draft_pair_job(plan, seed, pairs, name, settings=pairs[0].settings)
    if suite.blind:
        for name, pairs in group_by_job(suite.blind.pairs).items():
            for settings in suite.blind.settings:
                for seed in plan.seeds:
                    yield draft_pair_job(plan, seed, pairs, name, BLIND, settings)
    if suite.random:
        yield from draft_random_play(plan)


def draft_random_play(plan: PairsPlan) -> Iterator[Draft]:
    """Random play of every evaluation task; of every seed's own world, where seeds have worlds."""
    for number, text in enumerate(dict.fromkeys(pair.evaluate for pair in plan.suite.pairs)):
        for seed in plan.seeds if plan.own_worlds else plan.seeds[:1]:
            alone = PairPlan(train=text, evaluate=text)
            yield draft_pair_job(plan, seed, [alone], pair_name(number), RANDOM)


def group_by_job(pairs: Sequence[PairPlan]) -> dict[str, list[PairPlan]]:
    """The pairs that share a training, by the name of their job."""
    by_job: dict[str, list[PairPlan]] = {}
    for place, pair in zip(locate_pairs(pairs), pairs):
        by_job.setdefault(place.job, []).append(pair)
    return by_job


def draft_pair_job(
    plan: PairsPlan,
    seed: int,
    pairs: Sequence[PairPlan],
    name: str,
    agent: str = "",
    settings: Mapping[str, Any] | None = None,
) -> Draft:
    tasks = dict.fromkeys([pairs[0].train, *(pair.evaluate for pair in pairs)])
    train_on, *others = (task_of_seed(plan, text, seed) for text in tasks)
    rows = [Try(PLAIN, "", "", train_on), *(Try(PAIR, "", "", text) for text in others)]
    return draft_job(plan, seed, train_on, rows, agent, name, settings)


def task_of_seed(plan: Plan, task: str, seed: int) -> str:
    """The task; with the world of this seed, where every seed has a world of its own."""
    text: TaskText = parse(task)
    axis = world_seed_of(text.env) if plan.own_worlds else None
    return str(with_level(text, axis.name, seed) if axis else text)


def trained_weights(plan: Plan, agent: str, rows: list[Try], seed: int) -> Weights | None:
    """The weights of a seed that an earlier run trained, or None."""
    if not isinstance(plan, (ExamPlan, PairsPlan)) or agent != plan.agent or rows[0].arm != PLAIN:
        return None
    return plan.weights.get(str(seed))


def draft_job(
    plan: Plan,
    seed: int,
    train_task: str,
    rows: list[Try],
    agent: str = "",
    pair: str = "",
    settings: Mapping[str, Any] | None = None,
) -> Draft:
    agent = agent or plan.agent
    if agent == RANDOM:
        settings = settings_of(agent, {})
    elif settings is None:
        settings = plan.settings
    suite = plan.suite if isinstance(plan, PairsPlan) else None
    job = JobPlan(
        settings=settings,
        episodes=plan.episodes,
        tries=tuple(rows),
        max_steps=plan.max_steps,
        trust=plan.trust and is_outside(agent),
        rollouts=bool(suite and suite.rollouts and agent == plan.agent),
        weights=trained_weights(plan, agent, rows, seed),
        transcripts=plan.transcripts,
        counts_events=bool(suite and suite.counts_events and not env_entry(parse(train_task).env).native),
        companions=plan.companions,
    )
    return partial(
        Job.planned,
        suite=suite.name if suite else "",
        version=suite.version if suite else 0,
        pair=pair,
        train_task=train_task,
        eval_task=rows[-1].task,
        agent=agent,
        config=to_json(job),
        seed=seed,
        budget=0 if agent == RANDOM else steps_of(settings),
    )
