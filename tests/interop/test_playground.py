"""from_playground: whole configs by hand, then key by key, then what is refused."""

from fractions import Fraction
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

import assay
from assay.envs.toy import examples
from assay.errors import AssayError, NotApplicable, UnknownName, WrongLevel
from assay.native import build_native

DISCRETE = {"state_space_type": "discrete"}
PAYS_TWO = examples.pays_two
TABLES = {
    "use_custom_mdp": True,
    "transition_function": np.array([[1, 0], [0, 1]]),
    "reward_function": [[0.0, 1.0], [2.0, 3.0]],
}


def translated(**config):
    text, dropped = assay.from_playground({**DISCRETE, **config})
    return str(text), dropped


def test_a_config_as_the_original_writes_it():
    text, dropped = assay.from_playground(
        {
            "state_space_type": "discrete",
            "action_space_type": "discrete",
            "state_space_size": 8,
            "action_space_size": 8,
            "seed": 3,
            "delay": 2,
            "sequence_length": 3,
            "reward_density": 0.25,
            "terminal_state_density": 0.25,
            "transition_noise": 0.1,
            "reward_noise": 1,
            "reward_scale": 1.0,
            "reward_every_n_steps": True,
            "make_denser": False,
            "generate_random_mdp": True,
            "completely_connected": True,
            "log_filename": "/tmp/log",
            "log_level": "INFO",
        }
    )
    expected = "toy/discrete+mdp_seed=3+delay=2+sequence_length=3+transition_noise=0.1+reward_noise=1.0"
    assert str(text) == expected
    assert dropped == [
        "action_space_type", "state_space_size", "reward_every_n_steps", "generate_random_mdp",
        "completely_connected", "log_filename", "log_level",
    ]  # fmt: skip
    assay.make(text).reset(seed=0)


def test_a_custom_mdp():
    text, dropped = translated(
        **TABLES,
        state_space_size=2,
        action_space_size=2,
        terminal_states=[],
        init_state_dist=np.array([0.5, 0.5]),
    )
    assert text == (
        "toy/discrete+transition_function=[[1,0],[0,1]]+reward_function=[[0.0,1.0],[2.0,3.0]]"
        "+action_space_size=2+terminal_state_density=0.0+init_state_dist=[0.5,0.5]"
    )
    assert dropped == ["use_custom_mdp", "state_space_size"]
    env = assay.make(text)
    observation, _ = env.reset(seed=0)
    assert env.step(1)[1] == TABLES["reward_function"][observation][1]


NAMED = "assay.envs.toy.examples"
OWN_FUNCTIONS = [
    (
        {"state_space_type": "discrete", "use_custom_mdp": True, "state_space_size": 8,
         "action_space_size": 4, "transition_function": examples.ring, "reward_function": PAYS_TWO,
         "diameter": 2, "terminal_states": examples.from_five_on, "reward_noise": examples.uneven},
        f"toy/discrete+state_space_size=8+action_space_size=4+transition_function={NAMED}:ring"
        f"+reward_function={NAMED}:pays_two+terminal_states={NAMED}:from_five_on"
        f"+reward_noise_function={NAMED}:uneven",
        ["use_custom_mdp", "diameter"],
    ),
    # The original's function sees the last n + delay + 1 states, and is gated every n steps as before.
    (
        {"state_space_type": "discrete", "use_custom_mdp": True, "transition_function": examples.ring,
         "reward_function": PAYS_TWO, "delay": 2},
        f"toy/discrete+transition_function={NAMED}:ring+reward_function={NAMED}:pays_two+delay=2"
        "+sequence_length=3+reward_every_n_steps=1",
        ["use_custom_mdp"],
    ),
    (
        {"state_space_type": "continuous", "use_custom_mdp": True, "transition_function": examples.turned,
         "reward_function": examples.pays_progress, "terminal_states": examples.beyond_three, "inertia": 2.0,
         "transition_noise": examples.wind, "reward_noise": examples.gusts, "delay": 1, "target_radius": 0.5},
        f"toy/continuous+transition_function={NAMED}:turned+reward_function={NAMED}:pays_progress"
        f"+terminal_states={NAMED}:beyond_three+transition_noise_function={NAMED}:wind"
        f"+reward_noise_function={NAMED}:gusts+delay=1+sequence_length=2",
        ["use_custom_mdp", "inertia", "target_radius"],
    ),
    (
        {"state_space_type": "grid", "terminal_states": examples.on_the_diagonal,
         "reward_noise": examples.gusts},
        f"toy/grid+terminal_states={NAMED}:on_the_diagonal+reward_noise_function={NAMED}:gusts"
        "+action_form=vector",
        [],
    ),
]  # fmt: skip


