"""make_vec: every lane plays what `make` plays, batched and renewed as Gymnasium's own vector env does it."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import assay
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.interop.checks import OutOfTurn, WrongAction
from assay.interop.native_vector import begin, next_step, only_step, same_step
from assay.interop.vector import MODES

NOISY = "toy/discrete+transition_noise=0.1+delay=2+action.sticky=0.25+reward_noise=1+observation.noise=0.1"
CLOCKS = (
    "toy/discrete+irrelevant_features+sequence_length=2+horizon=7+observation.irrelevant=2"
    "+action.random=0.3@random:0.2:life+reward.delay=3@cyclic:5:3:life+reward_shift=2@random:0.5:episodes"
)
LARGE = "toy/discrete+observation.irrelevant=100+delay=100"
CARTPOLE = "gym/CartPole-v1+action.sticky=0.25+reward.delay=3"

# States 0 to 3 in a row; action 0 goes on, action 1 stays; state 3 ends the episode. Entering state 2 pays 1.
ROW = {
    "transition_function": [[1, 0], [2, 1], [3, 2], [3, 3]],
    "terminal_states": [3],
    "init_state_dist": [1, 0, 0, 0],
    "rewardable_sequences": [[[2], 1.0]],
}


def assert_same_info(ours, theirs):
    """Equal masks, and equal values where they say so; the other lanes of an array mean nothing."""
    assert ours.keys() == theirs.keys()
    for name in ours:
        if name.startswith("_"):
            np.testing.assert_array_equal(ours[name], theirs[name])
        elif isinstance(ours[name], dict):
            assert_same_info(ours[name], theirs[name])
        else:
            assert ours[name].dtype == theirs[name].dtype and ours[name].shape == theirs[name].shape
            for lane in np.flatnonzero(ours[f"_{name}"]):
                assert type(ours[name][lane]) is type(theirs[name][lane])
                np.testing.assert_array_equal(ours[name][lane], theirs[name][lane])


def assert_same_step(ours, theirs):
    for a, b in zip(ours[:-1], theirs[:-1]):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    assert_same_info(ours[-1], theirs[-1])


def test_next_step_by_hand():
    env = assay.make_vec("toy/discrete", 2, ROW)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observation, info = env.reset(seed=0)
    assert observation.tolist() == [0, 0] and "score" not in info
    seen = [env.step(actions) for actions in ([0, 0], [0, 1], [0, 0], [1, 0], [0, 0])]
    assert [s[0].tolist() for s in seen] == [[1, 1], [2, 1], [3, 2], [0, 3], [1, 0]]
    assert [s[1].tolist() for s in seen] == [[0, 0], [1, 0], [0, 1], [0, 0], [0, 0]]
    assert [s[2].tolist() for s in seen] == [[False] * 2] * 2 + [[True, False], [False, True], [False] * 2]
    assert [s[4]["_score"].tolist() for s in seen] == [[True] * 2] * 3 + [[False, True], [True, False]]
    assert [s[4]["t"].tolist() for s in seen] == [[1, 1], [2, 2], [3, 3], [0, 4], [1, 0]]


def test_same_step_by_hand():
    env = assay.make_vec("toy/discrete", 2, ROW, autoreset="same-step")
    env.reset(seed=0)
    seen = [env.step(actions) for actions in ([0, 0], [0, 1], [0, 0], [0, 1])]
    assert [s[0].tolist() for s in seen] == [[1, 1], [2, 1], [0, 2], [1, 2]]
    assert [s[2].tolist() for s in seen] == [[False] * 2] * 2 + [[True, False], [False] * 2]
    assert "final_obs" not in seen[1][4] and "final_obs" not in seen[3][4]
    info = seen[2][4]
    assert info["final_obs"].tolist() == [3, None] and info["_final_obs"].tolist() == [True, False]
    assert info["final_info"]["t"][0] == 3 and info["t"].tolist() == [0, 3]
    assert info["_final_info"].tolist() == [True, False] and info["_score"].tolist() == [False, True]


def test_disabled_by_hand():
    env = assay.make_vec("toy/discrete", 2, ROW, autoreset="disabled")
    env.reset(seed=0)
    for actions in ([0, 0], [0, 1], [0, 0]):
        seen = env.step(actions)
    assert seen[2].tolist() == [True, False]
    with pytest.raises(OutOfTurn, match="lane 0 has ended; reset it with options="):
        env.step([0, 0])
    observation, info = env.reset(options={"reset_mask": np.array([True, False])})
    assert observation.tolist() == [0, 2] and info["_t"].tolist() == [True, False]
    assert env.step([0, 0])[0].tolist() == [1, 3]


LANES = [(text, lanes, mode) for text, lanes in ((NOISY, 5), (CLOCKS, 3), (CARTPOLE, 3)) for mode in MODES]


@pytest.mark.parametrize("text, lanes, mode", [*LANES, (NOISY, 1, "next-step"), (LARGE, 2, "same-step")])
def test_lanes_play_what_make_plays(text, lanes, mode):
    ours = assay.make_vec(text, lanes, autoreset=mode)
    theirs = SyncVectorEnv([lambda: assay.make(text)] * lanes, autoreset_mode=MODES[mode])
    assert (ours.action_space, ours.observation_space) == (theirs.action_space, theirs.observation_space)
    assert ours.single_observation_space == theirs.single_observation_space and ours.num_envs == lanes
    assert_same_step(ours.reset(seed=7), theirs.reset(seed=7))
    ours.action_space.seed(0)
    episodes = 0
    for _ in range(80):
        actions = ours.action_space.sample()
        step = ours.step(actions)
        assert_same_step(step, theirs.step(actions))
        ended = step[2] | step[3]
        episodes += ended.sum()
        if mode == "disabled" and ended.any():
            options = {"reset_mask": ended}
            assert_same_step(ours.reset(options=options), theirs.reset(options={**options}))
    assert episodes >= 2 * lanes
    assert_same_step(ours.reset(), theirs.reset())
    assert_same_step(ours.reset(seed=1), theirs.reset(seed=1))


def test_many_lanes_play_what_few_play():
    # Law: from two lanes on, how many there are changes no bit. `make` relies on it.
    few, many = assay.make_vec(NOISY, 2), assay.make_vec(NOISY, 100)
    few.reset(seed=4)
    many.reset(seed=4)
    actions = np.random.default_rng(0).integers(8, size=(200, 100))
    for chosen in actions:
        for a, b in zip(few.step(chosen[:2])[:4], many.step(chosen)[:4]):
            np.testing.assert_array_equal(a, b[:2])


@pytest.mark.parametrize("text", ["toy/discrete+transition_noise=0.5", "gym/CartPole-v1"])
def test_a_list_of_seeds_seeds_each_lane(text):
    env = assay.make_vec(text, 3)
    one, _ = env.reset(seed=[5, np.int64(9), 5])
    two, _ = env.reset(seed=5)
    np.testing.assert_array_equal(one[0], one[2])
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], assay.make(text).reset(seed=9)[0])
    # None goes on with the lane's own next episode.
    mixed, _ = env.reset(seed=[None, 9, None])
    single = assay.make(text)
    single.reset(seed=5)
    np.testing.assert_array_equal(mixed[0], single.reset()[0])
    np.testing.assert_array_equal(mixed[1], one[1])


def test_a_masked_reset_with_seeds_leaves_the_other_lanes_alone():
    env = assay.make_vec(NOISY, 3, autoreset="disabled")
    plain = assay.make_vec(NOISY, 3, autoreset="disabled")
    first, _ = env.reset(seed=0)
    plain.reset(seed=0)
    observation, _ = env.reset(seed=[None, 11, None], options={"reset_mask": np.array([False, True, False])})
    assert observation[0] == first[0] and observation[2] == first[2]
    assert observation[1] == assay.make(NOISY).reset(seed=11)[0]
    ours, theirs = env.step([1, 1, 1]), plain.step([1, 1, 1])
    assert ours[1][0] == theirs[1][0] and ours[1][2] == theirs[1][2]


@pytest.mark.parametrize("text", ["toy/discrete", "gym/CartPole-v1"])
def test_without_a_seed_lanes_differ_and_runs_differ(text):
    firsts = [assay.make_vec(text, 64 if text.startswith("toy") else 4).reset()[0] for _ in range(2)]
    assert len(np.unique(firsts[0], axis=0)) > 1 and not np.array_equal(*firsts)


def test_programs_are_compiled_once_for_all_levels_and_calls():
    before = None
    for level in (1, 2):
        for mode in MODES:
            env = assay.make_vec(f"toy/discrete+delay={level}", 4, autoreset=mode)
            env.reset(seed=level)
            env.reset()
            for _ in range(5):
                ended = np.logical_or(*env.step(np.zeros(4, int))[2:4])
                if mode == "disabled" and ended.any():
                    env.reset(options={"reset_mask": ended})
        sizes = [program._cache_size() for program in (begin, next_step, same_step, only_step)]
        assert before in (None, sizes)
        before = sizes


@pytest.mark.parametrize("text", ["toy/discrete", "gym/FrozenLake-v1"])
class TestRefusals:
    def test_wrong_counts_and_modes(self, text):
        for count in (0, -1, 2.0, True, "3"):
            with pytest.raises(AssayError, match="num_envs is a whole number from 1 up, not "):
                assay.make_vec(text, count)
        with pytest.raises(
            AssayError, match="autoreset is one of next-step, same-step, disabled, not 'never'"
        ):
            assay.make_vec(text, 2, autoreset="never")

    def test_wrong_seeds(self, text):
        env = assay.make_vec(text, 3)
        for seed in (-1, 2**64 - 2, 1.5, [1, 2, -3]):  # lane 2 of 2**64 - 2 would have no seed
            with pytest.raises(WrongLevel, match="a seed is a whole number"):
                env.reset(seed=seed)
        with pytest.raises(AssayError, match="a list of seeds holds one for each of the 3 lanes, not 2"):
            env.reset(seed=[1, 2])

    def test_wrong_options_and_masks(self, text):
        env = assay.make_vec(text, 3, autoreset="disabled")
        with pytest.raises(NotApplicable, match=r"'x' \(it takes reset_mask and noise_seed\)"):
            env.reset(options={"x": 1})
        with pytest.raises(OutOfTurn, match="call reset\\(\\) for all lanes before a reset_mask"):
            env.reset(options={"reset_mask": np.ones(3, bool)})
        env.reset(seed=0)
        for mask in (np.ones(2, bool), np.ones(3, int), np.zeros(3, bool), None):
            with pytest.raises(
                NotApplicable, match="reset_mask is 3 booleans, at least one of them true, not "
            ):
                env.reset(options={"reset_mask": mask})
        other = assay.make_vec(text, 3)
        other.reset(seed=0)
        with pytest.raises(NotApplicable, match="reset_mask is for autoreset='disabled'"):
            other.reset(options={"reset_mask": np.ones(3, bool)})

    def test_wrong_actions_move_no_lane(self, text):
        env = assay.make_vec(text, 2)
        env.reset(seed=0)
        for actions in ([0, 99], [0, -1], [0], 0, [0.0, 1.0], [[0], [0]], [0, [1]], [0, np.nan], None):
            with pytest.raises(
                WrongAction, match=r"step takes 2 actions, each a whole number from 0 to \d, not "
            ):
                env.step(actions)
        other = assay.make_vec(text, 2)
        other.reset(seed=0)
        np.testing.assert_array_equal(env.step([0, 1])[0], other.step(np.array([0, 1], np.uint8))[0])

    def test_a_step_before_the_first_reset(self, text):
        with pytest.raises(OutOfTurn, match="no episode has begun yet"):
            assay.make_vec(text, 2).step([0, 0])


def test_gymnasium_makes_the_vector_env_by_id():
    id = "assay.gym:assay/Task-v0"
    env = gymnasium.make_vec(id, num_envs=3, task=NOISY, autoreset="same-step")
    assert env.num_envs == 3 and env.task == str(assay.task(NOISY))
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert_same_step(env.reset(seed=2), assay.make_vec(NOISY, 3).reset(seed=2))
    with pytest.raises(AssayError, match="assay/Task-v0 needs the text of a task"):
        gymnasium.make_vec(id, num_envs=3)
    beside = gymnasium.make_vec(id, num_envs=2, vectorization_mode="sync", task="toy/discrete")
    assert beside.reset(seed=0)[0].shape == (2,)


def test_facts_are_those_of_make():
    facts, of_one = assay.make_vec("toy/discrete", 2).facts(), assay.make("toy/discrete").facts()
    np.testing.assert_equal(facts, of_one)


def test_returned_arrays_are_the_callers_own():
    env = assay.make_vec(
        "toy/discrete+delay=2", 4, autoreset="disabled", config={"terminal_state_density": 0.0}
    )
    other = assay.make_vec(
        "toy/discrete+delay=2", 4, autoreset="disabled", config={"terminal_state_density": 0.0}
    )
    for each in (env, other):
        each.reset(seed=0)
    for step in range(4):
        ours, theirs = env.step([step] * 4), other.step([step] * 4)
        assert_same_step(ours, theirs)
        for array in (*ours[:4], *ours[4].values()):
            array[...] = 0
    ours = env.reset(options={"reset_mask": np.array([True, False, False, False])})
    theirs = other.reset(options={"reset_mask": np.array([True, False, False, False])})
    assert_same_step(ours, theirs)


def test_hosted_lanes_are_played_without_jax():
    code = """
import sys, assay
env = assay.make_vec("gym/CartPole-v1+action.sticky=0.25", 2)
env.reset(seed=0)
env.step([0, 1])
env.close()
print("jax" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "False", found.stderr
