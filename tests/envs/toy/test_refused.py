"""What toy/continuous and toy/grid do not take is refused when they are built, by key, value and range."""

import math

import numpy as np
import pytest

from assay.errors import AssayError, UnknownName, WrongLevel
from assay.native import build_native

CONTINUOUS = [
    ({"state_space_dim": 0}, "state_space_dim takes a whole number from 1 to 1000", "not 0"),
    ({"state_space_dim": 2.5}, "state_space_dim takes a whole number", "not 2.5"),
    ({"relevant_indices": []}, "relevant_indices takes a list of dimensions", "at least one"),
    ({"relevant_indices": [2]}, "relevant_indices names dimension 2", "there are 2"),
    ({"relevant_indices": [-1]}, "relevant_indices takes a list of dimensions, from 0 up", "-1"),
    ({"relevant_indices": [0.5]}, "relevant_indices", "0.5 is not a whole number"),
    ({"relevant_indices": [math.inf]}, "relevant_indices: a number must be finite", "not inf"),
    ({"state_space_max": 0.0}, "state_space_max takes a number above 0", "not 0.0"),
    ({"state_space_max": -1}, "state_space_max takes a number above 0", "not -1"),
    ({"state_space_max": math.inf}, "state_space_max: a number must be finite", "not inf"),
    ({"state_space_max": math.nan}, "state_space_max: a number must be finite", "not nan"),
    ({"state_space_max": [1.0, 2.0, 3.0]}, "state_space_max has 3 numbers", "2 dimensions"),
    ({"action_space_max": [1.0]}, "action_space_max has 1 number", "2 dimensions"),
    ({"action_space_max": [1.0, -1.0]}, "action_space_max takes a number above 0", "not (1.0, -1.0)"),
    ({"action_space_max": []}, "action_space_max takes", "not ()"),
    ({"action_space_max": "1"}, "action_space_max takes a number above 0", "'1'"),
    ({"inertia": 0.0}, "inertia takes a number above 0", "not 0.0"),
    ({"inertia": [1.0, 2.0, 3.0]}, "inertia has 3 numbers", "2 dimensions"),
    ({"inertia": [1.0, [2.0, 3.0]]}, "inertia takes a number above 0", "is not a number"),
    ({"transition_dynamics_order": 0}, "transition_dynamics_order takes a whole number from 1 to 10", "0"),
    ({"time_unit": 0}, "time_unit takes a number from 1e-06", "not 0"),
    ({"time_unit": math.nan}, "time_unit: a number must be finite", "not nan"),
    ({"target_radius": -0.1}, "target_radius takes a number from 0", "not -0.1"),
    ({"target_radius": 20.0}, "target_radius=20", "100% of the box"),
    ({"target_point": [1.0]}, "target_point has points of 1 number", "2 dimensions"),
    ({"target_point": [11.0, 0.0]}, "target_point names [11.0, 0.0]", "outside of the box"),
    ({"target_point": [math.nan, 0.0]}, "target_point: a number must be finite", "not nan"),
    ({"target_point": []}, "target_point takes a point", "at least one"),
    ({"target_point": [[1.0, 1.0], [1.0]]}, "target_point takes a point", "the same length"),
    ({"target_point": 3.0}, "target_point takes a point", "not 3.0"),
    ({"target_point": [1.0, 1.0], "reward_function": "move_along_a_line"}, "target_point acts only with", ""),
    ({"terminal_states": [[1.0, 2.0, 3.0]]}, "terminal_states has points of 3 numbers", "2 dimensions"),
    ({"terminal_states": [[1.0, 20.0]]}, "terminal_states names [1.0, 20.0]", "outside of the box"),
    ({"terminal_states": [0.0, 0.0], "term_state_edge": 20.0}, "term_state_edge=20", "100% of the box"),
    ({"term_state_edge": 2.0}, "term_state_edge acts only with terminal_states", ""),
    ({"terminal_states": [3.0, 3.0], "term_state_edge": -1.0}, "term_state_edge takes a number from 0", "-1"),
    ({"action_loss_weight": -1.0}, "action_loss_weight takes a number from 0 up", "not -1.0"),
    ({"reward_function": "move_home"}, "reward_function takes one of move_to_a_point", "'move_home'"),
    ({"sequence_length": 5}, "sequence_length acts only with reward_function set", "=move_along_a_line"),
    ({"sequence_length": 1, "reward_function": "move_along_a_line"}, "sequence_length takes", "from 2"),
    ({"noise_kind": "observation"}, "noise_kind acts only with transition_noise", ""),
    ({"noise_kind": "both", "transition_noise": 1.0}, "noise_kind takes one of process, observation", "both"),
    ({"transition_noise": -0.5}, "transition_noise takes a number from 0", "not -0.5"),
    ({"observe_velocity": True}, "observe_velocity acts only with transition_dynamics_order", ""),
    ({"hidden_mode": 1.5}, "hidden_mode takes a number from 0 to 1", "not 1.5"),
    ({"reward_every_n_steps": 0}, "reward_every_n_steps takes a whole number from 1", "not 0"),
    ({"delay": -1}, "delay takes a whole number from 0", "not -1"),
    ({"reward_noise": -1.0}, "reward_noise takes a number from 0 up", "not -1.0"),
    ({"horizon": 0}, "horizon takes a whole number from 1", "not 0"),
    ({"flush_on_end": True}, "flush_on_end acts only with delay", ""),
    ({"make_denser": 1}, "make_denser takes true or false", "not 1"),
]  # fmt: skip
GRID = [
    ({"grid_shape": [1]}, "grid_shape takes a list", "at least 2 cells"),
    ({"grid_shape": [8, 1]}, "grid_shape takes a list", "at least 2 cells"),
    ({"grid_shape": []}, "grid_shape takes a list", "not ()"),
    ({"grid_shape": 8}, "grid_shape takes a list", "not 8"),
    ({"grid_shape": [2.5, 3]}, "grid_shape takes a list", "2.5 is not a whole number"),
    ({"grid_shape": [math.nan, 3]}, "grid_shape: a number must be finite", "not nan"),
    ({"grid_shape": [10_000, 10_000]}, "grid_shape takes a list", "at most 1000000"),
    ({"target_point": [8, 0]}, "target_point names the cell [8, 0]", "the board is [8, 8]"),
    ({"target_point": [-1, 0]}, "target_point names the cell [-1, 0]", "the board is [8, 8]"),
    ({"target_point": [1, 1, 1]}, "target_point names the cell [1, 1, 1]", "the board is [8, 8]"),
    ({"target_point": [0.5, 1]}, "target_point takes a cell", "0.5 is not a whole number"),
    ({"terminal_states": [[3, 9]]}, "terminal_states names the cell [3, 9]", "the board is [8, 8]"),
    ({"terminal_states": []}, "terminal_states takes a list of cells", "at least one"),
    ({"terminal_states": [3, 3]}, "terminal_states takes a list of cells", "not (3, 3)"),
    ({"grid_shape": [2], "terminal_states": [[0]]}, "terminal_states names every cell", "no episode"),
    ({"transition_noise": 1.5}, "transition_noise takes a number from 0 to 1", "not 1.5"),
    ({"action_form": "word"}, "action_form takes one of number, vector", "'word'"),
    ({"aliased": 0}, "aliased takes a whole number from 1", "not 0"),
    ({"hidden_mode": -0.1}, "hidden_mode takes a number from 0 to 1", "not -0.1"),
    ({"reward_every_n_steps": 0}, "reward_every_n_steps takes a whole number from 1", "not 0"),
    ({"make_denser": "yes"}, "make_denser takes true or false", "'yes'"),
]  # fmt: skip


