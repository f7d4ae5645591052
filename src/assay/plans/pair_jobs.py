"""Finds the records of each pair: pairs with the same training share a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.plans.plan import PairPlan
from assay.results.record import canonical


class PairPlace(NamedTuple):
    """The job of a pair, and which of its tasks the pair is evaluated on."""

    job: str  # the `pair` of the job
    task: int  # the number of the evaluated task among the job's tasks; 0 is the training task


def locate_pairs(pairs: Sequence[PairPlan]) -> list[PairPlace]:
    """The place of each pair, in order."""
    tasks: dict[str, list[str]] = {}  # by training: the tasks of its job
    names: dict[str, str] = {}  # by training: the name of its job
    places = []
    for number, pair in enumerate(pairs):
        training = canonical([pair.train, pair.settings])
        names.setdefault(training, pair_name(number))
        job_tasks = tasks.setdefault(training, [pair.train])
        if pair.evaluate not in job_tasks:
            job_tasks.append(pair.evaluate)
        places.append(PairPlace(names[training], job_tasks.index(pair.evaluate)))
    return places


def pair_name(number: int) -> str:
    return f"{number:03d}"


def rollout_name(task: int, measure: str) -> str:
    """The name of the curve of a measure, played at each report in one of the job's tasks."""
    return f"rollout.{task}.{measure}"