@pytest.mark.parametrize("config, text, dropped", OWN_FUNCTIONS)
def test_functions_that_can_be_imported_stand_in_the_text(config, text, dropped):
    found, left_out = assay.from_playground(config)
    assert (str(found), left_out) == (text, dropped)
    build_native(found)


PLAIN = "toy/discrete"
KEY_BY_KEY = [
    ({}, PLAIN, []),
    ({"state_space_type": "Discrete"}, PLAIN, []),
    ({"delay": 0, "reward_scale": 1, "diameter": 1}, PLAIN, []),
    ({"delay": None}, PLAIN, ["delay"]),
    ({"seed": np.int64(5)}, f"{PLAIN}+mdp_seed=5", []),
    ({"seed": {"env": 5}}, f"{PLAIN}+mdp_seed=5", []),
    ({"seed": {"env": 5, "state_space": 5}}, f"{PLAIN}+mdp_seed=5", []),
    ({"reward_every_n_steps": False}, f"{PLAIN}+reward_every_n_steps=1", []),
    ({"reward_every_n_steps": 4}, f"{PLAIN}+reward_every_n_steps=4", []),
    ({"reward_every_n_steps": np.True_}, PLAIN, ["reward_every_n_steps"]),
    ({"make_denser": True}, PLAIN, ["make_denser"]),
    ({"repeats_in_sequences": True}, PLAIN, ["repeats_in_sequences"]),
    ({"make_denser": True, "sequence_length": 2}, f"{PLAIN}+make_denser+sequence_length=2", []),
    (
        {"irrelevant_features": True, "action_space_size": [8, 4]},
        f"{PLAIN}+irrelevant_features+action_space_size=[8,4]",
        [],
    ),
    ({"reward_dist": np.array([0, 1])}, f"{PLAIN}+reward_dist=[0.0,1.0]", []),
    ({"reward_dist": Fraction}, f"{PLAIN}+reward_dist=fractions:Fraction", []),  # any function with a name
    ({"terminal_states": [3]}, PLAIN, ["terminal_states"]),
    ({"use_custom_mdp": False, "reward_function": [[1]]}, PLAIN, ["use_custom_mdp", "reward_function"]),
    ({"image_representations": False, "image_width": 84}, PLAIN, ["image_representations", "image_width"]),
    (
        {"image_representations": True, "image_transforms": "shift", "image_sh_quant": 4},
        f"{PLAIN}+image_representations+image_transforms=shift+image_sh_quant=4",
        [],
    ),
    ({"dtype_s": np.int64, "render_mode": None}, PLAIN, ["dtype_s", "render_mode"]),
]


@pytest.mark.parametrize("config, text, dropped", KEY_BY_KEY)
def test_key_by_key(config, text, dropped):
    assert translated(**config) == (text, dropped)


REFUSED = [
    ({"state_space_type": "Grids"}, NotApplicable, "is one of discrete, continuous, grid, not 'Grids'"),
    ({"state_space_type": None}, NotApplicable, "state_space_type is one of .*, not nothing"),
    ({"dellay": 1}, UnknownName, "config is called 'dellay'; did you mean 'delay'"),
    ({"target_point": [0]}, UnknownName, "is called 'target_point'"),
    ({"horizon": 5}, UnknownName, "is called 'horizon'"),
    ({"seed": -1}, WrongLevel, "a seed is a whole number"),
    ({"seed": {"env": 0, "state_space": 1}}, WrongLevel, "seeds the parts of an MDP separately"),
    ({"seed": {"state_space": 1}}, WrongLevel, "give one number"),
    ({"seed": {"env": 1, "enw": 1}}, WrongLevel, "give one number"),
    ({"delay": -1}, WrongLevel, "delay takes a whole number from 0"),
    ({"delay": 1.5}, WrongLevel, "delay takes a whole number from 0"),
    ({"reward_noise": lambda s, a, rng: 1.0}, NotApplicable, "reward_noise=.*cannot be imported"),
    ({"transition_noise": max}, NotApplicable, "transition_noise is a function, .* give a number"),
    ({"reward_dist": lambda rng, so_far: 1.0}, NotApplicable, "cannot be imported by that name"),
    ({"use_custom_mdp": True}, NotApplicable, "needs transition_function and reward_function"),
    ({**TABLES, "state_space_size": 3}, NotApplicable, "state_space_size is 3, but .* has 2 rows"),
    ({**TABLES, "transition_function": lambda s, a: s}, NotApplicable, "cannot be imported by that name"),
    ({**TABLES, "reward_function": PAYS_TWO, "delay": 0.5}, WrongLevel, "delay takes a whole number from 0"),
]


