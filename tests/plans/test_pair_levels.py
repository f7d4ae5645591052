"""By what the pairs of a suite differ, plain levels filled in."""

from dataclasses import replace

import pytest

from assay.catalogue import suite
from assay.errors import UnknownName
from assay.plans.make_plan import suite_plan
from assay.plans.pair_levels import differing_settings, points_of
from assay.suites.suite import Pair


def test_a_plain_level_is_written_out():
    assert differing_settings(["toy/discrete", "toy/discrete+delay=4"]) == [{"delay": 0}, {"delay": 4}]


def test_what_all_pairs_share_is_no_difference():
    texts = ["toy/discrete+mdp_seed=0", "toy/discrete+mdp_seed=0+sequence_length=2"]
    assert differing_settings(texts) == [{"sequence_length": 1}, {"sequence_length": 2}]


def test_settings_of_the_agent_count_too():
    found = differing_settings(
        ["toy/discrete"] * 2, [{"batch": 8, "explore": 0.1}, {"batch": 16, "explore": 0.1}]
    )
    assert found == [{"agent.batch": 8}, {"agent.batch": 16}]


def test_tasks_of_two_envs_have_no_level_in_common():
    assert differing_settings(["toy/discrete", "toy/grid"]) == [{}, {}]


def test_the_plan_of_a_suite_tells_it():
    pairs = suite_plan(suite("playground/delay"), "dqn").suite.pairs
    assert [pair.point for pair in pairs] == [{"delay": level} for level in (0, 1, 2, 4, 8)]


def test_points_of_one_env_have_their_plain_levels():
    texts = ["toy/discrete", "toy/discrete+delay=4"]
    assert points_of(texts) == differing_settings(texts) == [{"delay": 0}, {"delay": 4}]


def test_points_of_several_envs_are_what_their_texts_set_and_do_not_share():
    texts = ["toy/discrete+delay=4", "toy/grid+delay=4", "toy/grid+delay=4+transition_noise=0.1"]
    assert points_of(texts) == [{}, {}, {"transition_noise": 0.1}]


def test_points_of_one_and_the_same_task_are_empty():
    assert points_of(["toy/discrete+delay=4"] * 2) == [{}, {}]


def test_a_suite_of_a_family_that_is_not_installed_is_one_sentence():
    far = replace(suite("playground/delay"), pairs=(Pair("far/board", "far/board"),))
    with pytest.raises(UnknownName, match="'far', which is not installed; the families are atari, gym"):
        suite_plan(far, "random")
