"""How much there is to a job, by hand: its training, and its episodes at what they cost."""

import pytest

from assay.plans.job_plan import JobPlan, Try
from assay.results import Job
from assay.runs.progress import kind_of, work_of
from assay.strict_json import to_json


def job(agent, task, budget):
    todo = JobPlan(settings={}, episodes=3, tries=(Try("plain", "", "", task), Try("carry", "a", "1", task)))
    return Job(
        id="", suite="", pair="", train_task=task, eval_task=task, agent=agent, config=to_json(todo), seed=0,
        budget=budget, source_digest="",
    )  # fmt: skip


@pytest.mark.parametrize(
    "agent, task, budget, work",
    [
        ("tabular_q", "toy/discrete", 1000, 1000 + 10 * 6),  # two tasks of three episodes, in a program
        ("dqn", "platformer/run+observation=state", 0, 10 * 6),
        ("dqn", "gym/CartPole-v1", 1000, 1000 + 5000 * 6),
        ("random", "atari/Pong", 0, 5000 * 6),
        ("mine:act", "toy/discrete", 0, 5000 * 6),  # called at each step, though the env is compiled
    ],
)
def test_episodes_count_as_their_family_says(agent, task, budget, work):
    assert work_of(job(agent, task, budget)) == work


@pytest.mark.parametrize("agent, choosing", [("random", 0.0), ("ppo-platformer", 8e-4)])
def test_pictures_count_by_their_programs_frames_and_choices(agent, choosing):
    # Two programs of 8 s, six episodes of 500 frames, in steps of training of 10 us.
    seconds = 2 * 8 + 6 * 500 * (5e-5 + choosing)
    assert work_of(job(agent, "platformer/run", 0)) == pytest.approx(seconds / 1e-5)


def test_jobs_of_unlike_cost_tell_nothing_of_each_other_s_pace():
    """A program that draws pictures counts as 800,000 steps: the pace of a light job made hours of it."""
    light, pictures = (
        job("random", task, 0) for task in ("toy/discrete", "toy/discrete+image_representations")
    )
    assert work_of(pictures) > 1000 * work_of(light)
    assert len({kind_of(each) for each in (light, pictures, job("random", "atari/Pong", 0))}) == 3
