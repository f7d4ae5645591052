"""Rainbow's parts in updates of one row by hand, contradictions, and that each part learns by itself."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_agents import KEYS, lane, score_of, trained

from assay.agents import adam, dqn, dqn_update, rainbow
from assay.agents.network import network
from assay.agents.prioritised import add_rows, no_priorities
from assay.agents.replay import Transition
from assay.core.keys import episode_key, root_of
from assay.core.space import Discrete
from assay.errors import AssayError
from assay.runs.hosted_training import train_on_hosted

ONE = dqn.Config(hidden=(), batch=1, discount=0.5, huber=100.0)
# All parts, but few steps and a small network.
SMALL = {"steps": 400, "report_every": 200, "learning_starts": 100, "target_every": 40, "hidden": (8,)}


def wanted_of(config, values, reward, number=1):
    """What Q(0, 1) is drawn to by an update on one row, where the target has these values in state 1."""
    params = [(jnp.zeros((2, 2)), jnp.zeros(2))]
    target = [(jnp.array([[0.0, 0.0], values]), jnp.zeros(2))]
    no = jnp.array([False])
    replay = Transition(jnp.array([0]), jnp.array([number]), jnp.array([reward]), jnp.array([1]), no, no)
    learner = dqn_update.Learner(params, target, adam.no_moments(params), replay, jnp.int32(1))
    q = partial(network, Discrete(2), "tanh")
    after = dqn_update.update(config, KEYS[0], learner, q, q(target))
    # Adam's mean after one gradient is a tenth of it, and the gradient is Q(0, 1) - wanted, with Q at 0.
    return -10 * float(after.optimiser.mean[0][1][number])


def test_munchausen_by_hand():
    """Temperature 1: the policy of the target in state 0 is even, so its log-probability is -log 2."""
    config = replace(ONE, munchausen=0.9, temperature=1.0)
    soft = np.log(np.exp(2.0) + np.exp(6.0))
    assert wanted_of(config, [2.0, 6.0], 1.0) == pytest.approx(1 - 0.9 * np.log(2) + 0.5 * soft, rel=1e-4)


def test_munchausen_adds_no_less_than_minus_its_share():
    """Temperature 10: -10 log 2 is cut to -1."""
    config = replace(ONE, munchausen=0.9, temperature=10.0)
    soft = 10 * np.log(np.exp(0.2) + np.exp(0.6))
    assert wanted_of(config, [2.0, 6.0], 1.0) == pytest.approx(1 - 0.9 + 0.5 * soft, rel=1e-4)


def test_a_cold_munchausen_is_dqn_but_for_the_reward_of_ties():
    config = replace(ONE, munchausen=1e-9, temperature=1e-3)
    assert wanted_of(config, [2.0, 6.0], 1.0) == pytest.approx(wanted_of(ONE, [2.0, 6.0], 1.0), rel=1e-4)


def test_a_row_s_priority_is_its_error_to_the_power():
    config = replace(ONE, prioritised=True, priority=0.5)
    params = [(jnp.zeros((2, 2)), jnp.zeros(2))]
    no = jnp.array([False])
    replay = Transition(jnp.array([0]), jnp.array([1]), jnp.array([9.0]), jnp.array([1]), ~no, ~no)
    priorities = add_rows(no_priorities(1), jnp.int32(0))
    learner = dqn_update.Learner(params, params, adam.no_moments(params), replay, jnp.int32(1), priorities)
    q = partial(network, Discrete(2), "tanh")
    after = dqn_update.update(config, KEYS[0], learner, q, q(params))
    assert float(after.priorities.each[0, 0]) == pytest.approx(3.0, rel=1e-4)
    assert float(after.priorities.most) == pytest.approx(3.0, rel=1e-4)


def test_atoms_are_drawn_to_the_projected_chances():
    """The target is sure of 1 in state 1: 0.5 and a half of it is 1, the last of three atoms."""
    config = replace(ONE, atoms=3, lowest=-1.0, highest=1.0)
    sure = jnp.array([0.0, 0.0, 50.0])
    target = [(jnp.stack([jnp.zeros(6), jnp.concatenate([sure - 50, sure])]), jnp.zeros(6))]
    params, no = [(jnp.zeros((2, 6)), jnp.zeros(6))], jnp.array([False])
    replay = Transition(jnp.array([0]), jnp.array([0]), jnp.array([0.5]), jnp.array([1]), no, no)
    learner = dqn_update.Learner(params, target, adam.no_moments(params), replay, jnp.int32(1))
    q = partial(network, Discrete(2), "tanh")
    after = dqn_update.update(config, KEYS[0], learner, q, q(target))
    # The gradient of cross-entropy is softmax - wanted: a third each, but 1/3 - 1 for the last atom.
    found = 10 * np.asarray(after.optimiser.mean[0][1])
    np.testing.assert_allclose(found, [1 / 3, 1 / 3, -2 / 3, 0, 0, 0], atol=1e-5)


@pytest.mark.parametrize("part", [
    {"dueling": True}, {"prioritised": True}, {"n_step": 4}, {"noisy": True}, {"atoms": 10},
    {"munchausen": 0.9},
])  # fmt: skip
def test_each_part_changes_what_is_learned(part):
    plain = trained(dqn, dqn.Config(**SMALL), keys=KEYS[:2])
    varied = trained(dqn, dqn.Config(**SMALL, **part), keys=KEYS[:2])
    last = [np.asarray(jax.tree.leaves(found.params)[0])[..., :8] for found in (plain, varied)]
    assert np.isfinite(last[1]).all() and (last[0] != last[1]).any()


def test_rainbow_learns_the_plain_task():
    found = trained(dqn, rainbow.Config(steps=3000), keys=KEYS[:3])
    assert np.median([judged_score(found, i) for i in range(3)]) > 85


def judged_score(found, i):
    """The agent's score as it is judged: without noise."""

    class Judged:
        act = staticmethod(rainbow.AGENT.act_of(rainbow.Config()))

    return score_of(Judged, lane(found.params, i))


