"""Whole env configs of MDP Playground, by the name of the env: toys, games, bodies, and what is refused."""

import pytest

import assay
from assay.errors import AssayError, NotApplicable

CHEETAH = {"env": "HalfCheetahWrapper-v3", "horizon": 1000}
ATARI, PREPARED = {"env": "GymEnvWrapper-Atari"}, {"atari_preprocessing": True}
GAME = {"game": "space_invaders", "obs_type": "image", "frameskip": 1}


def translated(**config):
    text, dropped = assay.from_playground(config)
    return str(text), dropped


def test_a_seed_in_a_whole_config_fixes_the_mdp():
    own = {"seed": 0, "state_space_type": "discrete", "delay": 2}
    assert translated(env="RLToy-v0", horizon=100, env_config=own) == ("toy/discrete+mdp_seed=0+delay=2", [])
    assert translated(env_config={"delay": 2}, horizon=20)[0] == "toy/discrete+delay=2+horizon=20"
    assert translated(env_config={"state_space_type": "grid", "seed": 1}, env="RLToy-v0")[0].startswith(
        "toy/grid"
    )


@pytest.mark.parametrize(("relevant", "sizes"), [([0], "[8,4]"), ([1], "[4,8]")])
def test_in_the_old_form_one_of_two_sub_spaces_is_relevant(relevant, sizes):
    old = {"state_space_relevant_indices": relevant, "action_space_relevant_indices": relevant}
    config = {"state_space_type": "discrete", "state_space_size": [8, 4], "action_space_size": [8, 4], **old}
    text, dropped = translated(**config)
    assert text == f"toy/discrete+action_space_size={sizes}+irrelevant_features"
    assert dropped == ["state_space_size"]


@pytest.mark.parametrize(
    ("own", "more"),
    [
        ({}, ""),
        ({"time_unit": 2.0}, "+make.max_episode_steps=500+time_unit=2.0"),
        ({"action_space_max": 0.5}, "+action_range=0.5"),
        ({"MujocoEnv": {"forward_reward_weight": 2.0}}, "+make.forward_reward_weight=2.0"),
        (
            {
                "irr_state_space_dim": 4,
                "irrelevant_features": {
                    "state_space_type": "continuous", "state_space_max": 10, "action_space_max": 1,
                    "reward_function": "move_to_a_point", "time_unit": 1.0, "transition_dynamics_order": 1,
                },
            },
            "+irrelevant_dims=4",
        ),
    ],
)  # fmt: skip
def test_bodies(own, more):
    assert translated(**CHEETAH, env_config=own)[0] == f"gym/HalfCheetah-v5{more}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("HopperWrapper-v3", "gym/Hopper-v5+make.max_episode_steps=100"),
        ("PusherWrapper-v2", "gym/Pusher-v5"),
        ("ReacherWrapper-v2", "gym/Reacher-v5+make.max_episode_steps=100"),
    ],
)
def test_a_horizon_is_the_body_s_own_or_set(name, text):
    assert translated(env=name, horizon=100, env_config={})[0] == text


def test_games():
    pytest.importorskip("ale_py")
    own = {"AtariEnv": GAME, "atari_preprocessing": True, "frame_skip": 4, "grayscale_obs": False, "delay": 2}
    text, dropped = translated(env="GymEnvWrapper-Atari", env_config=own)
    assert text == "atari/SpaceInvaders+sticky=0.0+observation=gray84+stack=1+noops=1+reward.delay=2"
    assert dropped == ["atari_preprocessing", "grayscale_obs"]
    bare = {"AtariEnv": {"game": "qbert", "obs_type": "ram", "frameskip": (2, 5), "full_action_space": True}}
    text, _ = translated(env="GymEnvWrapper-Atari", env_config=bare)
    assert text == "atari/Qbert+sticky=0.0+observation=ram+actions=full+frameskip=[2,4]"


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"env": "Swimmer-v3"}, "env='?Swimmer-v3'? is none of RLToy-v0"),
        ({"env": "RLToy-v0", "gamma": 1}, "gamma stands beside env_config"),
        ({**CHEETAH, "soft_horizon": True}, "soft_horizon=true"),
        ({"env_config": [1]}, "env_config is a dict"),
        ({**ATARI, "env_config": {}}, "needs AtariEnv"),
        ({**ATARI, "env_config": {"AtariEnv": {**GAME, "obs": 1}}}, r"AtariEnv\['obs'\]=1"),
        (
            {**ATARI, "env_config": {"AtariEnv": {"game": "pong"}, **PREPARED}},
            "needs AtariEnv with frameskip=1",
        ),
        (
            {**ATARI, "env_config": {"AtariEnv": GAME, **PREPARED, "image_width": 40}},
            "image_width=40 cannot be honoured: small screens are 84 x 84",
        ),
        (
            {**CHEETAH, "env_config": {"irrelevant_features": {"state_space_max": 5, "state_space_dim": 2}}},
            r"irrelevant_features\['state_space_max'\]=5",
        ),
        (
            {"state_space_type": "discrete", "state_space_relevant_indices": [1]},
            "names one of two sub-spaces",
        ),
        (
            {
                "state_space_type": "continuous",
                "state_space_relevant_indices": [0],
                "action_space_relevant_indices": [1],
            },
            "action_space_relevant_indices=.* are not those of the states",
        ),
    ],
)
def test_refusals_name_the_key(config, why):
    with pytest.raises(AssayError, match=why) as refused:
        assay.from_playground(config)
    assert isinstance(refused.value, NotApplicable)