@pytest.mark.parametrize("config, error, sentence", REFUSED)
def test_what_cannot_be_honoured_is_refused(config, error, sentence):
    with pytest.raises(error, match=sentence):
        translated(**config)


def test_a_config_is_a_dict_that_says_its_kind():
    with pytest.raises(NotApplicable, match="not nothing"):
        assay.from_playground({})
    with pytest.raises(AssayError, match="a config is a dict"):
        assay.from_playground([("delay", 1)])


def test_make_takes_the_same_names_but_nothing_that_is_ignored():
    config = {"delay": 2, "sequence_length": 2, "reward_dist": [0.0, 1.0], "mdp_seed": 3}
    assert assay.make("toy/discrete", config).task == str(assay.task("toy/discrete", config))
    for key in ("log_level", "generate_random_mdp", "completely_connected", "use_custom_mdp", "dtype_o"):
        with pytest.raises(UnknownName, match=key):
            assay.make("toy/discrete", {key: True})


BOXED = [
    ({"state_space_type": "continuous", "state_space_dim": 2, "seed": 4}, "toy/continuous", ["seed"]),
    (
        {
            "state_space_type": "continuous",
            "action_space_type": "continuous",
            "state_space_dim": 4,
            "action_space_dim": 4,
            "relevant_indices": [0, 1],
            "target_point": np.zeros(2),
            "target_radius": 0.5,
            "reward_function": "move_to_a_point",
            "sequence_length": 1,
            "make_denser": True,
            "transition_dynamics_order": 2,
            "inertia": 2.0,
            "time_unit": 0.5,
            "delay": 3,
            "irrelevant_features": True,
            "terminal_states": [],
        },
        "toy/continuous+state_space_dim=4+relevant_indices=[0,1]+target_radius=0.5"
        "+transition_dynamics_order=2+inertia=2.0+time_unit=0.5+delay=3",
        [
            "action_space_type",
            "action_space_dim",
            "sequence_length",
            "irrelevant_features",
            "terminal_states",
        ],
    ),
    (
        {
            "state_space_type": "grid",
            "grid_shape": (8, 8),
            "target_point": [2, 3],
            "reward_function": "move_to_a_point",
            "make_denser": False,
        },
        "toy/grid+target_point=[2,3]+make_denser=false+action_form=vector",
        ["reward_function"],
    ),
]


@pytest.mark.parametrize("config, text, dropped", BOXED)
def test_continuous_and_grid_configs(config, text, dropped):
    task, left_out = assay.from_playground(config)
    assert (str(task), left_out) == (text, dropped)


@pytest.mark.parametrize(
    "config, error, sentence",
    [
        ({"state_space_type": "continuous", "sequence_length": 3}, NotApplicable, "sequence_length=3 is for"),
        ({"state_space_type": "continuous", "diameter": 2}, UnknownName, "no key of a continuous"),
        ({"state_space_type": "continuous", "use_custom_mdp": True}, NotApplicable, "needs transition_f"),
        ({"state_space_type": "continuous", "reward_function": max}, NotApplicable, "set that too"),
        ({"state_space_type": "continuous", "reward_noise": lambda s, a, r: 0}, NotApplicable, "imported"),
        ({"state_space_type": "continuous", "state_space_max": np.inf}, WrongLevel, "state_space_max takes"),
        ({"state_space_type": "grid", "transition_noise": max}, NotApplicable, "is a function"),
    ],
)
def test_what_a_box_cannot_honour_is_refused(config, error, sentence):
    with pytest.raises(error, match=sentence):
        assay.from_playground(config)


CARTPOLE, PENDULUM = "gym/CartPole-v1", "gym/Pendulum-v1"
ON_A_HOST = [
    (CARTPOLE, {"delay": 0, "reward_scale": 1, "irrelevant_features": False}, "", []),
    # The order of effects is the paper's, whatever the dict's.
    (
        CARTPOLE,
        {"reward_shift": 1, "term_state_reward": -2, "reward_scale": 3, "reward_noise": 0.5, "delay": 2},
        "+reward.delay=2+reward.noise=0.5+reward.terminal=-2.0+reward.scale=3.0+reward.shift=1.0",
        [],
    ),
    (CARTPOLE, {"state_space_type": "discrete", "transition_noise": 0.1}, "+action.other=0.1", []),
    (PENDULUM, {"transition_noise": 0.1, "seed": 3}, "+observation.normal=0.1", ["seed"]),
    (
        PENDULUM,
        {"irrelevant_features": {"state_space_type": "continuous", "state_space_dim": 2}},
        "+irrelevant_dims=2",
        [],
    ),
]


