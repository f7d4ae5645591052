"""Networks of values by kind: convolutions against a sum by hand, the replay as a ring, and refusals."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import dqn, dqn_lanes, dqn_update
from assay.agents.agent import LaneSteps
from assay.agents.encoder import Layer
from assay.agents.q_network import (
    CONVOLUTIONS,
    FULL,
    OF_PICTURES,
    SMALLER,
    first_params,
    network_of,
    why_no_network,
    why_no_rows,
)
from assay.agents.replay import Transition, remember
from assay.core.space import Box, Discrete
from assay.errors import AssayError
from assay.native import build_native

PICTURE = Box(0, 255, (44, 40, 2), "uint8")
SPACES = {"observation": PICTURE, "action": Discrete(3)}


@pytest.mark.parametrize("kind", [CONVOLUTIONS, SMALLER])
def test_values_of_a_picture_are_those_of_plain_convolutions(kind):
    params = first_params(jax.random.key(1), kind, (7,), SPACES)
    picture = np.random.default_rng(0).integers(0, 256, PICTURE.shape, np.uint8)
    x = picture / 255.0
    encoder, [(weights, bias)] = params
    for (side, stride, _), layer in zip(OF_PICTURES[kind].kernels, encoder):
        x = np.maximum(convolve_by_hand(x, layer, side, stride), 0)
    x = np.maximum(x.reshape(-1) @ np.asarray(encoder[-1].weights) + np.asarray(encoder[-1].bias), 0)
    values = network_of(kind, "tanh", SPACES, params)(jnp.asarray(picture))
    assert values.shape == (3,)
    np.testing.assert_allclose(values, x @ np.asarray(weights) + np.asarray(bias), atol=1e-4)


def convolve_by_hand(x: np.ndarray, layer: Layer, side: int, stride: int) -> np.ndarray:
    weights, bias = np.asarray(layer.weights), np.asarray(layer.bias)
    rows, columns = ((length - side) // stride + 1 for length in x.shape[:2])
    out = np.zeros((rows, columns, weights.shape[-1]))
    for i in range(rows):
        for j in range(columns):
            patch = x[i * stride : i * stride + side, j * stride : j * stride + side]
            out[i, j] = np.tensordot(patch, weights, 3) + bias
    return out


@pytest.mark.parametrize(
    "kind, space, why",
    [
        (CONVOLUTIONS, PICTURE, ""),
        (CONVOLUTIONS, Discrete(5), "needs pictures"),
        (CONVOLUTIONS, Box(0, 255, (30, 40), "uint8"), "at least 36 x 36"),
        (FULL, PICTURE, ""),
    ],
)
def test_where_a_kind_is_of_no_use(kind, space, why):
    said = why_no_network(kind, {"observation": space, "action": Discrete(2)})
    assert why in said and bool(why) == bool(said)


def test_full_layers_do_not_learn_from_hosted_pictures():
    assert "set network=convolutions" in why_no_rows(FULL, SPACES)
    assert why_no_rows(CONVOLUTIONS, SPACES) == ""
    assert why_no_rows(FULL, {"observation": Box(0.0, 1.0, (4,))}) == ""


def learner_of(config, steps):
    """A learner that has remembered this many transitions, the i-th with reward i."""
    task = build_native("toy/discrete").task
    learner = dqn_update.new_learner(jax.random.key(0), dqn.loop.spaces(task), config)
    for i in range(steps):
        row = Transition(
            jnp.int32(0), jnp.int32(0), jnp.float32(i), jnp.int32(1), jnp.bool_(False), jnp.bool_(False)
        )
        learner = kept_one(learner, row)
    return learner


def kept_one(learner, row):
    return dqn.replace(learner, replay=remember(learner.replay, learner.step, row), step=learner.step + 1)


def test_a_bounded_replay_keeps_the_newest():
    config = dqn.Config(steps=40, report_every=4, learning_starts=4, target_every=4, replay=8)
    kept = learner_of(config, 19).replay.reward
    assert sorted(kept.tolist()) == list(range(11, 19))
    assert len(learner_of(dqn.Config(), 3).replay.reward) == dqn.Config().steps


@pytest.mark.parametrize("filled", [3, 12])
def test_updates_draw_from_the_rows_that_are_filled_alone(filled):
    config = dqn.Config(steps=40, report_every=4, learning_starts=4, target_every=4, replay=8, batch=512)
    learner = learner_of(config, filled)
    row = jnp.arange(8)
    reward = jnp.where(row < filled, learner.replay.reward, jnp.nan)  # one draw of such a row spoils all
    learner = dqn.replace(learner, replay=dqn.replace(learner.replay, reward=reward))
    q = partial(network_of, FULL, "tanh", dqn.loop.spaces(build_native("toy/discrete").task))
    after = dqn_update.update(config, jax.random.key(3), learner, q, q(learner.target))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(after.params))


def test_a_lane_learner_writes_the_rows_of_all_lanes_into_the_ring():
    config = dqn.Config(steps=40, report_every=4, learning_starts=4, target_every=4, replay=8)
    task = build_native("toy/discrete").task
    state = dqn_lanes.start(jax.random.key(0), task, config)
    lanes = dqn_lanes.lanes(config)
    go_on = jax.jit(partial(dqn_lanes.learn, task, config))
    for i in range(5):
        steps = LaneSteps(
            observation=jnp.zeros(lanes, int), action=jnp.zeros(lanes, int), after=jnp.zeros(lanes, int),
            reward=jnp.arange(lanes, dtype=jnp.float32) + lanes * i, terminated=jnp.zeros(lanes, bool),
            cut=jnp.zeros(lanes, bool),
        )  # fmt: skip
        state = go_on(state, steps)
    assert lanes == 4 and sorted(state.learner.replay.reward.tolist()) == list(range(12, 20))


def test_clipping_learns_from_signs():
    """Both on native tasks and on hosted ones, whose rewards come in steps of all lanes."""
    base = dqn.Config(steps=40, report_every=40, learning_starts=4, target_every=4)
    after, beside = {}, {}
    for clip, scale in ((False, 1.0), (True, 7.0)):
        config, task = dqn.replace(base, clip=clip), build_native(f"toy/discrete+reward_scale={scale}").task
        after[clip] = dqn.train(jax.random.key(0), task, config).params
        state, lanes = dqn_lanes.start(jax.random.key(0), task, config), dqn_lanes.lanes(config)
        seen = jnp.zeros(lanes, int)
        steps = LaneSteps(seen, seen, jnp.full(lanes, scale), seen, seen == 1, seen == 1)
        beside[clip] = dqn_lanes.learn(task, config, dqn_lanes.learn(task, config, state, steps), steps)
    jax.tree.map(np.testing.assert_array_equal, after[False], after[True])
    jax.tree.map(np.testing.assert_array_equal, *(state.learner.params for state in beside.values()))


def test_a_replay_that_rows_do_not_fill_is_refused():
    with pytest.raises(AssayError, match="replay"):
        dqn.Config(replay=10)


def test_the_judged_agent_strays_as_often_as_it_says():
    task = build_native("toy/discrete").task
    config = dqn.Config(epsilon=0.25)
    params = first_params(jax.random.key(0), FULL, config.hidden, dqn.loop.spaces(task))
    keys = jax.random.split(jax.random.key(5), 4000)
    act, tell = dqn.acts(config), dqn.tells(config)
    chosen = jax.vmap(lambda key: act(task, params, (), key, jnp.int32(3))[0])(keys)
    shares = np.bincount(np.asarray(chosen), minlength=8) / len(keys)
    told = np.asarray(tell(task, params, (), jnp.int32(3)))
    assert np.isclose(told.sum(), 1, atol=1e-6) and np.isclose(told.max(), 0.75 + 0.25 / 8)
    assert np.all(np.abs(shares - told) < 4 * np.sqrt(told * (1 - told) / len(keys)))
    assert dqn.AGENT.draws_with(config) and not dqn.AGENT.draws_with(dqn.Config())
    assert dqn.acts(dqn.Config()) is dqn.act and dqn.acts(config) is dqn.acts(dqn.Config(epsilon=0.25))
