"""The episodes of each pair of a run, on the task that it is evaluated on, and those of random play there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from assay.analysis.pairs import jobs_of_pairs
from assay.plans.pair_jobs import pair_name
from assay.plans.plan import PairsPlan
from assay.plans.question import PLAIN, RANDOM
from assay.results import Run
from assay.results.record import COUNTED

SEEN = "concept_seen"  # as `interop.concepts` names it


class Episodes(NamedTuple):
    """The episodes of all finished seeds, in the same order in each entry."""

    scores: np.ndarray  # (episodes,)
    seeds: np.ndarray  # (episodes,)
    extras: tuple[str, ...]  # JSON of what was measured of each

    @property
    def events(self) -> dict[str, float]:
        """By axis: how often it acted in an episode, on average; empty where that was not counted.

        The concept that is seen changes as often as that of the steps, and is not told beside it.
        """
        sums: dict[str, int] = {}
        for extra in self.extras:
            for name, times in json.loads(extra).items():
                axis = name.removeprefix(COUNTED)
                if name.startswith(COUNTED) and axis != SEEN:
                    sums[axis] = sums.get(axis, 0) + times
        return {axis: times / len(self.extras) for axis, times in sums.items()}


Tasks = Mapping[tuple[str, str], list[tuple[float, str]]]  # by arm and task: score and extra of each episode


def tasks_by_job(run: Run) -> dict[str, Tasks]:
    """The episodes of every job, by task, the training task first."""
    jobs: dict[str, dict[tuple[str, str], list[tuple[float, str]]]] = {}
    columns: Any = (run.episodes()[name].to_pylist() for name in ("job", "arm", "task", "score", "extra"))
    for job, arm, task, score, extra in zip(*columns):
        jobs.setdefault(job, {}).setdefault((arm, task), []).append((score, extra))
    return {
        job: dict(sorted(tasks.items(), key=lambda each: each[0][0] != PLAIN)) for job, tasks in jobs.items()
    }


def episodes_of_pairs(run: Run) -> list[Episodes | None]:
    """For each pair, in the order of the plan, its episodes; None where no job of it is finished."""
    by_job = tasks_by_job(run)
    result = []
    for jobs, task in jobs_of_pairs(run):
        played = [
            (job.seed, *each)
            for job in jobs
            if len(by_job.get(job.id, ())) > task
            for each in list(by_job[job.id].values())[task]
        ]
        result.append(gather(played) if played else None)
    return result


def random_episodes(run: Run, plan: PairsPlan) -> dict[str, Episodes]:
    """The episodes of random play that the plan asks for beside the agent's, by evaluation task."""
    if not plan.suite.random:
        return {}
    by_job = tasks_by_job(run)
    played: dict[str, list[tuple[int, float, str]]] = {}
    tasks = dict.fromkeys(pair.evaluate for pair in plan.suite.pairs)
    names = {pair_name(number): task for number, task in enumerate(tasks)}
    for job in run.jobs(agent=RANDOM, status="done"):
        for each in (each for rows in by_job.get(job.id, {}).values() for each in rows):
            played.setdefault(names[job.pair], []).append((job.seed, *each))
    return {task: gather(rows) for task, rows in played.items()}


def gather(rows: list[tuple[int, float, str]]) -> Episodes:
    seeds, scores, extras = zip(*rows)
    return Episodes(np.array(scores, float), np.array(seeds), extras)
