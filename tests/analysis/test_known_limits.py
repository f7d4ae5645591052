"""Intervals of pairs stay within what a task declares: both ends of its scores, and its longest episode."""

import dataclasses

import numpy as np
import pytest

import assay
from assay.analysis.pair_limits import limits_of_pair
from assay.analysis.pairs import find_pairs
from assay.plans.make_plan import train_plan as planned_training
from assay.plans.plan import ScoreRange, TaskLimits, request_of
from assay.plans.shared_parts import limits_of_tasks
from assay.results import Curve
from assay.suites.playground_factors import Factors
from assay.tasks import task as canonical_task

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
        ("toy/discrete", TaskLimits(ScoreRange(0.0, 100.0, False), 100)),
        ("toy/discrete+sequence_length=3+delay=4", TaskLimits(ScoreRange(0.0, 33.0, False), 100)),
        ("toy/discrete+horizon=20+reward_dist=[-1.0,1.0]", TaskLimits(ScoreRange(-20.0, 20.0, False), 20)),
        ("toy/discrete+reward_every_n_steps=4@sudden:9", TaskLimits(None, 100)),
        ("toy/discrete+sequence_length=2+make_denser", TaskLimits(None, 100)),
        ("toy/discrete+action.random=0.5@sudden:9", TaskLimits(ScoreRange(0.0, 100.0, False), 100)),
        ("toy/grid", TaskLimits(ScoreRange(-14.0, 14.0, False), 100)),
        ("toy/grid+make_denser=false+grid_shape=[4,4]", TaskLimits(ScoreRange(0.0, 1.0, False), 100)),
        ("toy/continuous+make_denser=false", TaskLimits(ScoreRange(0.0, 1.0, False), 100)),
        ("toy/continuous+reward_function=move_along_a_line", TaskLimits(None, 100)),
        ("platformer/run", None),
    ],
)
def test_what_is_known_of_a_task(task, limits):
    assert limits_of_tasks([canonical_task(task)]) == (
        {} if limits is None else {str(canonical_task(task)): limits}
    )


def test_what_is_known_makes_no_other_run():
    plan = planned_training("linear_q", "rules/clockwise", seeds=1)
    assert plan.limits == {"rules/clockwise": HUNDRED}
    assert request_of(plan) == request_of(dataclasses.replace(plan, limits={}))


@pytest.mark.parametrize(
    "task",
    [
        "toy/discrete+transition_noise=0.2+reward_noise=5.0", "toy/discrete+reward_dist=[-1.0,0.5]+delay=2",
        "toy/discrete+sequence_length=2+reward_density=1.0", "toy/grid+state_jump=0.2",
        "toy/grid+reward_every_n_steps=3", "toy/continuous+state_jump=0.2+action_loss_weight=0.5",
    ],
)  # fmt: skip
def test_scores_of_random_play_lie_within_what_is_known(task):
    known = limits_of_tasks([canonical_task(task)])[str(canonical_task(task))].score
    env, scores = assay.make(task), []
    env.action_space.seed(0)
    for _ in range(6):
        env.reset(seed=0 if not scores else None)
        scores.append(0.0)
        ended = False
        while not ended:
            *_, terminated, truncated, info = env.step(env.action_space.sample())
            scores[-1] += info["score"]
            ended = terminated or truncated
    assert known.low <= min(scores) and max(scores) <= known.high and max(scores) > min(scores)


def test_shares_and_regrets_lie_where_scores_can():
    optima = (np.array([50.0, 80.0]),) * 2
    limits = limits_of_pair(optima, (Factors(), Factors()), (TaskLimits(ScoreRange(0.0, 100.0, False)),) * 2)
    assert tuple(limits["share"]) == (0, 1) and tuple(limits["regret"]) == (0, 80)
    below = limits_of_pair(optima, (Factors(), Factors()), (HUNDRED, HUNDRED))
    assert below["area_share"].low == -2 and below["regret"].high == 180
    nothing = (np.array([np.nan]),) * 2
    unknown = limits_of_pair(nothing, (Factors(), Factors()), (HUNDRED, HUNDRED))
    assert tuple(unknown["share"]) == (-np.inf, 1) and unknown["regret"].high == np.inf
