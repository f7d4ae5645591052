"""For how long agents were trained: what they played, where their episodes ended it and not their steps."""

import dataclasses

from assay.analysis.experiment import find_experiment
from assay.analysis.training_length import describe_training
from assay.plans.plan import Weights
from assay.report.pair_markdown import pair_markdown
from assay.report.pair_page import pair_page
from assay.report.pair_text import setting
from assay.results import Curve

from .records import PLAIN, episodes_of, exam_plan, job_of, made_run, train_plan

TASK = "rules/clockwise"


def learned(folder, lengths, **settings):
    """Seeds whose episodes had these lengths, each reported by itself."""
    plan = dataclasses.replace(
        train_plan(TASK, "linear_q", len(lengths)), settings={"steps": 500, **settings}
    )
    run = made_run(folder, plan)
    for seed, mine in enumerate(lengths):
        job = job_of(plan, seed, [PLAIN])
        run.add_jobs([job])
        run.claim()
        ends = [sum(mine[: place + 1]) for place in range(len(mine))]
        curve = [Curve(job=job.id, step=end, name=name, value=value)
                 for end in ends for name, value in (("episodes", 1.0), ("score", -2.0))]  # fmt: skip
        run.finish(job.id, episodes_of(job, PLAIN, TASK, [-2.0]), curve)
    return run


def test_what_was_played_is_told_where_episodes_ended_the_training(tmp_path):
    with learned(tmp_path / "run", [[9, 8, 7], [10, 10, 10]], episodes=3) as run:
        found = find_experiment(run)
    assert found.training == "3 episodes (24 to 30 steps)" and found.budget == 500
    assert setting(found).startswith("2 seeds trained for 3 episodes (24 to 30 steps) each; ")
    for text in (pair_page(found), pair_markdown(found)):
        assert "at most 500 env steps of training; played: 3 episodes (24 to 30 steps)" in text


def test_agents_that_count_no_episodes_have_their_budget(tmp_path):
    with learned(tmp_path / "run", [[9]]) as run:
        assert describe_training(run) == "500 steps"


def test_agents_of_an_earlier_run_left_no_record_here(tmp_path):
    plan = exam_plan(agent="linear_q", seeds=1, weights={"0": Weights("runs/first", "0" * 32, "0" * 32)})
    plan = dataclasses.replace(plan, settings={"steps": 500, "episodes": 40})
    with made_run(tmp_path / "run", plan) as run:
        assert describe_training(run) == "40 episodes or 500 steps, whichever came first"
