"""The linear learner in a contest: its moves are true, and it learns what it learns in training."""

import numpy as np
import pytest

from assay.envs.rules.benchmark import find_rule
from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.contest.play import play_run
from assay.envs.rules.contest.terms import Terms
from assay.envs.rules.interpreter import prepare
from assay.errors import AssayError
from assay.runs.contest_player import LinearPlayer, read_config


def errors_by_episode(*settings, episodes=40, rule="b3_then_b1"):
    player = LinearPlayer(read_config(settings), SHAPES, COLORS, 36, 4)
    terms = Terms(board_seed=3, episodes=episodes)
    runs = play_run(player, prepare(find_rule(rule).parse()), terms, rule, 0)
    return np.array([sum(code != 0 for _, _, code in moves) for moves in runs])


def test_it_learns_a_rule():
    # A random player makes 27 errors an episode there: nine pieces, three of four buckets wrong for each.
    errors = errors_by_episode("actions=occupied")
    assert errors[-10:].mean() < 27 / 9


def test_with_occupied_cells_it_never_tries_an_empty_one():
    player = LinearPlayer(read_config(["actions=occupied"]), SHAPES, COLORS, 36, 4)
    terms = Terms(board_seed=3, episodes=2, horizon=20)
    (one, two) = play_run(player, prepare(find_rule("clockwise").parse()), terms, "clockwise", 0)
    assert all(code != 3 for _, _, code in one + two)


def test_observations_by_hand():
    player = LinearPlayer(read_config([]), SHAPES, COLORS, 36, 4)
    # A blue star in cell 2: shape 1 and colour 2, counted from 0; the last move put a red square into 3.
    seen = player._look([(2, "STAR", "BLUE")], (1, 1, 4))
    assert seen[1] == 1 + 1 * 4 + 2 and seen[:36].sum() == seen[1] and seen[36:].tolist() == [1, 1, 4, 0]


def test_settings_are_read_and_wrong_ones_refused():
    config = read_config(["actions=occupied", "target_every=5", "learning_rate=0.01"])
    assert (config.actions, config.target_every, config.learning_rate) == ("occupied", 5, 0.01)
    with pytest.raises(AssayError, match="linear_q has no setting 'rate'"):
        read_config(["rate=1"])
    with pytest.raises(AssayError, match="target_every of linear_q takes a value of type int, not 'often'"):
        read_config(["target_every=often"])
