"""Runs written by hand: known scores per seed and level, no agent, no env."""

from assay.plans.job_plan import JobPlan, Try
from assay.plans.plan import ExamPlan, PairPlan, PairsPlan, SuitePlan, TrainPlan, plan_to_json
from assay.plans.question import Question
from assay.results import Curve, Episode, Job, Reference, create
from assay.strict_json import to_json

PLAIN = ("plain", "", "")
TASK = "toy/discrete"


def question(axis, *levels, arm="carry", neutral="0.0", ordered=True, shares=False):
    return Question(arm, axis, levels, neutral, ordered, shares, ("action",), f"what {axis} is")


def exam_plan(
    *questions, agent="dqn", task=TASK, seeds=4, episodes=100, trains=True, margin=0.1, not_asked=(), **more
):
    # So many episodes that one of them weighs little; the records below hold fewer, which nobody counts.
    return ExamPlan(
        kind="examine", agent=agent, settings={"steps": 500}, budget=500 if trains else 0, trains=trains,
        seeds=tuple(range(seeds)), episodes=episodes, own_worlds=trains, task=task,
        questions=tuple(questions), not_asked=tuple(not_asked), margin=margin, **more,
    )  # fmt: skip


def train_plan(task=TASK, agent="dqn", seeds=4):
    return TrainPlan(
        kind="train", agent=agent, settings={"steps": 500}, budget=500, trains=True,
        seeds=tuple(range(seeds)), episodes=3, own_worlds=False, task=task,
    )  # fmt: skip


def pairs_plan(*pairs, agent="dqn", seeds=2, episodes=3, trains=False, own_worlds=False, **of_suite):
    """A plan of the pairs of a suite: (train, evaluate) texts, or `PairPlan`s."""
    made = [
        each if isinstance(each, PairPlan) else PairPlan(train=each[0], evaluate=each[1]) for each in pairs
    ]
    suite = {"name": "own", "version": 1, "asks": "a question?"} | of_suite
    return PairsPlan(
        kind="run", agent=agent, settings={"steps": 500}, budget=500 if trains else 0, trains=trains,
        seeds=tuple(range(seeds)), episodes=episodes, own_worlds=own_worlds,
        suite=SuitePlan(pairs=tuple(made), **suite),
    )  # fmt: skip


def made_run(folder, plan, command=()):
    return create(folder, plan_to_json(plan), command)


def task_of(place, seed=None, task=TASK):
    """The text of a place; a trained seed has a world of its own."""
    _, axis, level = place
    world = "" if seed is None else f"+mdp_seed={seed}"
    return f"{task}{world}" + (f"+{axis}={level}" if axis else "")


def job_of(plan, seed, places, agent=None, pair=""):
    """A job of a plan; where every seed has a world of its own, its tasks name it."""
    agent = agent or plan.agent
    world = seed if isinstance(plan, ExamPlan) and plan.trains else None
    task = plan.tasks[0]
    tries = tuple(Try(*place, task_of(place, world, task)) for place in places)
    suite = plan.suite if isinstance(plan, PairsPlan) else None
    return Job.planned(
        suite=suite.name if suite else "", version=suite.version if suite else 0, pair=pair,
        train_task=tries[0].task, eval_task=tries[-1].task, agent=agent,
        config=to_json(JobPlan(settings={}, episodes=plan.episodes, tries=tries)), seed=seed,
        budget=0 if agent == "random" else plan.budget, source_digest="0" * 32,
    )  # fmt: skip


def episodes_of(job, place, task, scores, digests=None):
    return [
        Episode(job=job.id, task=task, arm=place[0], axis=place[1], level=place[2], episode=number, steps=9,
                return_=score, score=score, terminated=False, truncated=True,
                digest=digests[number] if digests else None)
        for number, score in enumerate(scores)
    ]  # fmt: skip


def around(score):
    """Episodes of one trained agent, whose mean is its score."""
    return [score - 1, score + 1, score]


def exam(folder, plan, scores, random=None, optimum=None, curves=(), lost=()):
    """A run of trained seeds. scores and random: {place: [score of each seed]}; lost: failed (seed, place).

    optimum: {place: value, or one for each seed}; curves: {place: {seed: [(step, value)]}}.
    """
    run = made_run(folder, plan, ["assay", "examine", plan.agent, plan.task])
    carried = [place for place in scores if place[0] in ("plain", "carry")]
    apart = [[place] for place in scores if place[0] in ("learn", "retrain")]
    jobs = [(seed, places, plan.agent) for places in [*apart, carried] for seed in plan.seeds]
    jobs += [(seed, list(random or {}), "random") for seed in plan.seeds if random]
    for seed, places, agent in jobs:
        job = job_of(plan, seed, places, agent)
        run.add_jobs([job])
        run.claim()
        if any((seed, place) in lost for place in places) and agent != "random":
            run.fail(job.id, f"{agent} raised an error in {places[-1][1] or 'plain'}")
            continue
        table = random if agent == "random" else scores
        rows = []
        for place in places:
            rows += episodes_of(job, place, task_of(place, seed, plan.task), around(table[place][seed]))
        points = dict(curves).get(places[0], {}).get(seed, ()) if agent != "random" else ()
        run.finish(job.id, rows, [Curve(job=job.id, step=s, name="score", value=v) for s, v in points])
    run.add_references(
        Reference(task=task_of(place, seed, plan.task), kind="optimum", value=each, how="by hand")
        for place, value in (optimum or {}).items()
        for seed, each in zip(plan.seeds, value if isinstance(value, list) else [value] * len(plan.seeds))
    )
    return run


def given_exam(folder, plan, scores, random, digests=None):
    """A run of one given agent, one job per axis. scores and random: {place: [score of each episode]}.

    digests: the same of the episodes' digests.
    """
    run = made_run(folder, plan, ["assay", "examine", plan.agent, plan.task])
    axes = dict.fromkeys(place[1] for place in scores)
    groups = [([place for place in scores if place[1] == axis], plan.agent, scores) for axis in axes]
    for places, agent, table in [*groups, (list(random), "random", random)]:
        job = job_of(plan, 0, places, agent)
        run.add_jobs([job])
        run.claim()
        rows = []
        for place in places:
            named = (digests or {}).get(place) if agent != "random" else None
            rows += episodes_of(job, place, task_of(place, None, plan.task), table[place], named)
        run.finish(job.id, rows)
    return run
