"""From a plan to jobs: which there are, what their ids hold, and in which world each plays."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from assay.plans.job_plan import Try, job_plan
from assay.plans.jobs import folder_name, jobs_of, retraining_jobs
from assay.plans.make_plan import exam_plan, suite_plan, sweep_plan, train_plan
from assay.plans.plan import plan_from_json, plan_to_json
from assay.plans.question import RANDOM
from assay.plans.sources import digest_of_source
from assay.suites.suite import Pair, Suite

TOY, CARTPOLE = "toy/discrete", "gym/CartPole-v1"
MINE = """
def act(observation):
    return 0


def train(env, seed, steps):
    return act
"""
BLINK = """
from assay.core.variation import Channel


def dark(xp, level, memory, draw, value, ends, space):
    return memory, xp.where(level, 0, value)


blink = Channel(True, "blink", ("observation",), dark, neutral=False)
"""


def small(**changes):
    """Two axes, one of each arm: 2 seeds x (1 learned under, 1 plain and carried over, 1 random)."""
    asked = {
        "only": ["delay", "action.sticky"],
        "seeds": 2,
        "episodes": 3,
        "settings": {"steps": 2000},
    } | changes
    return exam_plan(asked.pop("agent", "tabular_q"), asked.pop("task", TOY), **asked)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder with an agent and a variation of one's own, on the path; imports stay, so names differ."""
    name = f"mine_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MINE)
    (tmp_path / f"{name}_blink.py").write_text(BLINK)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def tries_of(job):
    return job_plan(job).tries


def test_the_jobs_of_a_small_exam_by_hand():
    jobs = jobs_of(small())
    under, plain = "toy/discrete+mdp_seed={}+delay=8", "toy/discrete+mdp_seed={}"
    assert [(job.agent, job.seed, job.budget, job.train_task) for job in jobs] == [
        ("tabular_q", 0, 2000, under.format(0)),
        ("tabular_q", 1, 2000, under.format(1)),
        ("tabular_q", 0, 2000, plain.format(0)),
        (RANDOM, 0, 0, plain.format(0)),
        ("tabular_q", 1, 2000, plain.format(1)),
        (RANDOM, 1, 0, plain.format(1)),
    ]
    assert tries_of(jobs[0]) == (Try("learn", "delay", "8", under.format(0)),)
    assert [(each.arm, each.axis, each.level) for each in tries_of(jobs[4])] == [
        ("plain", "", ""),
        ("carry", "action.sticky", "0.1"),
        ("carry", "action.sticky", "0.25"),
        ("carry", "action.sticky", "0.5"),
    ]
    assert jobs[4].eval_task == "toy/discrete+mdp_seed=1+action.sticky=0.5"
    # Random play is tried wherever the frozen agent is, so that both can be compared there.
    assert tries_of(jobs[5]) == tries_of(jobs[4])
    assert all(job_plan(job).episodes == 3 for job in jobs)


def test_a_plan_is_plain_json_and_gives_the_same_jobs_when_read_back():
    for plan in (small(), small(retrain=True, only=()), train_plan("dqn", TOY), suite_of(Pair(TOY, TOY))):
        read = plan_from_json(json.loads(json.dumps(plan_to_json(plan))), "a run")
        assert read == plan
        assert jobs_of(read) == jobs_of(plan) == jobs_of(plan)


def test_no_two_jobs_are_one():
    plan = exam_plan("dqn", TOY, all_levels=True, retrain=True, seeds=3)
    jobs = jobs_of(plan)
    assert len({job.id for job in jobs}) == len(jobs)


@pytest.mark.parametrize("changes", [
    {"agent": "dqn"}, {"settings": {"steps": 2000, "learning_rate": 0.5}}, {"settings": {"steps": 3000}},
    {"first_seed": 2}, {"task": f"{TOY}+horizon=50"}, {"episodes": 4},
], ids=str)  # fmt: skip
def test_whatever_decides_a_result_changes_every_id(changes):
    # Random play has no settings and no budget: the same jobs serve whatever agent stands beside it.
    before, after = (
        {job.id for job in jobs_of(plan) if job.agent != RANDOM} for plan in (small(), small(**changes))
    )
    assert len(before) == len(after) == 4 and not before & after


def test_what_is_tried_changes_the_id_of_that_job_alone():
    before, after = jobs_of(small()), jobs_of(small(only=["delay", "action.repeat"]))
    assert [job.id for job in before[:2]] == [job.id for job in after[:2]]
    assert not {job.id for job in before[2:]} & {job.id for job in after[2:]}


def test_more_seeds_keep_the_jobs_of_those_there_are():
    assert {job.id for job in jobs_of(small())} < {job.id for job in jobs_of(small(seeds=3))}


def test_the_margin_moves_no_job_and_the_folder():
    plans = small(), small(margin=0.2)
    assert jobs_of(plans[0]) == jobs_of(plans[1])
    assert folder_name(plans[0]) != folder_name(plans[1])


