"""DDPG's target and gradients by plain numpy, its noise, and what it may be set to."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import ddpg
from assay.agents.n_step import Returns
from assay.core.keys import root_of
from assay.core.space import Box
from assay.errors import AssayError

SPACES = {"observation": Box(-1, 1, (3,)), "action": Box(-2, 2, (2,))}
PLAIN = ddpg.Config(hidden=(5,), activation="tanh", l2=0.0, tau=0.5)
R = np.random.default_rng(0)
BATCH = Returns(*(jnp.asarray(each, jnp.float32) for each in (
    R.normal(size=(6, 3)), R.uniform(-1, 1, (6, 2)), R.normal(size=6), R.normal(size=(6, 3)),
    [0.5, 0.25, 0.0, 0.5, 0.5, 0.0],
)))  # fmt: skip


def networks_of(config):
    """Networks whose targets are others than they are."""
    one, other = (ddpg.first_networks(root_of(seed), SPACES, config) for seed in (1, 2))
    return replace(one, actor_target=other.actor, critic_target=other.critic)


def run(layers, x):
    """A network of one hidden layer in float64."""
    (w, b), (v, c) = [[np.asarray(leaf, "float64") for leaf in layer] for layer in layers]
    return np.tanh(x @ w + b) @ v + c


def value(critic, seen, action):
    return run([[leaf[0] for leaf in layer] for layer in critic], np.concatenate([seen, action], -1))[:, 0]


def test_the_target_by_hand():
    nets = networks_of(PLAIN)
    after = np.asarray(BATCH.after)
    future = value(nets.critic_target, after, np.tanh(run(nets.actor_target, after)))
    wanted = np.asarray(BATCH.reward) + np.asarray(BATCH.discount) * future
    np.testing.assert_allclose(ddpg.target(PLAIN, nets, BATCH), wanted, rtol=1e-4)
    assert wanted[2] == BATCH.reward[2]  # nothing follows where the discount is 0


def slope(function, layers, index, place, step=1e-5):
    """The derivative of a loss by one weight, from differences in float64."""
    values = []
    for sign in (1, -1):
        moved = [[np.array(leaf, "float64") for leaf in layer] for layer in layers]
        moved[index][0][place] += sign * step
        values.append(function(moved))
    return (values[0] - values[1]) / (2 * step)


@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_the_first_moments_are_the_gradients_of_both_losses(l2):
    config = replace(PLAIN, l2=l2)
    nets, (seen, action) = networks_of(config), (np.asarray(BATCH.observation), np.asarray(BATCH.action))
    after, wanted = ddpg.update(config, root_of(1), nets, BATCH), np.asarray(ddpg.target(config, nets, BATCH))

    def penalty(layers):
        return l2 * 0.5 * sum((weights**2).sum() for weights, _ in layers)

    def loss_of_critic(layers):
        return 0.5 * ((value(layers, seen, action) - wanted) ** 2).mean() + penalty(layers)

    def loss_of_actor(layers):  # by the critic that has just moved
        return -value(after.critic, seen, np.tanh(run(layers, seen))).mean() + penalty(layers)

    for index, place in ((0, (0, 1, 2)), (1, (0, 3, 0))):
        found = after.critic_moments.mean[index][0][place] / 0.1
        assert float(found) == pytest.approx(slope(loss_of_critic, nets.critic, index, place), rel=1e-3)
    for index, place in ((0, (1, 2)), (1, (3, 1))):
        found = after.actor_moments.mean[index][0][place] / 0.1
        assert float(found) == pytest.approx(slope(loss_of_actor, nets.actor, index, place), rel=1e-3)


def test_networks_move_and_targets_follow():
    nets = networks_of(PLAIN)
    after = ddpg.update(PLAIN, root_of(1), nets, BATCH)
    for target, old, new in ((after.actor_target, nets.actor_target, after.actor),
                             (after.critic_target, nets.critic_target, after.critic)):  # fmt: skip
        for one, two, three in zip(*map(jax.tree.leaves, (target, old, new)), strict=True):
            np.testing.assert_allclose(one, (np.asarray(two) + np.asarray(three)) / 2, atol=1e-6)
    # Adam's first step is the learning rate wherever there is a gradient
    moved = np.abs(np.asarray(after.actor[1][0]) - np.asarray(nets.actor[1][0]))
    np.testing.assert_allclose(moved, PLAIN.actor_rate, rtol=1e-2)


def test_drifting_noise_by_hand():
    config, key, before = ddpg.Config(noise_scale=0.2, noise_pull=0.25), root_of(4), jnp.array([0.4, -0.8])
    drawn = 0.2 * np.asarray(jax.random.normal(key, (2,)))
    goes_on = ddpg.next_noise(config, key, before, jnp.bool_(False))
    np.testing.assert_allclose(goes_on, [0.3, -0.6] + drawn, rtol=1e-6)
    np.testing.assert_allclose(ddpg.next_noise(config, key, before, jnp.bool_(True)), drawn, rtol=1e-6)
    white = replace(config, noise="gaussian")
    np.testing.assert_allclose(ddpg.next_noise(white, key, before, jnp.bool_(False)), drawn, rtol=1e-6)


def test_noise_never_leads_beyond_the_bounds():
    nets = networks_of(PLAIN)
    action = ddpg.explore(PLAIN, nets, jnp.array([50.0, -50.0]), jnp.ones(3))
    assert action.tolist() == [1, -1]


@pytest.mark.parametrize(("changed", "why"), [
    ({"n_step": 600, "replay": 500}, "n_step of ddpg must lie between 1 and 500"),
    ({"learning_starts": 30_000}, "learning_starts of ddpg must lie between 1 and 20000"),
    ({"steps": 1500}, "steps of ddpg must be 1000 or a multiple of it"),
    ({"noise": "pink"}, "noise of ddpg is one of gaussian, ornstein_uhlenbeck, not 'pink'"),
    ({"activation": "gelu"}, "activation of ddpg is one of"),
    ({"discount": 1.5}, "discount of ddpg must lie between 0 and 1"),
    ({"hidden": (0,)}, r"hidden\[0\] of ddpg"),
    ({"steps_per_update": 8, "replay": 1001}, "replay of ddpg must be 8 or a multiple"),
])  # fmt: skip
def test_settings_that_contradict_each_other_are_refused(changed, why):
    with pytest.raises(AssayError, match=why):
        ddpg.Config(**changed)
