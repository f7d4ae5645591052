"""Where the records of a pair are: pairs that are trained alike share a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.plans.plan import PairPlan
from assay.results.record import canonical


class Place(NamedTuple):
    job: str  # the `pair` of the job
    task: int  # which of the job's tasks is the one evaluated on; 0 is the one trained on


def places(pairs: Sequence[PairPlan]) -> list[Place]:
    """Of each pair, its job and its task."""
    tasks: dict[str, list[str]] = {}  # by what is trained: the tasks of its job
    heads: dict[str, str] = {}
    positions = []
    for number, pair in enumerate(pairs):
        trained = canonical([pair.train, pair.settings])
        heads.setdefault(trained, pair_name(number))
        played = tasks.setdefault(trained, [pair.train])
        if pair.evaluate not in played:
            played.append(pair.evaluate)
        positions.append(Place(heads[trained], played.index(pair.evaluate)))
    return positions


def pair_name(number: int) -> str:
    return f"{number:03d}"


def rollout_name(task: int, measure: str) -> str:
    """The curve of a measure of the policy at each report, in one of the tasks of its job."""
    return f"rollout.{task}.{measure}"
