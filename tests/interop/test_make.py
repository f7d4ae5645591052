"""make: a hand-played MDP, then seeds, actions, snapshots and what is refused; native and hosted tasks."""

import subprocess
import sys
import warnings

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import assay
from assay.core.keys import episode_key, root_of, step_key
from assay.core.space import Box, Discrete, Opaque
from assay.errors import AssayError, NotApplicable, UnknownName
from assay.interop.checks import OutOfTurn
from assay.interop.native_env import NativeEnv, advance, begin
from assay.interop.spaces import outside

# Three states, two actions: 0 goes on, 1 goes back; state 2 ends the episode.
WALK = {
    "transition_function": [[1, 0], [2, 0], [2, 2]],
    "terminal_states": [2],
    "init_state_dist": [1, 0, 0],
    "rewardable_sequences": [[[1], 1.0], [[0], 0.5]],
}
NOISY = "toy/discrete+transition_noise=0.1+delay=2+action.sticky=0.25+reward_noise=1+observation.noise=0.1"
CARTPOLE = "gym/CartPole-v1+action.sticky=0.25"


def play(env, steps, seed=None, actions=0):
    """What an env shows over some steps, episode after episode, from the next reset on."""
    rng = np.random.default_rng(actions)
    seen = [env.reset(seed=seed)]
    for _ in range(steps):
        seen.append(env.step(rng.integers(env.action_space.n)))
        if seen[-1][2] or seen[-1][3]:
            seen.append(env.reset())
    return seen


def assert_same(a, b):
    np.testing.assert_equal(a, b)  # compares nested tuples, dicts and arrays, NaN equal to NaN


def test_a_walk_by_hand():
    env = assay.make("toy/discrete", WALK)
    observation, info = env.reset(seed=5)
    assert observation == 0 and info["curr_state"] == 0 and info["t"] == 0
    assert "score" not in info and "executed" not in info
    steps = [env.step(action) for action in (0, 1, 0, 0)]
    assert [step[0] for step in steps] == [1, 0, 1, 2]
    assert [step[1] for step in steps] == [1.0, 0.5, 1.0, 0.0]
    assert [step[2] for step in steps] == [False, False, False, True]
    assert not any(step[3] for step in steps)
    assert [step[4]["executed"] for step in steps] == [0, 1, 0, 0]
    assert [step[4]["t"] for step in steps] == [1, 2, 3, 4]


def test_the_score_is_that_of_the_plain_reward():
    env = assay.make("toy/discrete+delay=1+reward_scale=3+reward_shift=1", WALK)
    env.reset(seed=5)
    steps = [env.step(action) for action in (0, 1, 0, 0)]
    assert [step[1] for step in steps] == [1.0, 4.0, 2.5, 4.0]
    assert [step[4]["score"] for step in steps] == [1.0, 0.5, 1.0, 0.0]


def test_a_horizon_is_a_truncation():
    env = assay.make("toy/discrete+horizon=2", WALK)
    env.reset(seed=0)
    assert env.step(0)[2:4] == (False, False)
    assert env.step(1)[2:4] == (False, True)


def test_types_are_those_of_gymnasium():
    env = assay.make("toy/discrete")
    observation, _ = env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(0)
    assert type(observation) is np.int64 and type(reward) is float and type(info["score"]) is float
    assert type(terminated) is bool and type(truncated) is bool
    assert env.task == "toy/discrete" and env.spec is None


def test_spaces_keep_start_sizes_and_dtype():
    assert outside(Discrete(4, start=2)) == gymnasium.spaces.Discrete(4, start=2)
    assert outside(Discrete((2, 3))) == gymnasium.spaces.MultiDiscrete([2, 3])
    pixels = outside(Box(0, 255, (2, 2), "uint8"))
    assert pixels == gymnasium.spaces.Box(0, 255, (2, 2), np.uint8)
    assert outside(Box(-np.inf, np.inf)).shape == ()
    with pytest.raises(NotApplicable, match="a space of kind Dict belongs to its host"):
        outside(Opaque("Dict"))


def test_seeds_begin_episode_0_and_resets_go_on_from_there():
    env = assay.make("toy/discrete")
    named = assay.make_jax("toy/discrete")

    def first(seed, episode):
        return int(named.reset(step_key(episode_key(root_of(seed), episode), 0))[0])

    assert [env.reset(seed=9)[0], env.reset()[0], env.reset()[0]] == [first(9, e) for e in range(3)]
    assert env.reset(seed=10)[0] == first(10, 0)


def test_steps_are_those_of_make_jax_with_the_same_keys():
    text = "toy/discrete+transition_noise=0.3+action.random=0.3+horizon=6"
    env, named = assay.make(text), assay.make_jax(text)
    env.reset(seed=2)
    env.reset()
    of_episode = episode_key(root_of(2), 1)
    _, world = named.reset(step_key(of_episode, 0))
    for t in range(1, 7):
        out = named.step(step_key(of_episode, t), world, 3)
        world = out.state
        observation, reward, terminated, truncated, info = env.step(3)
        assert (observation, info["executed"]) == (int(out.observation), int(out.executed))
        assert (reward, terminated, truncated) == (
            float(out.reward),
            bool(out.terminated),
            bool(out.truncated),
        )
        if terminated or truncated:
            break


