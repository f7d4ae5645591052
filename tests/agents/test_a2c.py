"""A2C: its loss and its gradient by hand, its defaults, seeds side by side, and that it learns."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import a2c
from assay.agents.adam import DECAYS, no_moments
from assay.agents.encoder import Layer
from assay.agents.on_policy import Batch
from assay.agents.policy_network import Policy
from assay.catalogue import agent_entry
from assay.core.keys import root_of
from assay.core.space import Box, Discrete
from assay.errors import AssayError
from assay.native import build_native
from assay.runs.hosted_training import train_on_hosted

SPACES = {"observation": Box(-9, 9, (1,)), "action": Discrete(2)}
CONFIG = a2c.Config(value_weight=0.5, entropy_weight=0.1, most_gradient=100.0)
# One number goes in, and one layer that passes 0 gives tanh(0) = 0: the heads are their biases.
POLICY = Policy(
    [Layer(jnp.zeros((1, 1)), jnp.zeros(1))],
    Layer(jnp.zeros((1, 2)), jnp.log(jnp.array([0.25, 0.75]))),
    Layer(jnp.zeros((1, 1)), jnp.array([0.5])),
)
# Two steps: action 0 was 2 better than the value that it was judged by, and action 1 was 1 worse.
BATCH = Batch(
    jnp.ones((2, 1)), jnp.array([0, 1]), None, jnp.array([0.5, 1.5]), jnp.array([2.0, -1.0]),
)  # fmt: skip


def of_policy():
    return -(np.log(0.25) * 2 + np.log(0.75) * -1) / 2


def of_value():
    return 0.5 * ((0.5 - 2.5) ** 2 + (0.5 - 0.5) ** 2) / 2


def entropy():
    return -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))


def test_the_loss_of_two_steps_by_hand():
    wanted = of_policy() + 0.5 * of_value() - 0.1 * entropy()
    assert float(a2c.loss(SPACES, CONFIG, POLICY, BATCH)) == pytest.approx(wanted, rel=1e-5)


def test_more_entropy_is_less_loss():
    without = of_policy() + 0.5 * of_value()
    assert float(a2c.loss(SPACES, replace(CONFIG, entropy_weight=0.0), POLICY, BATCH)) == pytest.approx(
        without, rel=1e-5
    )
    sharp = POLICY._replace(actor=POLICY.actor._replace(bias=jnp.array([-9.0, 9.0])))
    even = POLICY._replace(actor=POLICY.actor._replace(bias=jnp.zeros(2)))
    nothing_gained = BATCH._replace(advantage=jnp.zeros(2), value=jnp.full(2, 0.5))
    losses = [float(a2c.loss(SPACES, CONFIG, each, nothing_gained)) for each in (sharp, even)]
    assert losses[0] - losses[1] == pytest.approx(0.1 * np.log(2), abs=1e-4)


def test_one_update_is_one_step_of_adam_down_the_gradient():
    """The value's bias: 0.5 * mean of (value - wanted) = 0.5 * (-2 + 0) / 2; Adam's mean is a tenth."""
    policy, moments = a2c.update(root_of(0), SPACES, CONFIG, POLICY, no_moments(POLICY), BATCH, 1e-3)
    assert float(moments.mean.critic.bias[0]) == pytest.approx((1 - DECAYS[0]) * -0.5, rel=1e-4)
    # Its first step is as long as the rate, against the sign of the gradient.
    assert float(policy.critic.bias[0]) == pytest.approx(0.5 + 1e-3, rel=1e-5)
    assert float(policy.actor.bias[0]) > float(POLICY.actor.bias[0])  # the better action is likelier now
    assert float(moments.count) == 1


def test_a_long_gradient_is_cut_to_the_norm():
    config = replace(CONFIG, most_gradient=0.01)
    moments = a2c.update(root_of(0), SPACES, config, POLICY, no_moments(POLICY), BATCH, 1e-3)[1]
    norm = np.sqrt(sum(float((leaf**2).sum()) for leaf in jax.tree.leaves(moments.mean)))
    assert norm == pytest.approx(0.01 * (1 - DECAYS[0]), rel=1e-4)


def test_the_defaults_are_those_of_mdp_playground_s_a3c():
    config = a2c.Config()
    assert (config.width, config.layers, config.learning_rate, config.trace) == (128, 3, 1e-4, 0.0)
    assert (config.envs, config.rollout, config.value_weight, config.entropy_weight) == (5, 10, 0.5, 0.1)
    assert (config.steps, config.report_every, config.discount) == (150_000, 7_500, 0.99)
    assert config.most_gradient * config.batch == 10  # of sums over a worker's batch, as its library has them
    assert "A3C" in a2c.__doc__ and "A3C" in agent_entry("a2c").means


def test_it_learns_the_plain_task():
    config = a2c.Config(steps=40_000, report_every=10_000, learning_rate=1e-3, entropy_weight=0.01)
    task = build_native("toy/discrete").task
    reports = jax.jit(partial(a2c.train, task=task, config=config))(root_of(6)).reports
    assert reports.step.tolist() == [10_000, 20_000, 30_000, 40_000]
    assert float(reports.score[-1]) > 85 and float(reports.score[0]) < float(reports.score[-1])  # of 100


def test_settings_that_contradict_each_other_are_refused():
    with pytest.raises(AssayError, match="report_every of a2c must be 50 or a multiple of it, not 120"):
        a2c.Config(report_every=120)
    with pytest.raises(AssayError, match="memory=gru of a2c is a core that policy and value share"):
        a2c.Config(memory="gru", separate=True)
    with pytest.raises(AssayError, match="memory of a2c is one of none, gru, stack, not 'lstm'"):
        a2c.Config(memory="lstm")


@pytest.mark.parametrize("text, action", [("gym/CartPole-v1", 2), ("gym/Pendulum-v1", 1)])
def test_hosted_training_is_the_same_for_any_number_of_processes(text, action):
    config = a2c.Config(envs=4, rollout=5, steps=400, report_every=200, memory="gru", memory_width=8, width=8)
    one, two = (train_on_hosted(a2c.AGENT, "a2c", text, 3, config, workers) for workers in (0, 2))
    assert one.params.actor.bias.shape == (action,) and float(jnp.abs(one.params.actor.bias).sum()) > 0
    for each, other in zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True):
        np.testing.assert_array_equal(each, other)