def test_the_folder_is_named_for_a_reader():
    assert folder_name(small()).startswith("tabular_q-toy-discrete-")
    assert folder_name(small()) == folder_name(small())
    assert folder_name(suite_of(Pair(TOY, TOY))).startswith("tabular_q-own-")


def test_every_seed_has_a_world_of_its_own_unless_the_task_names_one():
    worlds = {job.train_task for job in jobs_of(train_plan("dqn", TOY, seeds=3))}
    assert worlds == {f"{TOY}+mdp_seed={seed}" for seed in range(3)}
    fixed = {job.train_task for job in jobs_of(train_plan("dqn", f"{TOY}+mdp_seed=7", seeds=3))}
    assert fixed == {f"{TOY}+mdp_seed=7"}


def test_a_given_agent_has_one_job_per_axis_in_the_plain_world(mine):
    plan = exam_plan(f"{mine}:act", CARTPOLE, only=["action.sticky", "action.delay"])
    jobs = jobs_of(plan)
    assert [[each.axis for each in tries_of(job)] for job in jobs] == [
        [""], ["action.sticky"] * 3, ["action.delay"] * 3,
        ["", *["action.sticky"] * 3, *["action.delay"] * 3],
    ]  # fmt: skip
    assert [job.agent for job in jobs] == [f"{mine}:act"] * 3 + [RANDOM]
    assert plan.seeds == (0,) and not plan.own_worlds


def test_random_play_that_is_itself_examined_has_no_second_self():
    jobs = jobs_of(exam_plan(RANDOM, TOY, only=["action.sticky"]))
    assert Counter(job.agent for job in jobs) == {RANDOM: 2}


def test_retraining_is_one_job_per_seed_at_the_level_that_broke():
    jobs = retraining_jobs(small(), [("action.sticky", "0.25")])
    assert [(job.seed, job.train_task) for job in jobs] == [
        (seed, f"{TOY}+mdp_seed={seed}+action.sticky=0.25") for seed in (0, 1)
    ]
    assert [(each.arm, each.axis, each.level) for job in jobs for each in tries_of(job)] == [
        ("retrain", "action.sticky", "0.25")
    ] * 2
    assert not {job.id for job in jobs} & {job.id for job in jobs_of(small())}


def suite_of(*pairs, agent="tabular_q", **asked):
    return suite_plan(Suite("own", 3, "", pairs, (0, 1), 4), agent, **asked)


def test_a_suite_trains_on_one_task_of_each_pair_and_plays_both():
    jobs = jobs_of(suite_of(Pair(TOY, TOY), Pair(f"{TOY}+delay=2", TOY)))
    assert [(job.suite, job.version, job.pair, job.seed) for job in jobs] == [
        ("own", 3, "000", 0), ("own", 3, "000", 1), ("own", 3, "001", 0), ("own", 3, "001", 1),
    ]  # fmt: skip
    assert [each.task for each in tries_of(jobs[0])] == [f"{TOY}+mdp_seed=0"]  # one task is played once
    assert [each.task for each in tries_of(jobs[3])] == [f"{TOY}+delay=2+mdp_seed=1", f"{TOY}+mdp_seed=1"]
    assert [each.arm for each in tries_of(jobs[3])] == ["plain", "pair"]


def test_one_named_world_fixes_all_of_a_suite():
    jobs = jobs_of(suite_of(Pair(TOY, TOY), Pair(f"{TOY}+mdp_seed=3", TOY)))
    assert {job.train_task for job in jobs} == {TOY, f"{TOY}+mdp_seed=3"}


def test_a_suite_may_hold_generated_and_other_worlds(mine):
    jobs = jobs_of(
        suite_of(Pair(CARTPOLE, CARTPOLE), Pair(TOY, TOY), agent=f"{mine}:train", settings={"steps": 9})
    )
    assert [job.train_task for job in jobs] == [
        CARTPOLE, CARTPOLE, f"{TOY}+mdp_seed=0", f"{TOY}+mdp_seed=1",
    ]  # fmt: skip


def test_the_code_of_one_s_own_agent_and_variations_is_in_the_id(mine, tmp_path):
    agent, varied = f"{mine}.py", f"{mine}_blink.py"
    plans = {
        agent: exam_plan(f"{mine}:act", CARTPOLE, only=["action.sticky"]),
        varied: train_plan("tabular_q", f"{TOY}+{mine}_blink:blink"),
    }
    swept = sweep_plan(RANDOM, TOY, {f"{mine}_blink:blink": ""})
    for file, plan in [*plans.items(), (varied, swept)]:
        before = digest_of_source(plan)
        assert before == digest_of_source(plan)
        (tmp_path / file).write_text((tmp_path / file).read_text() + "# changed\n")
        sys.modules.pop(Path(file).stem, None)  # as in the next process
        assert digest_of_source(plan) != before, file
