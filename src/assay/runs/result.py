"""The result of a job: its episodes, curves and weights, and what they cost."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from assay.catalogue import world_seed_of
from assay.core.streams import digest_number
from assay.interop.play import Played
from assay.plans.job_plan import Try
from assay.results import Cost, Episode, Job, MadeWith
from assay.results.record import COUNTED
from assay.task_text import parse
from assay.tasks import resolve


class Result(NamedTuple):
    """The result of a job, or why it failed."""

    job: str
    episodes: list[Episode]
    curves: pa.Table | None
    weights: dict[str, np.ndarray] | None
    cost: Cost
    failed: str = ""
    made_with: MadeWith = MadeWith()
    transcript: pa.Table | None = None  # every step of its evaluation, where the plan asks for it


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended, such as those that play lanes."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


class Meter:
    """Measures the wall and CPU seconds since it was read last."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), cpu_seconds()

    def read(self, shared_by: int = 1) -> Cost:
        wall, cpu = time.perf_counter(), cpu_seconds()
        spent = (wall - self.wall) / shared_by, (cpu - self.cpu) / shared_by
        self.wall, self.cpu = wall, cpu
        jax = sys.modules.get("jax")  # a process that has not loaded it has used no device
        on_device = jax is not None and jax.default_backend() != "cpu"
        return Cost(*spent, device_s=spent[0] if on_device else 0.0)


def add_costs(a: Cost, b: Cost) -> Cost:
    return Cost(*((x or 0.0) + (y or 0.0) for x, y in zip(a, b)))


def evaluation_seed(seed: int) -> int:
    """The seed of a job's evaluation, apart from that of its training."""
    return digest_number(seed, "evaluate") % 2**63


def episode_rows(job: Job, each: Try, played: Iterable[Played]) -> list[Episode]:
    world = world_number(each.task)
    return [
        Episode(
            job=job.id, task=each.task, arm=each.arm, axis=each.axis, level=each.level, world_seed=world,
            episode=number, steps=int(one.steps), return_=float(one.paid), score=float(one.score),
            terminated=bool(one.terminated), truncated=bool(one.truncated), drawn=one.drawn,
            extra={**one.measures, **{f"{COUNTED}{name}": times for name, times in one.events.items()}},
            digest=one.digest or None,
        )
        for number, one in enumerate(played)
    ]  # fmt: skip


def world_number(text: str) -> int | None:
    """The seed of a generated world, where the env has one."""
    resolved = resolve(parse(text))
    axis = world_seed_of(resolved.text.env)
    return resolved.value(axis.name, axis.neutral) if axis else None
