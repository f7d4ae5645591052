"""Plans of suites: the seeds, settings and budgets that a suite brings, and those that replace them."""

import json
from functools import lru_cache

import pytest

from assay.errors import AssayError
from assay.plans import env_probe
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import suite_plan
from assay.plans.plan import PairPlan, SuitePlan, plan_from_json, plan_to_json
from assay.suites.suite import Pair, Suite

TOY = "toy/discrete"
ACT, TRAIN = "request_others:act", "request_others:train"
OWN = Suite("own", 1, "", (Pair(TOY, f"{TOY}+delay=1"),), (0, 1, 2), 4)


def read_back(plan):
    return plan_from_json(json.loads(json.dumps(plan_to_json(plan))), "a run")


def batches_of(plan):
    return [pair.settings["batch"] for pair in plan.suite.pairs]


def test_a_suite_brings_its_seeds_and_episodes_unless_others_are_given():
    plan = suite_plan(OWN, "dqn")
    assert (plan.seeds, plan.episodes, plan.name) == ((0, 1, 2), 4, "own")
    pair = PairPlan(train=TOY, evaluate=f"{TOY}+delay=1")
    assert plan.suite == SuitePlan(name="own", version=1, asks="", pairs=(pair,))
    scaled_down = suite_plan(OWN, "dqn", seeds=1, episodes=2)
    assert (scaled_down.seeds, scaled_down.episodes) == ((0,), 2)
    assert suite_plan(OWN, "random", seeds=2).seeds == (0, 1)  # in a suite a given agent may have seeds


def with_more(**more):
    return Suite("more", 1, "", (Pair(TOY, TOY), Pair(TOY, f"{TOY}+delay=1")), (0,), 4, **more)


def test_a_suite_may_bring_settings_pair_by_pair():
    suite = with_more(settings=({"batch": 16}, {"batch": 64, "hidden": [8]}), agent="dqn")
    plan = suite_plan(suite, "dqn", settings={"learning_rate": 0.5})
    each = [pair.settings for pair in plan.suite.pairs]
    found = [(settings["batch"], settings["hidden"], settings["learning_rate"]) for settings in each]
    assert found == [(16, [256, 256], 0.5), (64, [8], 0.5)]
    assert read_back(plan) == plan and plan.settings["batch"] == 32
    assert [job_plan(job).settings["batch"] for job in jobs_of(plan)] == [16, 64]
    # What the user gives stands above what the suite does.
    given = suite_plan(suite, "dqn", settings={"batch": 8})
    assert batches_of(given) == [8, 8]


def test_settings_of_a_suite_are_refused_before_anything_runs():
    with pytest.raises(AssayError, match="no setting of dqn is called 'bach'; did you mean 'batch'"):
        suite_plan(with_more(settings=({}, {"bach": 3})), "dqn")
    with pytest.raises(AssayError, match=r"more gives settings of dqn, so ra.* cannot run it; use dqn"):
        suite_plan(with_more(settings=({}, {}), agent="dqn"), "random")
    with pytest.raises(AssayError, match="more has settings for 1 pairs and 2 pairs; give one set of"):
        with_more(settings=({},))


def test_a_suite_may_bring_a_budget_that_the_user_s_own_replaces():
    suite = with_more(steps=4000)
    assert [job.budget for job in jobs_of(suite_plan(suite, "tabular_q"))] == [4000]  # one for both pairs
    assert suite_plan(suite, "tabular_q", settings={"steps": 3000}).budget == 3000
    assert suite_plan(suite, TRAIN).budget == 4000
    assert suite_plan(suite, "random").budget == 0 == suite_plan(suite, ACT).budget  # nothing is trained


def test_rollouts_are_in_the_jobs_of_agents_that_leave_policies_and_nowhere_else():
    plain, rolled = (suite_plan(with_more(rollouts=wish), "tabular_q") for wish in (False, True))
    assert (plain.suite.rollouts, rolled.suite.rollouts) == (False, True)
    assert not any(job_plan(job).rollouts for job in jobs_of(plain))
    assert all(job_plan(job).rollouts for job in jobs_of(rolled))
    for agent in ("random", ACT):
        plan = suite_plan(with_more(rollouts=True), agent)
        assert not plan.suite.rollouts and not any(job_plan(job).rollouts for job in jobs_of(plan))


def test_every_suite_of_the_catalogue_can_be_planned(monkeypatch):
    from assay.catalogue import suites

    # Suites share games, and trying one out takes a second: once for each is enough here.
    monkeypatch.setattr(env_probe, "probe", lru_cache(env_probe.probe))
    for each in suites():
        plan = suite_plan(each, each.agent or "random", seeds=1)
        assert read_back(plan) == plan and len(plan.suite.pairs) == len(each.pairs)
