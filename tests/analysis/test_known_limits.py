"""Intervals of pairs stay within what a task declares: both ends of its scores, and its longest episode."""

import dataclasses

import numpy as np
import pytest

from assay.analysis.pair_limits import limits_of_pair
from assay.analysis.pairs import find_pairs
from assay.plans.make_plan import train_plan as planned_training
from assay.plans.plan import ScoreRange, TaskLimits, request_of
from assay.plans.shared_parts import limits_of_tasks
from assay.results import Curve
from assay.suites.playground_factors import Factors
from assay.task_text import parse

from .records import PLAIN, episodes_of, job_of, made_run, train_plan

TASK = "rules/clockwise"
HUNDRED = TaskLimits(ScoreRange(-100.0, 0.0, False), 100)


def learned(folder, limits):
    """Three seeds whose scores and lengths while learning spread so much that Student's ends lie outside."""
    plan = dataclasses.replace(train_plan(TASK, seeds=3), limits=limits)
    run = made_run(folder, plan)
    for seed, score in enumerate((-99.0, -95.0, -40.0)):
        job = job_of(plan, seed, [PLAIN])
        run.add_jobs([job])
        run.claim()
        curve = [Curve(job=job.id, step=9, name=name, value=value)
                 for name, value in (("score", score), ("length", -score))]  # fmt: skip
        run.finish(job.id, episodes_of(job, PLAIN, TASK, [score]), curve)
    return run


def test_both_ends_are_those_of_the_task(tmp_path):
    with learned(tmp_path / "open", {}) as run:
        (pair,) = find_pairs(run)
    assert pair.area.low < -100 and pair.area_length.high > 100
    with learned(tmp_path / "known", {TASK: HUNDRED}) as run:
        (pair,) = find_pairs(run)
    assert (pair.area.low, pair.last.low, pair.area_length.high) == (-100, -100, 100)
    assert pair.area.low <= pair.area.value <= pair.area.high <= 0


def test_a_gap_lies_within_both_ranges_and_factors_move_them():
    nothing = (np.array([np.nan]),) * 2
    limits = limits_of_pair(nothing, (Factors(), Factors()), (HUNDRED, HUNDRED))
    assert tuple(limits["gap"]) == (-100, 100) and tuple(limits["trained"]) == (-100, 0)
    twice = limits_of_pair(nothing, (Factors(2.0, 2.0),) * 2, (HUNDRED, HUNDRED))
    assert tuple(twice["trained"]) == (-200, 0) and tuple(twice["rollout_length"]) == (0, 100)


@pytest.mark.parametrize(
    "task, limits",
    [
        ("rules/clockwise", HUNDRED),
        ("rules/clockwise+horizon=30", TaskLimits(ScoreRange(-30.0, 0.0, False), 30)),
        ("rules/clockwise+horizon=30@sudden:2", None),
        ("toy/discrete", TaskLimits(None, 100)),
        ("platformer/run", None),
    ],
)
def test_what_is_known_of_a_task(task, limits):
    assert limits_of_tasks([parse(task)]) == ({} if limits is None else {task: limits})


def test_what_is_known_makes_no_other_run():
    plan = planned_training("linear_q", "rules/clockwise", seeds=1)
    assert plan.limits == {"rules/clockwise": HUNDRED}
    assert request_of(plan) == request_of(dataclasses.replace(plan, limits={}))
