"""PPO on hosted tasks: what it learns outside of its program, rewards, cuts, and the residual network."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import on_policy_lanes as lanes
from assay.agents import ppo, ppo_hackatari
from assay.agents.agent import LaneSteps
from assay.agents.encoder import prepare
from assay.agents.network import as_features
from assay.agents.on_policy import paid_to, rate_at
from assay.agents.policy_network import first_policy, fits, judge
from assay.agents.residual import Residual, as_pixels, encode_residual, first_residual
from assay.cli.list_agents import settings_of_agent
from assay.core import step as loop
from assay.core.keys import root_of, stream
from assay.core.space import Box, Discrete
from assay.errors import AssayError
from assay.native import build_native
from assay.plans.agents import catalogue_agent

SMALL = ppo.Config(steps=128, report_every=64, envs=4, rollout=8, minibatches=2, epochs=2, learning_rate=1e-2,
                   width=16)  # fmt: skip
VECTOR, PICTURE = Box(0, 255, (10, 2), "uint8"), Box(0, 255, (84, 84, 4), "uint8")
TWO = Discrete(2)


def outside(key, task, config):
    """The learner for hosted tasks in a native one that is played beside it, by the keys of `ppo.train`."""
    seen, worlds = jax.vmap(partial(loop.reset, task))(jax.random.split(stream(key, "reset"), config.envs))
    state = lanes.start(key, task, config)

    @jax.jit
    def one_step(state, seen, worlds, iteration, row):
        playing = stream(jax.random.fold_in(key, iteration), "play")
        now = jax.random.fold_in(playing, row)
        keys, again = (jax.random.split(stream(now, name), config.envs) for name in ("step", "again"))
        actions = lanes.choose(task, config, state, seen)
        after, worlds, out, last = loop.autoreset(task, keys, again, worlds, actions, lambda each: each)
        ended = out.terminated | out.truncated
        at_end = ended.reshape(-1, *[1] * (after.ndim - 1))
        true_after = jnp.where(at_end, last, after)
        steps = LaneSteps(
            seen, actions, out.reward, true_after, out.terminated, out.truncated & ~out.terminated
        )
        return lanes.learn(ppo.METHOD, task, config, state, steps), after, worlds

    for iteration in range(config.iterations):
        for row in range(config.rollout):
            state, seen, worlds = one_step(state, seen, worlds, iteration, row)
    return state


@pytest.mark.parametrize("changed", [{}, {"ending": "kage", "signs": True, "anneal": True}])
def test_outside_of_its_program_it_learns_what_it_learns_inside(changed):
    task, config = build_native("toy/discrete").task, replace(SMALL, **changed)
    inside = jax.jit(partial(ppo.train, task=task, config=config))(root_of(3)).params
    state = outside(root_of(3), task, config)
    assert (int(state.iteration), int(state.filled)) == (4, 0)
    first = first_policy(stream(root_of(3), "network"), loop.spaces(task), config)
    assert not np.array_equal(first.actor.weights, inside.actor.weights)
    for one, other in zip(jax.tree.leaves(inside), jax.tree.leaves(state.policy), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_only_steps_that_a_time_limit_cut_are_paid_for_what_would_have_followed():
    policy = first_policy(root_of(1), {"observation": VECTOR, "action": TWO}, SMALL)
    after = jax.random.randint(root_of(2), (4, 10, 2), 0, 255).astype(jnp.uint8)
    cut = jnp.array([False, True, False, False])
    steps = LaneSteps(
        None, None, jnp.ones(4), after, terminated=jnp.array([False, False, True, False]), cut=cut
    )
    value = judge(VECTOR, policy, prepare(VECTOR, after))[1][1]
    paid = lanes.pay(VECTOR, SMALL, policy, steps)
    assert abs(float(value)) > 1e-3 and paid.tolist() == pytest.approx([1, 1 + 0.999 * float(value), 1, 1])
    assert lanes.pay(VECTOR, replace(SMALL, ending="kage"), policy, steps).tolist() == [1] * 4


def test_rewards_are_learned_by_sign_and_rates_fall_only_where_asked():
    reward = jnp.array([-7.0, 0.0, 4.0])
    assert paid_to(SMALL, reward) is reward and paid_to(replace(SMALL, signs=True), reward).tolist() == [
        -1,
        0,
        1,
    ]
    rates = [float(rate_at(replace(SMALL, anneal=anneal), 3)) for anneal in (False, True)]
    assert rates == pytest.approx([1e-2, 0.25e-2])


def test_rows_of_two_frames_are_the_newest_and_what_moved():
    rows = jnp.array([[100, 104], [0, 200], [7, 7]], jnp.uint8)  # bytes, frames: the newest is the last
    wanted = [104 / 255, 4 / 16, 200 / 255, 1.0, 7 / 255, 0.0]
    assert as_features(Box(0, 255, (3, 2), "uint8"), rows).tolist() == pytest.approx(wanted)


def test_objects_and_memories_of_several_frames_are_no_pictures():
    for frames in (2, 4):
        spaces = {"observation": Box(0, 255, (60, frames), "uint8"), "action": TWO}
        policy = jax.eval_shape(partial(first_policy, root_of(1), spaces, ppo_hackatari.Config()))
        assert fits(spaces) == "" and [layer.bias.shape for layer in policy.encoder] == [(64,), (64,)]
    with pytest.raises(AssayError, match="encoder of ppo is one of nature, impala"):
        replace(SMALL, encoder="resnet")


def by_the_library(layers, pictures):
    """The same network by the convolutions of jax, on pictures."""
    numbers = ("NHWC", "HWIO", "NHWC")

    def convolve(x, layer):
        return (
            jax.lax.conv_general_dilated(x, layer.weights, (1, 1), "SAME", dimension_numbers=numbers)
            + layer.bias
        )

    x = pictures.astype(jnp.float32) / 255
    for section in layers.sections:
        x = convolve(x, section.first)
        x = jnp.pad(x, ((0, 0), (0, 1), (0, 1), (0, 0)), constant_values=-jnp.inf)
        x = jnp.stack([x[:, i : i + x.shape[1] - 2 : 2, j : j + x.shape[2] - 2 : 2]
                       for i in range(3) for j in range(3)]).max(0)  # fmt: skip
        for first, second in section.blocks:
            x = x + convolve(jax.nn.relu(convolve(jax.nn.relu(x), first)), second)
    return jax.nn.relu(jax.nn.relu(x).reshape(len(x), -1) @ layers.last.weights + layers.last.bias)


def test_the_residual_network_is_that_of_its_paper():
    space = Box(0, 255, (48, 40, 3), "uint8")
    layers = jax.tree.map(lambda leaf: leaf + 0.01 * (leaf.ndim == 1), first_residual(root_of(1), space))
    pictures = jax.random.randint(root_of(2), (2, *space.shape), 0, 256).astype(jnp.uint8)
    blocks = prepare(space, pictures)
    assert np.array_equal(as_pixels(space, blocks), pictures)
    found, wanted = encode_residual(space, layers, blocks), by_the_library(layers, pictures)
    assert found.shape == (2, 256) and float(jnp.abs(wanted).max()) > 0.1
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
    # Sections of 16, 32 and 32 channels, then 11 x 11 places: 9,872 + 41,632 + 46,240 + 991,488.
    shapes = jax.eval_shape(lambda: first_residual(root_of(1), PICTURE))
    assert sum(leaf.size for leaf in jax.tree.leaves(shapes)) == 1_089_232


def test_the_residual_network_passes_gradients_to_every_layer():
    space = Box(0, 255, (36, 36), "uint8")
    blocks = prepare(space, jax.random.randint(root_of(2), (2, 36, 36), 0, 256).astype(jnp.uint8))

    def gradient(dtype):
        layers = first_residual(root_of(1), space)
        return jax.grad(lambda layers: encode_residual(space, layers, blocks, dtype).astype(float).sum())(
            layers
        )

    found = jax.jit(gradient, static_argnums=0)(jnp.float32)
    assert all(float(jnp.abs(leaf).sum()) > 0 for leaf in jax.tree.leaves(found))
    jax.eval_shape(partial(gradient, jnp.bfloat16))  # its maximum has a gradient of its own type


def test_the_encoder_is_a_switch_of_the_policy():
    spaces = {"observation": Box(0, 255, (36, 36), "uint8"), "action": TWO}
    for encoder, kind in (("nature", list), ("impala", Residual)):
        policy = jax.eval_shape(partial(first_policy, root_of(1), spaces, replace(SMALL, encoder=encoder)))
        assert isinstance(policy.encoder, kind)
        seen = prepare(spaces["observation"], jnp.zeros((3, 36, 36), jnp.uint8))
        logits, values, _ = jax.eval_shape(partial(judge, spaces["observation"]), policy, seen)
        assert logits.shape == (3, 2) and values.shape == (3,)


def test_the_paper_s_settings_are_its_table_and_each_setting_says_what_it_means():
    config = ppo_hackatari.Config()
    assert (config.envs * config.rollout, config.envs * config.rollout // config.minibatches) == (1280, 320)
    assert (config.epochs, config.learning_rate, config.clip, config.discount) == (4, 2.5e-4, 0.1, 0.99)
    assert (config.trace, config.value_weight, config.entropy_weight, config.most_gradient) == (
        0.95,
        0.5,
        0.01,
        0.5,
    )
    assert config.encoder == "impala" and catalogue_agent("ppo-hackatari").learner is ppo.AGENT.learner
    assert all(setting.means for setting in settings_of_agent("ppo-hackatari"))
