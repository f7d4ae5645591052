"""What a guess of the time counts: programs that tasks share, and those that they cannot share."""

from assay.plans.job_plan import JobPlan, Try
from assay.results import Job
from assay.runs.estimate import count_own_programs
from assay.strict_json import to_json

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
