"""From what was asked to jobs. A plan is plain JSON, kept in the run's `run.json`; jobs follow from it alone.

train     one agent on one task, its weights kept
examine   train, then every axis of the task (see `ask.py`); `sweep` is an exam of given axes and levels
run       the pairs of a suite
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError
from assay.names import TaskText, parse
from assay.results import Job
from assay.results.asked import BLIND, CARRY, LEARN, PAIR, PLAIN, RANDOM, RETRAIN, Question, places
from assay.results.record import canonical, digest_of
from assay.runs.agents import has_training, is_outside, settings_of
from assay.runs.ask import at, has_worlds
from assay.runs.sources import digest_of_source

KINDS = ("train", "examine", "sweep", "run")


@dataclass(frozen=True)
class Try:
    """One task that a job's agent is evaluated on, and what is asked by it."""

    arm: str
    axis: str
    level: str
    task: str


def tries_of(job: Job) -> list[Try]:
    return [Try(*each) for each in job.config["tries"]]


def episodes_of(job: Job) -> int:
    return job.config["episodes"]


def rollouts_of(job: Job) -> bool:
    """Whether the policy of every report is played too."""
    return job.config.get("rollouts", False)


def folder_name(plan: dict[str, Any]) -> str:
    """Where a plan's run lies: the same plan of the same code in the same place, to be found again."""
    what = plan["task"] if plan["kind"] != "run" else plan["suite"]["name"]
    agent = plan["agent"].removeprefix("sb3:").rsplit("/", 1)[-1].removesuffix(".zip")
    name = f"{agent}-{what}".replace("/", "-").replace(":", ".")
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)[:60]
    asked = canonical(without_proofs(plan)).encode()
    return f"{plain}-{digest_of([asked, digest_of_source(plan).encode()])[:6]}"


def without_proofs(plan: dict[str, Any]) -> dict[str, Any]:
    """What is asked and nothing that is known of it: a certificate renewed meanwhile makes no other run."""
    asked = {name: value for name, value in plan.items() if name != "proofs"}
    if "questions" in plan:
        asked["questions"] = [{**each, "proof": ""} for each in plan["questions"]]
    return asked


def jobs_of(plan: dict[str, Any]) -> list[Job]:
    """Every job that the plan asks for, the dear ones first; the same list each time."""
    makers = {"train": trained, "examine": examined, "sweep": examined, "run": of_suite}
    if plan["kind"] not in makers:
        raise AssayError(f"a plan is of kind {', '.join(KINDS)}, not {plan['kind']!r}.")
    return list(makers[plan["kind"]](plan))


def trained(plan: dict[str, Any]) -> Iterator[Job]:
    for seed in plan["seeds"]:
        plain = world_of(plan, seed)
        yield job(plan, seed, plain, [Try(PLAIN, "", "", plain)])


def examined(plan: dict[str, Any]) -> Iterator[Job]:
    questions = [Question.of_plan(each) for each in plan["questions"]]
    yield from learned(plan, [q for q in questions if q.arm == LEARN])
    for seed in plan["seeds"]:
        plain = world_of(plan, seed)
        rows = {
            q.axis: [Try(CARRY, q.axis, level, str(at(parse(plain), q.axis, level))) for level in q.levels]
            for q in questions
            if q.arm == CARRY
        }
        first = Try(PLAIN, "", "", plain)
        if has_training(plan["agent"], plan["budget"]):
            yield job(plan, seed, plain, [first, *(each for row in rows.values() for each in row)])
        else:
            # Nothing is trained, so each axis can be a job of its own: workers share them out.
            for row in ([first], *rows.values()):
                yield job(plan, seed, plain, row)
        if plan["agent"] != RANDOM:
            yield job(plan, seed, plain, [first, *(each for row in rows.values() for each in row)], RANDOM)


def learned(plan: dict[str, Any], questions: list[Question]) -> Iterator[Job]:
    for question in questions:
        for level in question.levels:
            yield from under(plan, LEARN, question.axis, level)


