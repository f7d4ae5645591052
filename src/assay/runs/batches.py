"""Which jobs are trained together, and by how many lanes: jobs that one program can train have a lane each.

Batches follow from the jobs of a run and the number of lanes alone, never from what is done already: where a
part of a batch is left, its program keeps the lanes that it had, and copies fill those that nobody needs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax

from assay.catalogue import env_entry
from assay.core.env import Task
from assay.plans.agents import catalogue_agent, is_outside
from assay.plans.job_plan import job_plan
from assay.plans.question import RETRAIN
from assay.results import Job
from assay.results.record import canonical
from assay.runs.program import alone, program, signature
from assay.strict_json import to_json
from assay.task_text import parse

# Agents trained at a time. On a CPU more gain nothing, and less is lost when a run is killed.
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
    """What programs run on here, such as `cpu` or `gpu NVIDIA H200`."""
    first = jax.devices()[0]
    kind = str(first.device_kind)
    return first.platform if kind == first.platform else f"{first.platform} {kind}"


def batches(jobs: Iterable[Job], lanes: int) -> list[Batch]:
    """Jobs that share a program, so many together at most, in the order given."""
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault(kind_of(job), []).append(job)
    return [Batch(some, len(some)) for group in groups.values() for some in in_pieces(group, lanes)]


def batches_of_phases(jobs: Iterable[Job], lanes: int) -> list[list[Batch]]:
    """The batches of a run, those of agents trained anew apart: they are planned when the others are done."""
    first: list[Job] = []
    later: list[Job] = []
    for job in jobs:
        (later if job_plan(job).arm == RETRAIN else first).append(job)
    return [batches(each, lanes) for each in (first, later)]


def spread(work: list[Batch], hands: int) -> list[Batch]:
    """Batches small enough that no worker waits for the last one of another."""
    if len(work) >= 2 * hands:
        return work
    return [half for batch in work for half in halves(batch, hands)]


def halves(batch: Batch, parts: int) -> list[Batch]:
    size = max(2, -(-len(batch.jobs) // parts))
    return [Batch(some, len(some)) for some in in_pieces(batch.jobs, size)]


def left_of(work: Iterable[Batch], left: Collection[str]) -> list[Batch]:
    """The batches without what is done of them, with the lanes that they had."""
    some = [Batch([job for job in batch.jobs if job.id in left], batch.lanes) for batch in work]
    return [batch for batch in some if batch.jobs]


def batches_again(jobs: Iterable[Job]) -> list[Batch]:
    """Finished jobs, to be done again by programs of as many lanes as those that did them."""
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault((kind_of(job), job.lanes or 1), []).append(job)
    return [Batch(some, lanes) for (_, lanes), group in groups.items() for some in in_pieces(group, lanes)]


def in_pieces(whole: list[T], size: int) -> list[list[T]]:
    return [whole[i : i + size] for i in range(0, len(whole), size)]


def kind_of(job: Job) -> Any:
    """Equal for jobs that can be lanes of one batch."""
    if not is_native(job):
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
    """How the tasks of a job of ours are built from their texts; an exam has too many of them to be alone."""
    if not catalogue_agent(job.agent).looks and job.suite:
        return alone
    return partial(program, companions=job_plan(job).companions)


def is_native(job: Job) -> bool:
    return not is_outside(job.agent) and env_entry(parse(job.train_task).env).native
