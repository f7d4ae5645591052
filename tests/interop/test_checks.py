"""Seeds, options and actions: what is taken, and the sentence for what is not; native and hosted tasks."""

import gymnasium
import numpy as np
import pytest

import assay
from assay.core.space import Box
from assay.errors import NotApplicable, WrongLevel
from assay.interop.checks import OutOfTurn, WrongAction, action_of


@pytest.mark.parametrize("text", ["toy/discrete", "gym/FrozenLake-v1"])
def test_every_64_bit_seed_is_taken(text):
    env = assay.make(text)
    for seed in (0, 2**31, 2**64 - 1, np.uint64(2**64 - 1)):
        env.reset(seed=seed)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "3", [3]])
@pytest.mark.parametrize("text", ["toy/discrete", "gym/FrozenLake-v1"])
def test_other_seeds_are_refused(text, seed):
    with pytest.raises(WrongLevel, match=r"a seed is a whole number from 0 to 2\*\*64 - 1, not "):
        assay.make(text).reset(seed=seed)


@pytest.mark.parametrize("text", ["toy/discrete", "gym/FrozenLake-v1"])
def test_unknown_options_are_refused(text):
    env = assay.make(text)
    env.reset(seed=0, options={})
    with pytest.raises(NotApplicable, match=r"reset has no option 'start' \(it takes noise_seed\)"):
        env.reset(options={"start": 3})


@pytest.mark.parametrize("text", ["toy/discrete", "gym/FrozenLake-v1"])
@pytest.mark.parametrize("action", [3, np.int64(3), np.int32(3), np.uint8(3), np.array(3)])
def test_every_kind_of_whole_number_is_an_action(text, action):
    env = assay.make(text)
    env.reset(seed=0)
    assert env.step(action)[4]["executed"] == 3


@pytest.mark.parametrize("action", [-1, 4, 2**40, 1.0, np.float32(1), np.nan, "up", None, [1], np.array([1])])
def test_other_actions_are_refused_and_leave_the_env_as_it_was(action):
    for text in ("toy/discrete+action_space_size=4+reward_density=0.5", "gym/FrozenLake-v1"):
        env = assay.make(text)
        env.reset(seed=0)
        with pytest.raises(WrongAction, match="an action is a whole number from 0 to 3, not "):
            env.step(action)
        env.step(0)


def test_two_part_actions_are_lists_or_arrays():
    env = assay.make("toy/discrete+irrelevant_features+action_space_size=[8,4]")
    observation, info = env.reset(seed=0)
    assert observation.dtype == np.int64 and observation in env.observation_space
    assert env.action_space == gymnasium.spaces.MultiDiscrete([8, 4])
    np.testing.assert_array_equal(info["curr_obs"], observation)
    for action in ([7, 3], (0, 0), np.array([1, 2]), np.array([1, 2], np.uint8)):
        env.reset(seed=0)
        np.testing.assert_array_equal(env.step(action)[4]["executed"], action)
    for action in ([8, 0], [0, 4], [-1, 0], [1], 1, [[1], [2, 3]], [0.0, 1.0], [np.nan, 0]):
        with pytest.raises(WrongAction, match=r"a list of 2 whole numbers from 0, of sizes \[8, 4\], not "):
            env.step(action)


def test_box_actions_are_rounded_to_their_dtype_and_then_checked():
    space = Box(np.float32(-0.1), np.float32(0.1), (2,))
    taken = action_of(space, [0.1, -0.1])
    assert taken.dtype == np.float32 and np.all(np.abs(taken) <= np.float32(0.1))
    for action in ([0.2, 0], [np.nan, 0], [np.inf, 0], [0.0], 0.0, ["a", "b"]):
        with pytest.raises(WrongAction, match=r"an array of shape \(2,\) within the bounds"):
            action_of(space, action)


def test_hosted_box_actions_are_checked_too():
    env = assay.make("gym/Pendulum-v1+action.delay=1")
    env.reset(seed=0)
    first = env.step(np.array([1.5]))[4]["executed"]
    np.testing.assert_array_equal(first, np.zeros(1, np.float32))
    np.testing.assert_array_equal(env.step([0.5])[4]["executed"], np.array([1.5], np.float32))
    np.testing.assert_array_equal(first, np.zeros(1, np.float32))  # a copy, not the delay line's own slot
    with pytest.raises(WrongAction):
        env.step([3.0])


@pytest.mark.parametrize("text", ["toy/discrete+horizon=1", "gym/FrozenLake-v1"])
def test_stepping_out_of_turn_is_refused(text):
    env = assay.make(text)
    with pytest.raises(OutOfTurn, match=r"no episode has begun yet; call reset\(\) before step\(\)\."):
        env.step(0)
    env.reset(seed=0)
    while not any(env.step(0)[2:4]):
        pass
    with pytest.raises(OutOfTurn, match=r"the episode has ended; call reset\(\) before step\(\)\."):
        env.step(0)
    env.reset()
    env.step(0)