def under(plan: dict[str, Any], arm: str, axis: str, level: str) -> Iterator[Job]:
    """Every seed trained and evaluated at one level of one axis."""
    for seed in plan["seeds"]:
        text = str(at(parse(world_of(plan, seed)), axis, level))
        yield job(plan, seed, text, [Try(arm, axis, level, text)])


def retrained(plan: dict[str, Any], broken: list[tuple[str, str]]) -> list[Job]:
    """The jobs that train anew at a level at which the frozen agents broke: (axis, level)."""
    return [each for axis, level in broken for each in under(plan, RETRAIN, axis, level)]


def of_suite(plan: dict[str, Any]) -> Iterator[Job]:
    suite = plan["suite"]
    for name, tasks in together(suite["pairs"], suite.get("settings", ())).items():
        # A design varies the agent's settings too, pair by pair.
        here = plan | {"config": suite["settings"][int(name)]} if "settings" in suite else plan
        for seed in plan["seeds"]:
            yield pair_job(here, seed, tasks, name)
    blind = suite.get("blind")
    if blind:
        for name, tasks in together(blind["pairs"]).items():
            for config in blind["configs"]:
                for seed in plan["seeds"]:
                    yield pair_job(plan | {"config": config}, seed, tasks, name, BLIND)


def together(pairs: list[list[str]], settings: Sequence[Any] = ()) -> dict[str, list[str]]:
    """The tasks of each job, by its name: the one trained on, then those evaluated on elsewhere."""
    found: dict[str, list[str]] = {}
    for place, (train, evaluate) in zip(places(pairs, settings), pairs):
        tasks = found.setdefault(place.job, [train])
        if place.task == len(tasks):
            tasks.append(evaluate)
    return found


def pair_job(plan: dict[str, Any], seed: int, tasks: list[str], name: str, agent: str = "") -> Job:
    train_on, *others = (str(moved(plan, parse(text), seed)) for text in tasks)
    rows = [Try(PLAIN, "", "", train_on), *(Try(PAIR, "", "", text) for text in others)]
    return job(plan, seed, train_on, rows, agent, pair=name)


def world_of(plan: dict[str, Any], seed: int) -> str:
    """The plain task of a seed."""
    return str(moved(plan, parse(plan["task"]), seed))


def moved(plan: dict[str, Any], text: TaskText, seed: int) -> TaskText:
    """The task in the world of this seed, where every seed has one of its own."""
    return at(text, "mdp_seed", seed) if plan["own_mdp"] and has_worlds(text) else text


def given_weights(plan: dict[str, Any], agent: str, rows: list[Try], seed: int) -> list | None:
    """Where the weights of a seed lie, if an earlier run trained it: folder, job and digest."""
    if agent == RANDOM or rows[0].arm != PLAIN:
        return None
    return plan.get("weights", {}).get(str(seed))


def job(
    plan: dict[str, Any], seed: int, train_task: str, rows: list[Try], agent: str = "", pair: str = ""
) -> Job:
    agent = agent or plan["agent"]
    settings = settings_of(agent, {}) if agent == RANDOM else plan["config"]
    suite = plan.get("suite") or {"name": "", "version": 0}
    return Job.planned(
        suite=suite["name"],
        version=suite["version"],
        pair=pair,
        train_task=train_task,
        eval_task=rows[-1].task,
        agent=agent,
        config={
            "agent": settings,
            "episodes": plan["episodes"],
            "tries": [[each.arm, each.axis, each.level, each.task] for each in rows],
            **({"max_steps": plan["max_steps"]} if plan.get("max_steps") else {}),
            **({"trust": True} if plan.get("trust") and is_outside(agent) else {}),
            **({"rollouts": True} if suite.get("rollouts") and agent == plan["agent"] else {}),
            **({"weights": weights} if (weights := given_weights(plan, agent, rows, seed)) else {}),
        },
        seed=seed,
        budget=0 if agent == RANDOM else int(settings.get("steps", 0)),
        source_digest=digest_of_source(plan),
    )