def as_written(case):
    return ", ".join(f"{key}={value}" for key, value in case[0].items())


@pytest.mark.parametrize("env, case", [(env, case) for env, cases in (("toy/continuous", CONTINUOUS),
                         ("toy/grid", GRID)) for case in cases], ids=lambda v: v if isinstance(v, str) else
                         as_written(v))  # fmt: skip
def test_it_is_refused_by_name(env, case):
    config, begins, holds = case
    with pytest.raises(AssayError) as refused:
        build_native(env, config)
    said = str(refused.value)
    assert begins in said and holds in said


@pytest.mark.parametrize("env, key, near", [
    ("toy/continuous", "target_points", "target_point"), ("toy/continuous", "time_units", "time_unit"),
    ("toy/grid", "grid_shapes", "grid_shape"), ("toy/grid", "terminal_state", "terminal_states"),
])  # fmt: skip
def test_unknown_keys_are_errors_that_suggest(env, key, near):
    with pytest.raises(UnknownName, match=near):
        build_native(env, {key: 1})


def test_numbers_of_numpy_are_numbers():
    config = {"inertia": np.array([1.0, 2.0]), "target_point": np.array([1, 2]), "time_unit": np.float32(0.5)}
    assert build_native("toy/continuous", config).task.env.params.targets.tolist() == [[1.0, 2.0]]
    assert build_native("toy/grid", {"grid_shape": np.array([4, 5])}).spaces["observation"].n == (4, 5)


def test_a_level_beyond_its_list_is_refused_in_a_text_too():
    with pytest.raises(WrongLevel, match="inertia has 3 numbers"):
        build_native("toy/continuous+inertia=[1.0,2.0,3.0]")
