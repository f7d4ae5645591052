"""A noise seed beside the seed: the env draws from the one, variations and their clocks from the other."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import Keys, root_of, stream
from assay.core.variation import Inner
from assay.errors import NotApplicable, WrongLevel
from assay.native import build_native

# The start and the env's own transitions are the game; what is added to observations and rewards is noise.
NATIVE = "toy/discrete+terminal_state_density=0+reward.noise=1.0+action.random=0.5@random:0.3"
HOSTED = "gym/CartPole-v1+reward.noise=1.0+action.random=0.5@random:0.3"
TASKS = [NATIVE, HOSTED]


def play(env, seed, noise=None, steps=12, episodes=2):
    """First observations, and what was paid beside the score, of some episodes."""
    options = None if noise is None else {"noise_seed": noise}
    firsts, extra = [], []
    for episode in range(episodes):
        seen, _ = env.reset(seed=seed, options=options) if not episode else env.reset()
        firsts.append(np.asarray(seen).tolist())
        for _ in range(steps):
            _, reward, terminated, truncated, info = env.step(0)
            extra.append(round(float(reward) - float(info["score"]), 4))
            if terminated or truncated:
                break
    return firsts, extra


@pytest.mark.parametrize("text", TASKS)
def test_the_game_goes_by_its_seed_and_the_noise_by_its_own(text):
    env = assay.make(text)
    (game, noise), (same_game, other_noise) = play(env, 3, noise=10), play(env, 3, noise=11)
    assert game == same_game and noise != other_noise
    other_game, same_noise = play(env, 4, noise=10, steps=5)
    shorter = play(env, 3, noise=10, steps=5)
    assert other_game != shorter[0] and same_noise == shorter[1]


@pytest.mark.parametrize("event", ["step_repeat=0.5", "step_skip=0.5", "jump_back=0.3"])
def test_what_happens_to_the_steps_of_a_gymnasium_env_is_noise(event):
    env = assay.make(f"gym/Acrobot-v1+{event}", events=True)

    def happened(seed, noise=None, steps=12):
        env.reset(seed=seed, options=None if noise is None else {"noise_seed": noise})
        return [env.step(step % 3)[-1]["events"][event.split("=")[0]].event for step in range(steps)]

    assert happened(3, 4) != happened(3, 5)
    assert happened(3, 4, 8) == happened(8, 4, 8)
    assert happened(3) == happened(3, 3)


@pytest.mark.parametrize("text", TASKS)
def test_without_one_the_noise_goes_by_the_seed(text):
    env = assay.make(text)
    plain = play(env, 3)
    assert play(env, 3, noise=3) == plain != play(env, 3, noise=4)
    assert play(env, 3) == plain  # a seed without it is as ever


def test_an_inner_variation_draws_noise_and_the_component_below_it_the_game():
    """In toy/grid every reset draws a start; transition_noise stands around the transition."""
    env = assay.make("toy/grid+transition_noise=0.5")

    def states(seed, noise):
        first, _ = env.reset(seed=seed, options={"noise_seed": noise})
        return [first.tolist(), *(env.step(0)[0].tolist() for _ in range(8))]

    one, other = states(1, 0), states(1, 1)
    assert one[0] == other[0] and one != other and states(1, 0) == one


def test_the_envs_own_draws_stay_with_the_seed():
    """The env's function is given the key of the game, the variation around it that of the noise."""

    def own(key, params, state, action):
        return state + jax.random.uniform(key)

    def around(function, level, key, *arguments):
        return function(key, *arguments) + 100 * jax.random.uniform(stream(key, "around"))

    plain = build_native("toy/discrete").task
    env = replace(plain.env, transition=own)
    inner = Inner(jnp.float32(1.0), "around", ("transition",), around)
    task, world = Task(env, (inner,)), loop.reset(plain, root_of(0))[1]
    world = replace(world, state=jnp.float32(0), clocks=((),), memory=((),))
    below = jax.random.uniform(stream(root_of(1), "transition"))
    above = jax.random.uniform(stream(stream(root_of(2), "transition"), "around"))
    assert loop.move(task, Keys(root_of(1), root_of(2)), world, 0) == below + 100 * above


@pytest.mark.parametrize("text", TASKS)
def test_lanes_have_noise_seeds_of_their_own(text):
    lanes = assay.make_vec(text, 3)
    lanes.reset(seed=5, options={"noise_seed": 20})
    paid = []
    for _ in range(5):
        _, reward, *_, info = lanes.step(np.zeros(3, int))
        paid.append(np.round(reward - info["score"], 4))
    alone = [play(assay.make(text), 5 + i, noise=20 + i, steps=5, episodes=1)[1] for i in range(3)]
    assert np.allclose(np.array(paid).T, alone, atol=1e-3) and len({tuple(each) for each in alone}) == 3


def test_a_saved_moment_keeps_its_noise():
    env, other = assay.make(NATIVE), assay.make(NATIVE)
    play(env, 3, noise=10)
    moment = env.save()
    rest = [env.step(0)[1] for _ in range(5)], play_on(env)
    for each in (env, other):
        each.restore(moment)
        assert ([each.step(0)[1] for _ in range(5)], play_on(each)) == rest


def play_on(env):
    env.reset()
    return [env.step(0)[1] for _ in range(5)]


@pytest.mark.parametrize("text", TASKS)
def test_wrong_noise_seeds_are_refused(text):
    for env in (assay.make(text), assay.make_vec(text, 2)):
        with pytest.raises(NotApplicable, match="noise_seed goes with a seed"):
            env.reset(options={"noise_seed": 1})
        with pytest.raises(WrongLevel, match="a seed is a whole number"):
            env.reset(seed=0, options={"noise_seed": -1})
