"""Whole experiment files of our own, in the forms that the original's have, each with points by hand."""

import pytest

import assay
from assay.errors import AssayError
from assay.interop.experiments.experiment import from_playground_experiment
from assay.plans.make_plan import suite_plan

DQN = """
import itertools
from ray import tune
from collections import OrderedDict

num_seeds = 3
var_env_configs = OrderedDict({
    "state_space_size": [8], "action_space_size": [8], "delay": [0], "sequence_length": [1, 2],
    "transition_noise": [0, 0.1], "dummy_seed": [i for i in range(num_seeds)],
})
var_configs = OrderedDict({"env": var_env_configs})
env_config = {
    "env": "RLToy-v0", "horizon": 50,
    "env_config": {"seed": 0, "state_space_type": "discrete", "completely_connected": True},
}
algorithm = "DQN"
agent_config = {"lr": 1e-3, "num_workers": 2, "hiddens": None, "timesteps_per_iteration": 1000}
model_config = {"model": {"fcnet_hiddens": [64], "fcnet_activation": "tanh"}}
eval_config = {
    "evaluation_interval": 1,
    "evaluation_config": {
        "explore": False, "evaluation_num_episodes": 7, "horizon": 50,
        "env_config": {
            "dummy_eval": True,
            "transition_noise": 0
            if "state_space_type" in env_config["env_config"]
            and env_config["env_config"]["state_space_type"] == "discrete"
            else tune.function(lambda a: a.normal(0, 0)),
            "reward_noise": tune.function(lambda a: a.normal(0, 0)),
            "action_loss_weight": 0.0,
        },
    },
}
value_tuples = []
for config_type, config_dict in var_configs.items():
    for key in config_dict:
        assert isinstance(var_configs[config_type][key], list), "a list"
        value_tuples.append(var_configs[config_type][key])
print("configs:", len(list(itertools.product(*value_tuples))))
"""
CHEETAH = '''
num_seeds = 2
var_configs = {"env": {"time_unit": [0.5, 1.0, 2.0], "dummy_seed": [0, 1]}}
env_config = {
    "env": "HalfCheetahWrapper-v3", "horizon": 1000, "soft_horizon": False,
    "env_config": {"seed": 0, "state_space_type": "continuous", "MujocoEnv": {}},
}
algorithm = "SAC"
agent_config = {"learning_starts": 10000, "timesteps_per_iteration": 1000, "train_batch_size": 255}
model_config = {}
eval_config = {"evaluation_interval": None, "evaluation_config": {"horizon": 100}}
'''  # fmt: skip
GAME = """
num_seeds = 2
timesteps_total = 1_000_000
var_configs = {"env": {"delay": [0, 2], "ablate": ["double"], "dummy_seed": [0, 1]}}
env_config = {
    "env": "GymEnvWrapper-Atari",
    "env_config": {
        "AtariEnv": {"game": "beam_rider", "obs_type": "image", "frameskip": 1},
        "atari_preprocessing": True, "frame_skip": 4, "grayscale_obs": False,
        "state_space_type": "discrete", "seed": 0,
    },
}
algorithm = "A3C"
agent_config = {"clip_rewards": True, "num_envs_per_worker": 5, "timesteps_per_iteration": 10000}
model_config = {}
eval_config = {"evaluation_interval": None, "evaluation_config": {}}
"""


@pytest.fixture
def load(tmp_path):
    def load(text, **how):
        (tmp_path / "mine.py").write_text(text)
        return from_playground_experiment(tmp_path / "mine.py", **how)

    return load


def test_a_discrete_grid_by_hand(load):
    experiment = load(DQN)
    base = "toy/discrete+mdp_seed=0"
    assert [(str(each.task), str(each.evaluate)) for each in experiment.points] == [
        (f"{base}+horizon=50", f"{base}+horizon=50"),
        (f"{base}+transition_noise=0.1+horizon=50", f"{base}+horizon=50"),
        (f"{base}+sequence_length=2+horizon=50", f"{base}+sequence_length=2+horizon=50"),
        (f"{base}+sequence_length=2+transition_noise=0.1+horizon=50", f"{base}+sequence_length=2+horizon=50"),
    ]
    assert experiment.points[1].levels == {"sequence_length": 1, "transition_noise": 0.1}
    assert dict(experiment.varied) == {"sequence_length": [1, 2], "transition_noise": [0, 0.1]}
    assert (experiment.agent, experiment.seeds, experiment.steps, experiment.episodes) == (
        "dqn",
        3,
        20_000,
        7,
    )
    assert experiment.evaluates
    assert experiment.points[0].settings["hidden"] == [64]
    assert experiment.dropped["num_workers"].startswith("about the machine")
    assert experiment.dropped["completely_connected"].startswith("it changes nothing")


