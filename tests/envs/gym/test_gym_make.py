"""Ids of Gymnasium and its settings: what a newcomer types is understood, or answered with the right text."""

import re

import pytest

import assay
from assay.errors import AssayError
from assay.plans.make_plan import sweep_plan


@pytest.mark.parametrize("typed, ours", [
    ("CartPole-v1", "gym/CartPole-v1"), ("mine:Env-v0", "gym/mine:Env-v0"), ("Ant-v4", "gym/Ant-v4"),
    ("ALE/Pong-v5", "atari/Pong"), ("ALE/Pong-ram-v5", "atari/Pong+observation=ram"),
    ("PongNoFrameskip-v4", "atari/Pong+frameskip=1+sticky=0.0"),
    ("PongNoFrameskip-v0", "atari/Pong+frameskip=1"),
    ("PongDeterministic-v4", "atari/Pong+frameskip=4+sticky=0.0"),
    ("Pong-v4", "atari/Pong+frameskip=[2,4]+sticky=0.0"),
    ("Pong-ramNoFrameskip-v4", "atari/Pong+observation=ram+frameskip=1+sticky=0.0"),
])  # fmt: skip
def test_an_id_of_gymnasium_is_answered_with_our_text(typed, ours):
    with pytest.raises(AssayError, match=re.escape(f"{typed} is {ours} here")):
        assay.make(typed)


def test_settings_of_gymnasium_make_stand_in_the_text():
    env = assay.make("gym/FrozenLake-v1+make.is_slippery=false+make.desc=[SF,FG]")
    env.reset(seed=0)
    assert env.observation_space.n == 4
    assert [env.step(action)[0] for action in (2, 1)] == [1, 3]  # right and down, never slipping
    assert env.task == "gym/FrozenLake-v1+make.is_slippery=false+make.desc=[SF,FG]"


def test_a_setting_that_the_env_does_not_know_is_refused():
    with pytest.raises(AssayError, match=r"gym/FrozenLake-v1 cannot be made with is_slipery: .*unexpected"):
        assay.make("gym/FrozenLake-v1+make.is_slipery=false")
    with pytest.raises(AssayError, match="cannot be swept: it has no neutral level"):
        sweep_plan("random", "gym/FrozenLake-v1", {"make.is_slippery": "true"})


def test_an_env_of_ones_own_module(tmp_path, monkeypatch):
    (tmp_path / "own_envs.py").write_text(
        "import gymnasium\n"
        "from gymnasium.envs.classic_control import CartPoleEnv\n"
        "gymnasium.register('OwnPole-v0', CartPoleEnv, max_episode_steps=9)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    env = assay.make("gym/own_envs:OwnPole-v0+action.delay=1")
    env.reset(seed=0)
    assert env.inner.host.limit == 9
    with pytest.raises(
        AssayError, match="no env called 'own_envs:OwnPol-v0'; did you mean 'own_envs:OwnPole-v0'"
    ):
        assay.make("gym/own_envs:OwnPol-v0")
