"""TD3's target by hand, its twins, its delay, and the clip of its smoothing."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import td3
from assay.agents.actor_critic import judge
from assay.core.keys import root_of
from tests.agents.test_ddpg import BATCH, SPACES

PLAIN = td3.Config(hidden=(5,), activation="tanh", l2=0.0, tau=0.5, target_noise=0.5, target_noise_clip=0.1)


def networks_of(config):
    one, other = (td3.first_networks(root_of(seed), SPACES, config) for seed in (1, 2))
    return replace(one, actor_target=other.actor, critic_targets=other.critics)


def leaves_differ(one, other):
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return [not np.array_equal(a, b) for a, b in pairs]


def test_the_target_is_the_lower_twin_beside_the_action():
    nets, key = networks_of(PLAIN), root_of(5)
    beside = np.clip(0.5 * np.asarray(jax.random.normal(key, (6, 2))), -0.1, 0.1)
    actions = np.clip(np.asarray(td3.actor(nets.actor_target, BATCH.after, "tanh")) + beside, -1, 1)
    assert (np.abs(beside) == np.float32(0.1)).any() and (np.abs(beside) < 0.1).any()
    values = np.asarray(judge(nets.critic_targets, BATCH.after, jnp.asarray(actions), "tanh"))
    assert (values[0] < values[1]).any() and (values[0] > values[1]).any()
    wanted = np.asarray(BATCH.reward) + np.asarray(BATCH.discount) * values.min(0)
    np.testing.assert_allclose(td3.target(PLAIN, key, nets, BATCH), wanted, rtol=1e-5)


def test_without_twins_and_smoothing_it_is_the_target_of_ddpg():
    config = replace(PLAIN, twins=False, target_noise=0.0)
    nets = networks_of(config)
    assert nets.critics[0][0].shape == (1, 5, 5)
    values = judge(
        nets.critic_targets, BATCH.after, td3.actor(nets.actor_target, BATCH.after, "tanh"), "tanh"
    )
    wanted = BATCH.reward + BATCH.discount * values[0]
    np.testing.assert_allclose(td3.target(config, root_of(1), nets, BATCH), wanted, rtol=1e-6)


@pytest.mark.parametrize("delay", [1, 2, 3])
def test_actor_and_targets_move_with_every_so_many_steps_of_the_critics(delay):
    config = replace(PLAIN, policy_delay=delay)
    nets = networks_of(config)
    for number in range(1, 7):
        after = td3.update(config, root_of(number), nets, BATCH)
        assert all(leaves_differ(nets.critics[0], after.critics[0]))
        for part in ("actor", "actor_target", "critic_targets"):
            assert any(leaves_differ(getattr(nets, part), getattr(after, part))) == (number % delay == 0)
        nets = after


def test_both_critics_learn_the_same_target_and_the_actor_climbs_the_first():
    config = replace(PLAIN, policy_delay=1)
    nets, key = networks_of(config), root_of(3)
    wanted = td3.target(config, key, nets, BATCH)
    after = td3.update(config, key, nets, BATCH)
    bias = nets.critics[1][1]  # of the outputs: its gradient is the mean error
    errors = judge(nets.critics, BATCH.observation, BATCH.action, "tanh") - wanted
    assert bias.shape == (2, 1)
    np.testing.assert_allclose(after.critic_moments.mean[1][1][:, 0] / 0.1, errors.mean(-1), rtol=1e-4)

    def climb(actor):
        return judge(after.critics, BATCH.observation, td3.actor(actor, BATCH.observation, "tanh"), "tanh")[0]

    gradient = jax.grad(lambda actor: -climb(actor).mean())(nets.actor)
    np.testing.assert_allclose(after.actor_moments.mean[0][0] / 0.1, gradient[0][0], rtol=1e-3, atol=1e-6)
