"""Which jobs are trained together: those that one program can train, a lane each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from assay.catalogue import env_entry
from assay.core.env import Task
from assay.names import parse
from assay.plans.agents import is_outside, ours
from assay.plans.job_plan import job_plan
from assay.results import Job
from assay.results.record import canonical
from assay.runs.program import alone, program, signature
from assay.strict_json import to_json

LANES = 10  # agents trained at a time: more gain nothing on a CPU, and less is lost when a run is killed


def batches(jobs: Iterable[Job]) -> list[list[Job]]:
    """Jobs that share a program, at most LANES together, in the order given."""
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault(kind_of(job), []).append(job)
    return [some for group in groups.values() for some in in_pieces(group, LANES)]


def in_pieces(whole: list, size: int) -> list[list]:
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
    return alone if ours(job.agent).blind and job.suite else program


def is_native(job: Job) -> bool:
    return not is_outside(job.agent) and env_entry(parse(job.train_task).env).native