@pytest.mark.parametrize("env, config, more, dropped", ON_A_HOST)
def test_the_same_config_varies_a_hosted_env(env, config, more, dropped):
    text, left_out = assay.from_playground(config, env=env)
    assert (str(text), [key for key in left_out if key != "state_space_type"]) == (env + more, dropped)
    assay.make(text).reset(seed=0)


@pytest.mark.parametrize(
    "env, config, error, sentence",
    [
        (CARTPOLE, {"diameter": 2}, NotApplicable, "diameter=2 cannot be honoured: gym/CartPole-v1 is"),
        (CARTPOLE, {"state_space_type": "continuous"}, NotApplicable, "the actions of .* are discrete"),
        (CARTPOLE, {"reward_noise": max}, WrongLevel, "reward_noise takes a number on a host"),
        (CARTPOLE, {"irrelevant_features": True}, NotApplicable, "the config of a toy env"),
        (CARTPOLE, {"irrelevant_features": {"delay": 1}}, NotApplicable, r"irrelevant_features\['delay'\]=1"),
        (CARTPOLE, {"image_transforms": "melt"}, NotApplicable, "image_transforms='melt'"),
        ("toy/discrete", {"delay": 1}, NotApplicable, "names a hosted env"),
    ],
)
def test_what_a_host_cannot_honour_is_refused(env, config, error, sentence):
    with pytest.raises(error, match=sentence):
        assay.from_playground(config, env=env)


class Screen(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(0, 255, (40, 40, 3), np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.full((40, 40, 3), 200, np.uint8), {}

    def step(self, action):
        return np.full((40, 40, 3), 200, np.uint8), 0.0, False, False, {}


def test_image_transforms_of_a_host():
    gymnasium.register("PlaygroundScreen-v0", Screen)
    try:
        config = {"image_transforms": "shift,scale,rotate,flip", "image_sh_quant": 4, "image_ro_quant": 30}
        text, _ = assay.from_playground(config, env="gym/PlaygroundScreen-v0")
        assert str(text) == (
            "gym/PlaygroundScreen-v0+observation.scale=[0.5,1.5]+observation.shift=[19,4]"
            "+observation.rotate=30+observation.flip"
        )
        observation, _ = assay.make(text).reset(seed=0)
        assert observation.shape == (40, 40, 3) and set(np.unique(observation)) == {0, 200}
    finally:
        del gymnasium.registry["PlaygroundScreen-v0"]


def test_terminal_reward_is_scaled_once_and_what_waits_is_paid():
    text, _ = assay.from_playground({"delay": 2, "reward_scale": 3, "term_state_reward": -2}, env=CARTPOLE)
    env, paid, steps = assay.make(text), 0.0, 0
    env.reset(seed=0)
    over = False
    while not over:
        _, reward, terminated, truncated, _ = env.step(0)
        paid, steps, over = paid + reward, steps + 1, terminated or truncated
    assert terminated and paid == 3 * (steps - 2)


class TestPublishedFiles:
    """What the original's experiment files say beside what its page says."""

    DISCRETE: ClassVar[dict] = {
        "state_space_type": "discrete",
        "action_space_size": 8,
        "image_representations": True,
    }

    def test_a_range_of_scales_without_a_scale_changes_nothing(self):
        config = {**self.DISCRETE, "image_transforms": "shift", "image_scale_range": (0.5, 2.0)}
        text, dropped = assay.from_playground(config)
        assert "image_scale_range" in dropped and "image_transforms=shift" in str(text)
        config["image_transforms"] = "shift,scale"
        text, dropped = assay.from_playground(config)
        assert "image_scale_range=[0.5,2.0]" in str(text) and "image_scale_range" not in dropped

    def test_the_old_name_of_relevant_indices_is_read(self):
        config = {"state_space_type": "continuous", "state_space_dim": 4, "target_radius": 0.5}
        old, _ = assay.from_playground({**config, "state_space_relevant_indices": [0, 1]})
        new, _ = assay.from_playground({**config, "relevant_indices": [0, 1]})
        assert old == new and "relevant_indices=[0,1]" in str(old)
        with pytest.raises(AssayError, match="old name of relevant_indices"):
            assay.from_playground({**config, "relevant_indices": [0], "state_space_relevant_indices": [0, 1]})
