"""What DDPG, TD3 and SAC share: bounds of actions, refusals, losses, and targets that follow."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents.actor_critic import (
    critic_loss,
    first_critics,
    follow,
    judge,
    pass_through,
    to_box,
    to_unit,
    weight_penalty,
    why_no_actor,
)
from assay.agents.network import first_layers, outputs
from assay.core.keys import root_of
from assay.core.space import Box, Discrete, Opaque

SEEN, SIDED = Box(-1, 1, (3,)), Box(np.array([-2.0, 0.0]), np.array([2.0, 10.0]), (2,))


def test_each_dimension_has_its_own_bounds():
    assert to_box(SIDED, jnp.array([-1.0, -1.0])).tolist() == [-2, 0]
    assert to_box(SIDED, jnp.array([1.0, 1.0])).tolist() == [2, 10]
    assert to_box(SIDED, jnp.array([0.5, 0.0])).tolist() == [1, 5]
    assert to_unit(SIDED, jnp.array([1.0, 5.0])).tolist() == [0.5, 0]


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_actions_have_the_shape_and_type_of_the_space(shape):
    space = Box(-0.3, 0.7, shape)
    action = to_box(space, jnp.full(int(np.prod(shape)), 0.999999))
    assert action.shape == shape and action.dtype == "float32" and (action <= np.float32(0.7)).all()
    np.testing.assert_allclose(to_unit(space, action), 0.999999, rtol=1e-5)


def test_a_dimension_without_room_is_no_division_by_zero():
    space = Box(np.array([1.0, -1.0]), np.array([1.0, 1.0]), (2,))
    assert to_unit(space, to_box(space, jnp.array([0.3, 0.5]))).tolist() == [0, 0.5]


@pytest.mark.parametrize(("action", "seen", "why"), [
    (Discrete(3), SEEN, "continuous range, and these are numbered"),
    (Opaque("Dict"), SEEN, "and these are a Dict"),
    (Box(-np.inf, np.inf, (2,)), SEEN, "scales actions to their bounds, and these have none"),
    (Box(0, 255, (2,), "uint8"), SEEN, "whole numbers \\(uint8\\)"),
    (SIDED, Box(0, 255, (20, 20, 3), "uint8"), "pictures of \\(20, 20, 3\\)"),
    (SIDED, Box(0, 255, (20, 20), "uint8"), "pictures of \\(20, 20\\)"),
    (SIDED, Opaque("Text"), "these observations are a Text"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(action, seen, why):
    assert re.search(why, why_no_actor({"action": action, "observation": seen}))


@pytest.mark.parametrize("seen", [SEEN, Box(-1, 1, (2, 2)), Discrete(5), Box(-np.inf, np.inf, (4,))])
def test_other_observations_fit(seen):
    assert why_no_actor({"action": SIDED, "observation": seen}) == ""


def test_errors_beyond_the_huber_count_linearly():
    values, wanted = jnp.array([[1.0, 5.0]]), jnp.array([0.0, 0.0])
    assert float(critic_loss(values, wanted)) == pytest.approx((0.5 + 12.5) / 2)
    assert float(critic_loss(values, wanted, 2.0)) == pytest.approx((0.5 + 2 + 2 * 3) / 2)
    assert float(critic_loss(jnp.concatenate([values, values]), wanted)) == pytest.approx(13)


def test_targets_go_their_share_of_the_way_and_biases_are_free():
    assert follow(jnp.array([0.0, 4.0]), jnp.array([10.0, 4.0]), 0.1).tolist() == [1, 4]
    layers = [(jnp.array([[3.0]]), jnp.array([100.0])), (jnp.array([[4.0]]), jnp.array([100.0]))]
    assert float(weight_penalty(layers)) == 12.5


def test_twins_begin_unlike_and_see_the_same():
    critics = first_critics(root_of(1), 2, (5, 8))
    values = judge(critics, jnp.ones((4, 3)), jnp.ones((4, 2)), "relu")
    assert values.shape == (2, 4) and not np.allclose(values[0], values[1])
    single = outputs(jax.tree.map(lambda leaf: leaf[1], critics), jnp.ones((4, 5)), "relu")
    np.testing.assert_allclose(values[1], single[:, 0], rtol=1e-6)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_the_network_has_the_outputs_and_gradients_of_the_plain_one(activation):
    layers, x = first_layers(root_of(2), (3, 8, 8, 2)), jax.random.normal(root_of(3), (16, 3))
    ours, plain = (
        jax.value_and_grad(lambda layers, net=net: (net(layers, x, activation) ** 2).mean())(layers)
        for net in (pass_through, outputs)
    )
    for one, other in zip(jax.tree.leaves(ours), jax.tree.leaves(plain), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7)