@pytest.mark.parametrize("text", [NOISY, CARTPOLE])
def test_the_same_seed_plays_the_same_and_another_one_does_not(text):
    first = play(assay.make(text), 60, seed=3)
    assert_same(first, play(assay.make(text), 60, seed=np.int64(3)))
    with pytest.raises(AssertionError):
        assert_same(first, play(assay.make(text), 60, seed=4))


@pytest.mark.parametrize("text", ["toy/discrete", "gym/CartPole-v1"])
def test_without_a_seed_the_os_draws_one_that_can_be_read(text):
    env = assay.make(text)
    first = play(env, 20)
    assert_same(first, play(assay.make(text), 20, seed=env.np_random_seed))


@pytest.mark.parametrize(
    "text",
    [
        "toy/discrete",
        NOISY,
        "toy/discrete+sequence_length=3+make_denser",
        "toy/discrete+irrelevant_features+observation.irrelevant=2",
        "toy/discrete+action.random=0.3@random:0.2:life",
    ],
)
def test_native_envs_pass_gymnasiums_checker_without_a_warning(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(assay.make(text), skip_render_check=True)
        by_id = gymnasium.make("assay.gym:assay/Task-v0", task=text)
        check_env(by_id.unwrapped, skip_render_check=True)


@pytest.mark.parametrize(
    "text", [CARTPOLE, "gym/FrozenLake-v1+observation.noise=0.2", "gym/Pendulum-v1+reward.delay=2"]
)
def test_hosted_envs_pass_gymnasiums_checker(text):
    check_env(assay.make(text), skip_render_check=True)


def test_a_snapshot_brings_back_the_moment_exactly():
    text = NOISY + "+terminal_state_density=0+horizon=9"
    env, other = assay.make(text), assay.make(text)
    play(env, 13, seed=1)  # four steps into episode 1
    saved = env.save()
    after = env.step(2), play(env, 30)
    for each in (env, other):
        each.restore(saved)
        assert_same(after, (each.step(2), play(each, 30)))


def test_a_snapshot_at_an_end_still_asks_for_a_reset():
    env = assay.make("toy/discrete+horizon=1")
    env.reset(seed=0)
    env.step(0)
    saved = env.save()
    env.reset()
    env.restore(saved)
    with pytest.raises(OutOfTurn, match="the episode has ended"):
        env.step(0)


def test_a_snapshot_is_not_moved_by_later_steps():
    env = assay.make("toy/discrete+delay=2+terminal_state_density=0")
    env.reset(seed=1)
    env.step(0)
    saved = env.save()
    expected = env.step(1)
    for _ in range(3):
        env.restore(saved)
        assert_same(env.step(1), expected)


def test_wrong_snapshots_are_refused():
    env = assay.make("toy/discrete")
    with pytest.raises(OutOfTurn, match="no episode has begun yet"):
        env.save()
    other = assay.make("toy/discrete+delay=1")
    other.reset(seed=0)
    with pytest.raises(
        NotApplicable, match=r"restore takes what save\(\) of toy/discrete gave, not that of toy/"
    ):
        env.restore(other.save())
    with pytest.raises(NotApplicable, match="gave, not 3"):
        env.restore(3)
    with pytest.raises(NotApplicable, match="its host cannot be saved"):
        assay.make("gym/FrozenLake-v1").save()
    with pytest.raises(NotApplicable, match="its host cannot be restored"):
        assay.make("gym/FrozenLake-v1").restore(3)


def test_a_config_is_the_same_task_as_its_text():
    env = assay.make("toy/discrete", {"delay": 2, "reward_dist": np.array([0.0, 1.0])})
    assert env.task == "toy/discrete+delay=2+reward_dist=[0.0,1.0]"
    assert_same(play(env, 30, seed=0), play(assay.make(env.task), 30, seed=0))


@pytest.mark.parametrize("key", ["log_level", "action_space_type", "generate_random_mdp", "seed"])
def test_keys_that_do_nothing_are_refused(key):
    with pytest.raises(UnknownName, match=f"no variation of toy/discrete is called '{key}'"):
        assay.make("toy/discrete", {key: 1})


def test_tasks_of_one_structure_share_one_program():
    before = None
    for level in (1, 2, 4):
        env = assay.make(f"toy/discrete+delay={level}+reward_noise={level}")
        play(env, 10, seed=0)
        sizes = begin._cache_size(), advance._cache_size()
        assert before in (None, sizes)
        before = sizes


def test_large_observations_come_whole():
    env = assay.make("toy/discrete+observation.irrelevant=100")
    observation, info = env.reset(seed=0)
    assert observation.shape == (101,) and observation in env.observation_space
    observation, *_, info = env.step(0)
    assert observation in env.observation_space and observation[0] == info["curr_state"]


def test_episodes_on_a_life_clock_go_on_counting():
    env = assay.make(
        "toy/discrete+reward_shift=5@sudden:3:life+horizon=2+terminal_state_density=0+reward_scale=0"
    )
    env.reset(seed=0)
    paid = [env.step(0)[1], env.step(0)[1]]
    env.reset()
    paid += [env.step(0)[1], env.step(0)[1]]
    assert paid == [0.0, 0.0, 0.0, 5.0]
    env.reset(seed=0)
    assert env.step(0)[1] == 0.0


OF_EPISODES = "+reward.shift=5@sudden:2:episodes"


def paid_by_episode(env, episodes, seed=None):
    """The first step's reward beside its score, episode by episode; the first is seeded."""
    paid = []
    for episode in range(episodes):
        env.reset(seed=seed if not episode else None)
        _, reward, *_, info = env.step(0)
        paid.append(reward - info["score"])
    return paid


@pytest.mark.parametrize("name", ["toy/discrete", "gym/CartPole-v1"])
def test_a_clock_of_episodes_counts_resets_and_a_seed_begins_anew(name):
    env = assay.make(name + OF_EPISODES)
    assert paid_by_episode(env, 4, seed=0) == [0, 0, 5, 5]
    assert paid_by_episode(env, 3, seed=0) == [0, 0, 5]
    assert env.remembers


def test_a_clock_of_episodes_is_saved():
    env = assay.make("toy/discrete" + OF_EPISODES)
    paid_by_episode(env, 2, seed=0)
    moment = env.save()
    for _ in range(2):
        env.restore(moment)
        assert paid_by_episode(env, 1) == [5]
    other = assay.make("toy/discrete" + OF_EPISODES)
    other.restore(moment)
    assert paid_by_episode(other, 1) == [5]


def test_hosted_info_holds_score_and_executed_action():
    env = assay.make("gym/CartPole-v1+reward.scale=3+action.random=0.5")
    played = [step for step in play(env, 200, seed=0) if len(step) == 5]
    assert {step[1] for step in played} == {3.0} and {step[4]["score"] for step in played} == {1.0}
    chosen = np.random.default_rng(0).integers(2, size=200)
    assert 0.1 < np.mean([step[4]["executed"] for step in played] != chosen) < 0.4


def test_hosted_envs_follow_their_host_in_pictures_and_close():
    env = assay.make("gym/FrozenLake-v1", render_mode="ansi")
    env.reset(seed=0)
    assert "SFFF" in env.render().replace("\x1b[41m", "").replace("\x1b[0m", "")
    assert "ansi" in env.metadata["render_modes"] and env.render_mode == "ansi"
    env.close()
    env.close()
    with pytest.raises(NotApplicable, match="toy/discrete renders as rgb_array, not as 'ansi'"):
        assay.make("toy/discrete", render_mode="ansi")
    with pytest.raises(NotApplicable, match="is hosted and has no generated tables"):
        env.facts()


def test_spaces_of_hosts_that_ours_do_not_know_are_kept():
    env = assay.make("gym/Blackjack-v1+reward.scale=2")
    observation, _ = env.reset(seed=0)
    assert isinstance(env.observation_space, gymnasium.spaces.Tuple) and observation in env.observation_space


def test_unknown_tasks_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'toy/discrete'"):
        assay.make("toy/discret")
    with pytest.raises(AssayError, match="assay/Task-v0 needs the text of a task"):
        gymnasium.make("assay.gym:assay/Task-v0")


def in_a_fresh_process(code):
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_a_hosted_task_is_played_without_jax():
    code = """
import sys, assay
env = assay.make("gym/CartPole-v1+action.sticky=0.25")
env.reset(seed=0)
env.step(1)
import assay.gym
print("jax" in sys.modules)
"""
    assert in_a_fresh_process(code) == "False"


def test_gymnasium_makes_a_task_without_an_import_of_ours():
    code = """
import gymnasium
env = gymnasium.make("assay.gym:assay/Task-v0", task="toy/discrete+delay=4")
env.reset(seed=0)
env.step(0)
print(env.unwrapped.task, env.spec.id)
"""
    assert in_a_fresh_process(code) == "toy/discrete+delay=4 assay/Task-v0"


def test_the_env_made_by_id_is_the_same():
    by_id = gymnasium.make("assay.gym:assay/Task-v0", task=NOISY)
    assert isinstance(by_id.unwrapped, NativeEnv)
    assert_same(play(by_id, 30, seed=3), play(assay.make(NOISY), 30, seed=3))


def test_nothing_is_kept_in_64_bits_inside():
    env = assay.make(NOISY)
    env.reset(seed=0)
    assert {str(leaf.dtype) for leaf in jax.tree.leaves(env.save().carried)} == {"int32"}