def test_the_suite_of_an_experiment_can_be_planned(load):
    suite = load(DQN).suite
    plan = suite_plan(suite, "dqn")
    assert (suite.agent, suite.steps, len(suite.seeds), suite.episodes, suite.rollouts) == (
        "dqn",
        20_000,
        3,
        7,
        True,
    )
    assert [pair.train for pair in plan.suite.pairs] == [pair.train for pair in suite.pairs]
    assert plan.settings["learning_rate"] == 1e-3
    assert suite.settings == ()  # all points share theirs


def test_settings_in_which_points_differ_stand_beside_their_pairs(load):
    text = DQN.replace('{"env": var_env_configs}', '{"env": var_env_configs, "agent": {"lr": [0.1, 0.2]}}')
    suite = load(text).suite
    assert [dict(each) for each in suite.settings[:2]] == [{"learning_rate": 0.1}, {"learning_rate": 0.2}]
    assert "learning_rate" not in suite.recipes["dqn"]
    assert suite.recipes["dqn"]["hidden"] == [64]


def test_bodies_count_seconds(load):
    experiment = load(CHEETAH)
    assert [str(each.task) for each in experiment.points] == [
        "gym/HalfCheetah-v5+make.max_episode_steps=2000+time_unit=0.5",
        "gym/HalfCheetah-v5",
        "gym/HalfCheetah-v5+make.max_episode_steps=500+time_unit=2.0",
    ]
    counted = ("steps", "learning_starts", "report_every", "batch")
    assert [[each.settings[name] for name in counted] for each in experiment.points] == [
        [6_000_000, 20_000, 2000, 127],
        [3_000_000, 10_000, 1000, 255],
        [1_500_000, 5000, 500, 510],
    ]
    assert [each.evaluate for each in experiment.points] == [each.task for each in experiment.points]


def test_a_fixed_budget_stays_and_evaluation_has_its_own_horizon(load):
    text = (
        CHEETAH.replace('"evaluation_interval": None', '"evaluation_interval": 1')
        + "timesteps_total = 4000\n"
    )
    experiment = load(text)
    assert {each.settings["steps"] for each in experiment.points} == {4000}
    assert str(experiment.points[2].evaluate) == "gym/HalfCheetah-v5+make.max_episode_steps=50+time_unit=2.0"


def test_games(load):
    pytest.importorskip("ale_py")
    experiment = load(GAME)
    base = "atari/BeamRider+sticky=0.0+observation=gray84+stack=1+noops=1"
    assert [str(each.task) for each in experiment.points] == [base, f"{base}+reward.delay=2"]
    assert experiment.points[0].settings["signs"] is True
    assert experiment.dropped["ablate"].startswith("a mark")


def test_a_level_that_cannot_be_honoured_is_an_error_or_is_listed(load):
    pytest.importorskip("ale_py")
    text = GAME.replace('"delay": [0, 2]', '"image_width": [84, 40]')
    with pytest.raises(AssayError, match=r"mine.py cannot be read as an experiment: image_width=40"):
        load(text)
    experiment = load(text, skip_refused=True)
    assert len(experiment.points) == 1
    assert experiment.refused[0].levels == {"image_width": 40}
    assert "84 x 84" in experiment.refused[0].why


def test_levels_of_the_agent_that_nothing_here_stands_for_are_refused(load):
    text = DQN.replace('{"env": var_env_configs}', '{"env": var_env_configs, "agent": {"sampler": [1, 2]}}')
    with pytest.raises(AssayError, match=r"agent\.sampler=1 differs between points"):
        load(text)


CONTINUOUS = {
    '"state_space_type": "discrete", "completely_connected": True': '"state_space_type": "continuous"',
    '"state_space_size": [8], "action_space_size": [8], ': (
        '"state_space_dim": [4], "state_space_relevant_indices": [[0, 1]], '
        '"action_space_relevant_indices": [[0, 1]], "action_loss_weight": [0.1], '
    ),
    '"sequence_length": [1, 2],': "",
    '"DQN"': '"DDPG"',
}


def test_continuous_noise_and_old_names(load):
    text = DQN
    for old, new in CONTINUOUS.items():
        assert old in text
        text = text.replace(old, new)
    experiment = load(text)
    base = "toy/continuous+state_space_dim=4+relevant_indices=[0,1]"
    assert str(experiment.points[1].task) == f"{base}+action_loss_weight=0.1+transition_noise=0.1+horizon=50"
    assert str(experiment.points[1].evaluate) == f"{base}+horizon=50"


def test_the_door_and_refusals_of_whole_files(load, tmp_path):
    with pytest.raises(AssayError, match="binds no algorithm"):
        load("x = 1")
    with pytest.raises(AssayError, match="cannot be read: No such file"):
        assay.from_playground_experiment(tmp_path / "missing.py")
    with pytest.raises(AssayError, match=r"'Rltoy-v0' is none of .*did you mean 'RLToy-v0'"):
        load(DQN.replace("RLToy-v0", "Rltoy-v0"))
