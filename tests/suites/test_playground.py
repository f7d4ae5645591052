"""The suites of MDP Playground: every task is one, the grids are the paper's, both designs are there."""

from assay.suites.playground import SUITES
from assay.tasks import resolve, task

BY_NAME = {suite.name.removeprefix("playground/"): suite for suite in SUITES}


def levels(name: str, axis: str) -> list:
    return [resolve(pair.train).value(axis) for pair in BY_NAME[name].pairs]


def test_every_task_of_every_suite_is_one_and_is_written_canonically():
    for suite in SUITES:
        for pair in suite.pairs:
            assert str(task(pair.train)) == pair.train and str(task(pair.evaluate)) == pair.evaluate


def test_the_grids_are_those_of_the_paper():
    assert levels("delay", "delay") == [None, 1, 2, 4, 8]
    assert levels("sequence-length", "sequence_length") == [None, 2, 3, 4]
    assert levels("transition-noise", "transition_noise") == [None, 0.01, 0.02, 0.1, 0.25]
    assert levels("reward-noise", "reward_noise") == [None, 1.0, 5.0, 10.0, 25.0]
    assert levels("reward-density", "reward_density") == [None, 0.5, 0.75]
    assert levels("time-unit", "time_unit") == [None, 0.1, 0.2, 0.5, 2.0, 4.0, 8.0]
    assert len(BY_NAME["delay-by-sequence-length"].pairs) == 5 * 4
    assert len(BY_NAME["transition-noise-by-reward-noise"].pairs) == 5 * 5


def test_noise_is_also_played_without_noise():
    for pair in BY_NAME["transition-noise"].pairs:
        assert pair.evaluate == "toy/discrete"


def test_both_designs_are_there():
    assert all(resolve(pair.train).value("mdp_seed") == 0 for pair in BY_NAME["delay-one-mdp"].pairs)
    assert all(resolve(pair.train).value("mdp_seed") is None for pair in BY_NAME["delay"].pairs)


def test_names_are_used_once():
    assert len(BY_NAME) == len(SUITES)