def test_a_seed_of_rainbow_has_the_same_bits_in_any_batch():
    keys = jax.vmap(partial(episode_key, root_of(6)))(jnp.arange(5))
    config = rainbow.Config(**SMALL)
    five = trained(dqn, config, keys=keys)
    two = trained(dqn, config, keys=keys[jnp.array([1, 3])])
    for all_, some in zip(jax.tree.leaves(five), jax.tree.leaves(two)):
        np.testing.assert_array_equal(np.asarray(all_)[np.array([1, 3])], np.asarray(some))


def test_rainbow_learns_on_hosted_tasks():
    config = rainbow.Config(**SMALL)
    found = train_on_hosted(rainbow.AGENT, "rainbow", "gym/CartPole-v1", 0, config, workers=1)
    again = train_on_hosted(rainbow.AGENT, "rainbow", "gym/CartPole-v1", 0, config, workers=2)
    assert found.reports.step.tolist() == [200, 400]
    jax.tree.map(np.testing.assert_array_equal, found, again)
    spread = found.params.spread[0][0]
    assert np.isfinite(spread).all() and (spread != spread[0, 0]).any()


@pytest.mark.parametrize("settings, why", [
    ({"n_step": 40, "replay": 20}, "n_step of dqn is 40, and it needs as many steps in the replay"),
    ({"n_step": 2000}, "before the first update"),
    ({"atoms": 5, "lowest": 3.0, "highest": 3.0}, "3 is not below 3"),
    ({"munchausen": 0.9, "double": True}, "leave out atoms, double and n_step"),
    ({"priority": 1.5}, "priority of dqn must lie between 0 and 1"),
])  # fmt: skip
def test_contradictions_are_refused(settings, why):
    with pytest.raises(AssayError, match=why):
        dqn.Config(**settings)


def test_refusals_of_rainbow_name_rainbow():
    with pytest.raises(AssayError, match="atoms of rainbow"):
        rainbow.Config(atoms=0)
