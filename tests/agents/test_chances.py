"""What agents tell of their choices: the distribution from which `act` draws."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import blind, dqn, linear_q, ppo, random, tabular
from assay.agents.policy_network import act, first_policy
from assay.catalogue import entries
from assay.core import step as loop
from assay.core.keys import root_of
from assay.native import build_native
from assay.plans.agents import catalogue_agent

DRAWS = 4000


@pytest.fixture(scope="module")
def task():
    return build_native("toy/discrete").task


def shares(act, task, params, memory, observation):
    """How often `act` takes each of the 8 actions."""
    keys = jax.random.split(root_of(0), DRAWS)
    taken = jax.jit(jax.vmap(lambda key: act(task, params, memory, key, observation)[0]))(keys)
    return np.bincount(np.asarray(taken), minlength=8) / DRAWS


def test_every_agent_of_the_catalogue_tells_but_those_of_continuous_actions():
    silent = []
    for entry in entries().agents:
        agent = catalogue_agent(entry.name)
        if agent.chances_of(agent.config()) is None:
            silent.append(entry.name)
    assert silent == ["ddpg", "td3", "sac"]


def test_random_play_is_uniform(task):
    told = random.AGENT.chances_of(random.Config())(task, (), (), jnp.int32(3))
    assert told.tolist() == [0.125] * 8


def test_the_best_of_a_table_share_all(task):
    table = jnp.zeros((8, 8)).at[3].set(jnp.array([1, 5, 2, 5, 0, 0, 0, 0.0]))
    told = tabular.chances(task, table, (), jnp.int32(3))
    assert told.tolist() == [0, 0.5, 0, 0.5, 0, 0, 0, 0]
    assert shares(tabular.act, task, table, (), jnp.int32(3)) == pytest.approx(np.asarray(told), abs=0.04)


def test_the_best_moves_of_the_linear_learner_share_all():
    task = build_native("rules/b3_then_b1+columns=2+rows=1+pieces=1+shapes=1+colors=1").task
    observation, _ = loop.reset(task, root_of(0))
    weights = linear_q.no_weights(linear_q.pieces_of(task), "features")
    every = linear_q.AGENT.chances_of(linear_q.Config())(task, weights, (), observation)
    assert every.tolist() == [0.125] * 8
    occupied = linear_q.AGENT.chances_of(linear_q.Config(actions="occupied"))(task, weights, (), observation)
    assert sorted(occupied.tolist()) == [0] * 4 + [0.25] * 4


def test_dqn_is_greedy(task):
    for config in (dqn.Config(), dqn.Config(activation="relu")):
        params = dqn.new_learner(root_of(1), loop.spaces(task), config).params
        told = dqn.AGENT.chances_of(config)(task, params, (), jnp.int32(2))
        chosen, _ = dqn.AGENT.act_of(config)(task, params, (), root_of(0), jnp.int32(2))
        assert told.tolist() == jax.nn.one_hot(chosen, 8).tolist()


def test_ppo_draws_from_its_softmax_or_takes_the_largest(task):
    policy = first_policy(root_of(0), loop.spaces(task), ppo.Config())
    policy = policy._replace(actor=policy.actor._replace(bias=jnp.log(jnp.arange(1.0, 9) / 36)))
    told = ppo.AGENT.chances_of(ppo.Config())(task, policy, (), jnp.int32(1))
    assert np.asarray(told) == pytest.approx(np.arange(1, 9) / 36, abs=0.02) and told.sum() == pytest.approx(
        1
    )
    assert shares(act, task, policy, (), jnp.int32(1)) == pytest.approx(np.asarray(told), abs=0.04)
    greedy = ppo.AGENT.chances_of(ppo.Config(greedy=True))(task, policy, (), jnp.int32(1))
    assert greedy.tolist() == [0] * 7 + [1]


def test_blind_tells_the_action_of_the_step_and_never_looks(task):
    policy = blind.Policy(*map(jnp.int32, (4, 1, 2, 6)))  # 6 in the last of every 4 steps, else 2
    told = partial(blind.AGENT.chances_of(blind.Config()), task, policy)
    assert [int(told(jnp.int32(step), None).argmax()) for step in range(5)] == [2, 2, 2, 6, 2]
    assert told(jnp.int32(3), None).tolist() == told(jnp.int32(3), "a picture").tolist()
