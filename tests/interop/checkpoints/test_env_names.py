"""Which game a checkpoint is of, by the names around it."""

from pathlib import Path

import pytest

from assay.interop.checkpoints.env_names import game_in_path, game_named


@pytest.mark.parametrize("text, game", [
    ("Pong", "Pong"), ("Pong-v5", "Pong"), ("ALE/Pong-v5", "Pong"), ("PongNoFrameskip-v4", "Pong"),
    ("PongDeterministic-v4", "Pong"), ("PongNoFrameskip-v4_1", "Pong"), ("MsPacman-v5-dqn-seed1", "MsPacman"),
    ("pong", ""), ("Pongs", ""), ("Pong-agents", ""), ("MyPong", ""), ("CartPole-v1", ""), ("", ""),
    (None, ""),
])  # fmt: skip
def test_a_game_in_a_name(text, game):
    assert game_named(text) == game


@pytest.mark.parametrize("path, game", [
    ("models/DQN_modern/Pong/0/model_50000000.gz", "Pong"),
    ("BreakoutNoFrameskip-v4_1/BreakoutNoFrameskip-v4.zip", "Breakout"),
    ("Pong/Breakout.pt", "Breakout"),  # the nearest name counts
    ("Pong/BreakoutNoFrameskip-v4-c51-seed1/c51.cleanrl_model", "Breakout"),
    ("ck/Tennis/dqn_pong.pt", "Pong"), ("Tennis/best-space-invaders_2.pt", "SpaceInvaders"),
    ("Tennis/ms_pacman.pt", "MsPacman"), ("Tennis/ppo_PongNoFrameskip-v4.zip", "Pong"),
    ("Tennis/pong_boxing.pt", "Tennis"),  # two names are none
    ("Tennis/dqn_pongs.pt", "Tennis"), ("models/agent.pt", ""), ("agent.pt", ""),
])  # fmt: skip
def test_a_game_in_a_path(path, game):
    assert game_in_path(Path(path)) == game
