"""Runs written by hand: known scores per seed and level, no agent, no env."""

from assay.results import Curve, Episode, Job, Reference, create

PLAIN = ("plain", "", "")
TASK = "toy/discrete"


def question(axis, *levels, arm="carry", neutral="0.0", ordered=True, shares=False):
    return {
        "arm": arm, "axis": axis, "levels": list(levels), "neutral": neutral, "ordered": ordered,
        "shares": shares, "components": ["action"], "means": f"what {axis} is",
    }  # fmt: skip


def exam_plan(
    *questions, agent="dqn", task=TASK, seeds=4, episodes=100, trains=True, margin=0.1, not_asked=()
):
    # So many episodes that one of them weighs little; the records below hold fewer, which nobody counts.
    return {
        "kind": "examine", "agent": agent, "config": {"steps": 500}, "budget": 500 if trains else 0,
        "task": task, "seeds": list(range(seeds)), "episodes": episodes, "own_mdp": trains, "trains": trains,
        "trust": False,
        "questions": list(questions), "not_asked": list(not_asked), "margin": margin, "retrains": trains,
    }  # fmt: skip


def task_of(place, seed=None, task=TASK):
    """The text of a place; a trained seed has a world of its own."""
    _, axis, level = place
    world = "" if seed is None else f"+mdp_seed={seed}"
    return f"{task}{world}" + (f"+{axis}={level}" if axis else "")


def job_of(plan, seed, places, agent=None, pair="", suite=None):
    agent = agent or plan["agent"]
    rows = [[*place, task_of(place, seed if plan["trains"] else None, plan["task"])] for place in places]
    return Job.planned(
        suite=(suite or {}).get("name", ""), version=(suite or {}).get("version", 0), pair=pair,
        train_task=rows[0][3], eval_task=rows[-1][3], agent=agent,
        config={"agent": {}, "episodes": plan["episodes"], "tries": rows}, seed=seed,
        budget=0 if agent == "random" else plan["budget"], source_digest="0" * 32,
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
    run = create(folder, plan, ["assay", "examine", plan["agent"], plan["task"]])
    carried = [place for place in scores if place[0] in ("plain", "carry")]
    apart = [[place] for place in scores if place[0] in ("learn", "retrain")]
    jobs = [(seed, places, plan["agent"]) for places in [*apart, carried] for seed in plan["seeds"]]
    jobs += [(seed, list(random or {}), "random") for seed in plan["seeds"] if random]
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
            rows += episodes_of(job, place, task_of(place, seed, plan["task"]), around(table[place][seed]))
        points = dict(curves).get(places[0], {}).get(seed, ()) if agent != "random" else ()
        run.finish(job.id, rows, [Curve(job=job.id, step=s, name="score", value=v) for s, v in points])
    run.add_references(
        Reference(task=task_of(place, seed, plan["task"]), kind="optimum", value=each, how="by hand")
        for place, value in (optimum or {}).items()
        for seed, each in zip(
            plan["seeds"], value if isinstance(value, list) else [value] * len(plan["seeds"])
        )
    )
    return run


def given_exam(folder, plan, scores, random, digests=None):
    """A run of one given agent, one job per axis. scores and random: {place: [score of each episode]}.

    digests: the same of the episodes' digests.
    """
    run = create(folder, plan, ["assay", "examine", plan["agent"], plan["task"]])
    axes = dict.fromkeys(place[1] for place in scores)
    groups = [([place for place in scores if place[1] == axis], plan["agent"], scores) for axis in axes]
    for places, agent, table in [*groups, (list(random), "random", random)]:
        job = job_of(plan, 0, places, agent)
        run.add_jobs([job])
        run.claim()
        rows = []
        for place in places:
            named = (digests or {}).get(place) if agent != "random" else None
            rows += episodes_of(job, place, task_of(place, None, plan["task"]), table[place], named)
        run.finish(job.id, rows)
    return run
