"""By what the pairs of a suite differ, plain levels filled in."""

from assay.runs.levels import differing


def test_a_plain_level_is_written_out():
    assert differing(["toy/discrete", "toy/discrete+delay=4"]) == [{"delay": 0}, {"delay": 4}]


def test_what_all_pairs_share_is_no_difference():
    texts = ["toy/discrete+mdp_seed=0", "toy/discrete+mdp_seed=0+sequence_length=2"]
    assert differing(texts) == [{"sequence_length": 1}, {"sequence_length": 2}]


def test_settings_of_the_agent_count_too():
    found = differing(["toy/discrete"] * 2, [{"batch": 8, "explore": 0.1}, {"batch": 16, "explore": 0.1}])
    assert found == [{"agent.batch": 8}, {"agent.batch": 16}]


def test_tasks_of_two_envs_have_no_level_in_common():
    assert differing(["toy/discrete", "toy/grid"]) == [{}, {}]
