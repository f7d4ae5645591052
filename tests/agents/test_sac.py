"""SAC's squashed policy against numerical integration, its target and gradients, and its coefficient."""

from dataclasses import replace
from math import log

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import sac
from assay.agents.actor_critic import judge
from assay.core.keys import root_of
from assay.errors import AssayError
from assay.native import build_native
from tests.agents.test_ddpg import BATCH, SPACES

PLAIN = sac.Config(hidden=(5,), activation="tanh", tau=0.5, alpha=0.3, batch=6)


def networks_of(config):
    one, other = (sac.first_networks(root_of(seed), SPACES, config) for seed in (1, 2))
    return replace(one, critic_targets=other.critics)


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 0.5), (0.8, 0.3), (-1.5, 1.2)])
def test_the_density_of_a_squashed_action_adds_up_to_one(mean, sd):
    edges = np.linspace(-1, 1, 200_001)[1:-1]
    normal = (np.arctanh(edges) - mean) / sd  # the draw that gives each action
    actions, log_density = sac.squash(jnp.array([mean]), jnp.array([log(sd)]),
                                      jnp.asarray(normal, jnp.float32)[:, None])  # fmt: skip
    np.testing.assert_allclose(actions[:, 0], edges, atol=1e-5)
    density = np.exp(np.asarray(log_density, "float64"))
    assert np.trapezoid(density, edges) == pytest.approx(1, abs=2e-3)
    # the entropy by drawing and by integration
    _, drawn = sac.squash(
        jnp.array([mean]), jnp.array([log(sd)]), jax.random.normal(root_of(1), (100_000, 1))
    )
    inside = -np.trapezoid(density * np.log(density), edges)
    assert -float(drawn.mean()) == pytest.approx(inside, abs=0.02)


def test_the_slope_of_squashing_is_exact_where_its_plain_form_is_not():
    x = jnp.array([-12.0, -2.0, 0.0, 0.3, 5.0, 12.0])
    wanted = [
        2 * (log(2) - abs(each) - np.log1p(np.exp(-2 * abs(each)))) for each in np.asarray(x, "float64")
    ]
    np.testing.assert_allclose(sac.log_slope(x), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(sac.log_slope(x)[1:4], np.log(1 - np.tanh(x[1:4]) ** 2), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(jax.vmap(jax.grad(sac.log_slope))(x), -2 * np.tanh(x), rtol=1e-6)
    np.testing.assert_allclose(sac.exp(x), np.exp(np.asarray(x, "float64")), rtol=2e-6)


def test_the_target_is_the_soft_value_by_hand():
    nets, normal = networks_of(PLAIN), jax.random.normal(root_of(3), (6, 2))
    mean, log_sd = sac.policy(nets.actor, BATCH.after, "tanh")
    before = np.asarray(mean, "float64") + np.exp(np.asarray(log_sd, "float64")) * np.asarray(normal)
    density = -0.5 * np.asarray(normal) ** 2 - np.asarray(log_sd) - 0.5 * log(2 * np.pi)
    log_density = (density - np.log(1 - np.tanh(before) ** 2)).sum(-1)
    values = np.asarray(judge(nets.critic_targets, BATCH.after, jnp.tanh(jnp.asarray(before)), "tanh")).min(0)
    wanted = np.asarray(BATCH.reward) + np.asarray(BATCH.discount) * (values - 0.3 * log_density)
    np.testing.assert_allclose(sac.target(PLAIN, normal, nets, BATCH), wanted, rtol=1e-4, atol=1e-5)


def test_gradients_against_the_plain_losses():
    nets, key = networks_of(PLAIN), root_of(3)
    after = sac.update(PLAIN, key, nets, BATCH)
    now, later = jax.random.normal(key, (2, 6, 2))
    errors = judge(nets.critics, BATCH.observation, BATCH.action, "tanh") - sac.target(
        PLAIN, later, nets, BATCH
    )
    np.testing.assert_allclose(after.critic_moments.mean[1][1][:, 0] / 0.1, errors.mean(-1), rtol=1e-4)

    def loss(actor):  # in the textbook's form
        mean, log_sd = sac.policy(actor, BATCH.observation, "tanh")
        before = mean + jnp.exp(log_sd) * now
        density = -0.5 * now**2 - log_sd - 0.5 * log(2 * np.pi) - jnp.log(1 - jnp.tanh(before) ** 2)
        values = judge(after.critics, BATCH.observation, jnp.tanh(before), "tanh").min(0)
        return (0.3 * density.sum(-1) - values).mean()

    gradient = jax.grad(loss)(nets.actor)
    for one, other in zip(jax.tree.leaves(after.actor_moments.mean), jax.tree.leaves(gradient), strict=True):
        np.testing.assert_allclose(one / 0.1, other, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(("target_entropy", "rises"), [(0.69, True), (-50.0, False)])
def test_the_coefficient_rises_where_entropy_is_too_low(target_entropy, rises):
    config = replace(PLAIN, target_entropy=target_entropy)
    nets = networks_of(config)
    after = sac.update(config, root_of(3), nets, BATCH)
    change = float(after.log_alpha - nets.log_alpha)
    assert change == pytest.approx(config.entropy_rate if rises else -config.entropy_rate, rel=1e-2)
    fixed = sac.update(replace(config, learn_alpha=False), root_of(3), nets, BATCH)
    assert float(fixed.log_alpha) == float(nets.log_alpha) == pytest.approx(log(0.3))


def test_it_is_judged_by_its_mean_unless_it_is_asked_to_draw():
    task = build_native("toy/continuous").task
    params = sac.first_networks(root_of(1), build_native("toy/continuous").spaces, sac.Config()).actor
    seen = jnp.array([1.0, -2.0])
    still, drawn = sac.acts(sac.Config()), sac.acts(sac.Config(draw=True))
    mean = jnp.tanh(sac.policy(params, seen, "relu")[0])
    for key in (root_of(1), root_of(2)):
        np.testing.assert_allclose(still(task, params, (), key, seen)[0], mean, rtol=1e-6)
    one, other = (drawn(task, params, (), key, seen)[0] for key in (root_of(1), root_of(2)))
    assert not np.array_equal(one, other)
    assert not sac.AGENT.draws_with(sac.Config()) and sac.AGENT.draws_with(sac.Config(draw=True))
    assert sac.acts(sac.Config(batch=64)) is still  # one program for both


def test_an_entropy_that_no_policy_can_have_is_refused():
    with pytest.raises(AssayError, match=r"target_entropy of sac must lie between -1000 and 0\.693"):
        sac.Config(target_entropy=1.0)
