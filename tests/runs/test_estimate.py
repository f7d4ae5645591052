"""What a guess of the time counts: programs that tasks share, and those that they cannot share."""

from dataclasses import replace

import pytest

from assay.core.space import Box, Discrete
from assay.plans.job_plan import JobPlan, Try
from assay.results import Job
from assay.runs.estimate import cost_of_step, count_own_programs, estimate
from assay.strict_json import to_json
from assay.task_spaces import SpaceTable

PLAIN = "rules/b3_then_b1"


def job(agent, seed, *changes):
    tries = [Try("carry", axis, level, f"{PLAIN}+{axis}={level}") for axis, level in changes]
    todo = JobPlan(settings={}, episodes=3, tries=(Try("plain", "", "", PLAIN), *tries))
    return Job(
        id="", suite="", pair="", train_task=PLAIN, eval_task=PLAIN, agent=agent, config=to_json(todo),
        seed=seed, budget=0, source_digest="",
    )  # fmt: skip


def test_each_level_of_a_structural_axis_is_a_program_of_each_agent():
    changes = ("metering", "2"), ("metering", "3"), ("hide_color", "true"), ("horizon", "50")
    assert count_own_programs([job("linear_q", 0, *changes)]) == 2
    assert count_own_programs([job("linear_q", seed, *changes) for seed in range(3)]) == 2
    assert count_own_programs([job("linear_q", 0, *changes), job("random", 0, *changes)]) == 4


def test_a_plain_task_has_none():
    assert count_own_programs([job("linear_q", 0)]) == 0


def learner(task, agent="dqn", **settings):
    todo = JobPlan(settings={"steps": 100_000, **settings}, episodes=1, tries=(Try("plain", "", "", task),))
    return Job(
        id="", suite="", pair="", train_task=task, eval_task=task, agent=agent, config=to_json(todo), seed=0,
        budget=100_000, source_digest="",
    )  # fmt: skip


def test_a_step_of_dqn_costs_what_its_network_and_its_updates_do():
    table = SpaceTable()
    small = cost_of_step(learner("gym/CartPole-v1"), table)
    assert 3e-5 < small < 1e-4
    # Four values and gradients of 32 rows each, every four steps; 4 -> 256 -> 256 -> 2.
    rows = 1 + 32 * 4 / 4 * 0.99
    assert small == pytest.approx(1e-5 + 2e-11 * rows * (4 * 256 + 256 * 256 + 256 * 2))
    often = cost_of_step(learner("gym/CartPole-v1", steps_per_update=1), table)
    assert often - 1e-5 == pytest.approx(4 * (small - 1e-5), rel=0.05)


def test_a_convolutional_dqn_is_a_hundred_times_as_dear():
    picture = "gym/CartPole-v1"
    spaces = {"observation": Box(0, 255, (84, 84, 4), "uint8"), "action": Discrete(4)}
    cost = cost_of_step(learner(picture, network="convolutions"), lambda text: spaces)
    assert cost * 4 == pytest.approx(25e-3, rel=0.1)


def test_ppo_on_hosted_tasks_costs_by_what_it_sees():
    """Rows of objects go through the small network, pictures through the large one."""
    rows, pictures = (
        {"observation": Box(0, 255, shape, "uint8"), "action": Discrete(4)}
        for shape in ((15, 2), (84, 84, 4))
    )
    todo = learner("gym/CartPole-v1", agent="ppo")
    assert 0 < cost_of_step(todo, lambda text: rows) < cost_of_step(todo, lambda text: pictures) / 3


def test_where_nothing_is_trained_no_pace_of_training_is_told():
    assert "training" not in estimate(None, [job("linear_q", 0)]).how
    trained = replace(learner("toy/discrete", "tabular_q"), budget=1000)
    assert "training at the pace of a plain core" in estimate(None, [trained]).how
