"""What the env tells of plain episodes beside their score, where it is true or false: success, above all."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from assay.plans.plan import ExamPlan
from assay.plans.question import PLAIN
from assay.results import Run
from assay.stats.aggregate import Interval
from assay.stats.bounded_mean import Range
from assay.stats.resampling import bootstrap_t

SHARE = Range(0.0, 1.0)


@dataclass(frozen=True)
class PlainMeasure:
    """A measure of how episodes of the plain task ended: the share of them of which it is true."""

    name: str
    share: Interval  # over the exam's units


def find_plain_measures(
    run: Run, plan: ExamPlan, unit: str, units: list[int], rng: np.random.Generator
) -> tuple[PlainMeasure, ...]:
    """The measures that are true or false of every plain episode of the agent, in the order of the env."""
    by_unit = read_extras(run, plan, unit)
    if not units or any(each not in by_unit for each in units):
        return ()
    rows = [by_unit[each] for each in units]
    names = [
        name for name in rows[0][0] if all(isinstance(row.get(name), bool) for many in rows for row in many)
    ]
    # An episode is won or lost; a seed's share of won episodes may be anything between.
    known = SHARE._replace(two_valued=unit == "episode")
    measures = []
    for name in names:
        values = np.array([np.mean([row[name] for row in many]) for many in rows], float)
        measures.append(PlainMeasure(name, bootstrap_t(values, rng=rng, known=known)))
    return tuple(measures)


def read_extras(run: Run, plan: ExamPlan, unit: str) -> dict[int, list[dict[str, object]]]:
    """By unit, what the env told of each of its plain episodes."""
    seeds = {job.id: job.seed for job in run.jobs(agent=plan.agent, status="done")}
    if not seeds:
        return {}
    table = run.episodes(job=sorted(seeds))
    rows: dict[int, list[dict[str, object]]] = {}
    columns = (table[name].to_pylist() for name in ("job", "arm", "episode", "extra"))
    for job, arm, episode, extra in zip(*columns):
        if arm == PLAIN:
            rows.setdefault(episode if unit == "episode" else seeds[job], []).append(json.loads(extra))
    return rows


def find_blind_score(run: Run, plan: ExamPlan) -> float | None:
    """The score of the best blind policy on the plain task, where the run has such a reference."""
    return next((each.value for each in run.references(kind="blind") if each.task == plan.task), None)
