"""Batches: jobs that one program trains together, one lane for each job.

Batches depend on the jobs of a run and the number of lanes alone, never on which jobs are done already. If
only part of a batch is left, its program keeps its number of lanes, and copies of a job fill the spare ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import jax

from assay.catalogue import env_entry
from assay.core.env import Task
from assay.errors import AssayError
from assay.plans.agents import catalogue_agent, config_of, is_outside
from assay.plans.job_plan import job_plan
from assay.plans.question import RANDOM, RETRAIN
from assay.results import Job
from assay.results.record import canonical
from assay.runs.program import build_alone, program, signature
from assay.strict_json import to_json
from assay.task_spaces import SpaceTable
from assay.task_text import parse

# Agents trained at a time. On a CPU more lanes gain nothing, and a killed run loses less with few.
LANES = {"cpu": 10}
LANES_OF_ACCELERATORS = 100

T = TypeVar("T")


class Batch(NamedTuple):
    """Jobs that are done together, and the lanes of the program that trains them."""

    jobs: list[Job]
    lanes: int

    @property
    def ids(self) -> list[str]:
        return [job.id for job in self.jobs]


def lanes_on(backend: str) -> int:
    """How many agents a program trains at a time on a device of this kind."""
    return LANES.get(backend, LANES_OF_ACCELERATORS)


def device() -> str:
    """The device that programs run on here, such as `cpu` or `gpu NVIDIA H200`."""
    first = jax.devices()[0]
    kind = str(first.device_kind)
    return first.platform if kind == first.platform else f"{first.platform} {kind}"


def batches(jobs: Iterable[Job], lanes: int) -> list[Batch]:
    """The jobs in groups that share a program, at most `lanes` in a batch, in the order given."""
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault(kind_of(job), []).append(job)
    return [Batch(piece, len(piece)) for group in groups.values() for piece in in_pieces(group, lanes)]


def batches_of_phases(jobs: Iterable[Job], lanes: int) -> list[list[Batch]]:
    """The batches of both phases of a run; the second trains agents anew, when all other jobs are done."""
    first: list[Job] = []
    later: list[Job] = []
    for job in jobs:
        (later if job_plan(job).arm == RETRAIN else first).append(job)
    first.sort(key=turn_of)
    return [batches(each, lanes) for each in (first, later)]


def turn_of(job: Job) -> int:
    """The place of a job in the first phase, lower ones first; jobs with the same one stay in their order."""
    if not is_native(job):
        # Random play is short beside training, and once it has begun the time that is left can be told.
        return -1 if job.agent == RANDOM else 0
    # Random play tries all that the agent's jobs try: begun last, it would keep one worker alone at the end.
    return 0 if job.budget else -len(job_plan(job).tries)


def spread(work: list[Batch], hands: int) -> list[Batch]:
    """Splits the batches if there are few, so that no worker is idle while another one has much left."""
    if len(work) >= 2 * hands:
        return work
    return [part for batch in work for part in split_batch(batch, hands)]


def split_batch(batch: Batch, parts: int) -> list[Batch]:
    size = max(2, -(-len(batch.jobs) // parts))
    return [Batch(piece, len(piece)) for piece in in_pieces(batch.jobs, size)]


def unfinished_batches(work: Iterable[Batch], left: Collection[str]) -> list[Batch]:
    """The batches with only those jobs whose ids are in `left`; each keeps its number of lanes."""
    batches = [Batch([job for job in batch.jobs if job.id in left], batch.lanes) for batch in work]
    return [batch for batch in batches if batch.jobs]


def batches_again(jobs: Iterable[Job]) -> list[Batch]:
    """Batches of finished jobs, to be done again by programs with as many lanes as the first time."""
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault((kind_of(job), job.lanes or 1), []).append(job)
    return [Batch(piece, lanes) for (_, lanes), group in groups.items() for piece in in_pieces(group, lanes)]


def in_pieces(whole: list[T], size: int) -> list[list[T]]:
    return [whole[i : i + size] for i in range(0, len(whole), size)]


def kind_of(job: Job) -> Any:
    """A key that is equal for jobs that can be lanes of one batch."""
    if not is_native(job) or trains_alone(job):
        return job.id
    todo = job_plan(job)
    return (
        job.agent,
        todo.weights is not None,
        canonical(to_json(replace(todo, tries=(), weights=None))),
        job.budget,
        signature(builder_of(job)(job.train_task)),
    )


def builder_of(job: Job) -> Callable[[str], Task]:
    """The function that builds the tasks of a native job from their texts.

    In a suite, an agent that does not look gets its tasks without companions, and so does one that is trained
    alone, whose single lane they would slow down many times; an exam has too many tasks to compile a program
    for each.
    """
    if job.suite and (trains_alone(job) or not catalogue_agent(job.agent).looks):
        return build_alone
    return partial(program, companions=job_plan(job).companions)


def trains_alone(job: Job) -> bool:
    """Whether a native job is trained by a program of its own, beside no other."""
    try:
        config = config_of(job.agent, job_plan(job).settings)
    except (TypeError, AssayError):
        return False  # its own attempt says what is wrong with its settings
    return is_alone(job.agent, job.train_task, config)


@cache
def is_alone(name: str, task: str, config: Any) -> bool:
    agent, spaces = catalogue_agent(name), partial(SpaceTable(), parse(task))
    alone = agent.alone(spaces()) if callable(agent.alone) else agent.alone
    return alone or bool(agent.alone_with and agent.alone_with(config, spaces()))


def is_native(job: Job) -> bool:
    return not is_outside(job.agent) and env_entry(parse(job.train_task).env).native
