"""The loop of PPO and A2C: what ends an episode, and what a policy carries along and forgets."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import a2c, on_policy, ppo
from assay.agents import on_policy_lanes as lanes
from assay.agents.agent import LaneSteps
from assay.agents.policy_network import (
    act,
    first_memory,
    first_policy,
    judge,
    judge_one,
    start_memory,
    view_of,
)
from assay.core import step as loop
from assay.core.keys import root_of, stream
from assay.core.space import Box, Discrete
from assay.native import build_native

GRU = a2c.Config(envs=3, rollout=8, steps=96, report_every=24, memory="gru", memory_width=6, width=8)
STACK = replace(GRU, memory="stack", stack_of=3)
LINE = {"observation": Box(-9, 9, (2,)), "action": Discrete(4)}


@pytest.fixture(scope="module")
def task():
    return build_native("toy/discrete+horizon=5+terminal_state_density=0").task


def rollout_of(task, config, key):
    """A learner, the rollout that it plays first, and the learner after it."""
    learner = on_policy.start(key, task, config)
    after, rollout = jax.jit(partial(on_policy.play, task=task, config=config, learner=learner))(key)
    return learner, rollout, after


def test_an_end_is_worth_nothing_more_and_a_time_limit_does_not_stop_the_bootstrap():
    config = replace(GRU, discount=0.5, trace=0.0, memory="none")
    policy = first_policy(root_of(1), LINE, config)
    last = jax.random.normal(root_of(2), (1, 2, 2))
    ended, cut = jnp.array([[True, True]]), jnp.array([[False, True]])
    rollout = on_policy.Rollout(
        None, None, None, jnp.zeros((1, 2)), jnp.ones((1, 2)), ended, cut=cut, last=last
    )
    paid = on_policy.pay_for_cuts(LINE["observation"], config, policy, rollout)
    gains = on_policy.advantages(config, replace(rollout, reward=paid), jnp.full(2, 99.0))
    value = float(judge(LINE["observation"], policy, last[0]).values[1])
    assert abs(value) > 1e-3 and gains[0].tolist() == pytest.approx([1.0, 1 + 0.5 * value])


def test_a_memory_is_carried_from_step_to_step_and_gone_where_an_episode_ends(task):
    learner, rollout, after = rollout_of(task, GRU, root_of(3))
    assert bool(rollout.ended[4].all()) and not bool(rollout.ended[:4].any())  # five steps, then three
    space = loop.spaces(task)["observation"]
    memory = jnp.zeros((3, 6))
    for t in range(8):
        memory = jnp.zeros((3, 6)) if t == 5 else memory
        judged = judge(space, learner.policy, rollout.observation[t], memory=memory)
        memory = judged.memory
        np.testing.assert_allclose(rollout.memory[t], memory, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(rollout.value[t], judged.values, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(after.memory, memory, rtol=1e-4, atol=1e-6)


def test_an_unchanged_policy_judges_whole_sequences_as_it_did_step_by_step(task):
    """From the memory that a rollout began with, which is not 0 in the second one."""
    learner, _, middle = rollout_of(task, GRU, root_of(3))
    _, rollout = jax.jit(partial(on_policy.play, task=task, config=GRU, learner=middle))(root_of(4))
    assert float(jnp.abs(middle.memory).max()) > 0.01 and bool(rollout.ended.any())
    batch = on_policy.batch_of(rollout, rollout.value, middle.memory, has_core=True)
    judged = on_policy.judge_batch(loop.spaces(task)["observation"], GRU, learner.policy, batch)
    np.testing.assert_allclose(judged.values, rollout.value.T, rtol=1e-4, atol=1e-6)


def test_a_cut_episode_is_valued_by_what_was_remembered_of_it(task):
    learner, rollout, _ = rollout_of(task, GRU, root_of(3))
    assert bool(rollout.cut[4].all())
    space = loop.spaces(task)["observation"]
    paid = on_policy.pay_for_cuts(space, GRU, learner.policy, rollout)
    values = judge(space, learner.policy, rollout.last[4], memory=rollout.memory[4]).values
    assert float(jnp.abs(values).max()) > 1e-3
    np.testing.assert_allclose(paid[4], rollout.reward[4] + 0.99 * values, rtol=1e-4)
    others = jnp.arange(8) != 4
    assert np.array_equal(paid[others], rollout.reward[others])


def test_a_stack_shows_the_last_observations_of_the_episode_and_nothing_before_it(task):
    _, rollout, _ = rollout_of(task, STACK, root_of(3))
    seen = np.asarray(rollout.observation).reshape(8, 3, 3, 8)  # steps, envs, frames, one-hot
    newest = seen[:, :, 2]
    assert (newest.sum(-1) == 1).all() and not seen[0, :, :2].any() and not seen[5, :, :2].any()
    for t in (1, 2, 3, 4, 6, 7):
        np.testing.assert_array_equal(seen[t, :, 1], newest[t - 1])
    np.testing.assert_array_equal(seen[4, :, 0], newest[2])


@pytest.mark.parametrize("config", [GRU, STACK])
def test_who_acts_remembers_as_who_learns(task, config):
    learner, rollout, _ = rollout_of(task, config, root_of(3))
    space, memory = loop.spaces(task)["observation"], start_memory(task, learner.policy)
    for t in range(5):
        prepared = rollout.observation[t, 0][-8:]
        judged = judge_one(space, learner.policy, memory, jnp.argmax(prepared).astype(jnp.int32))
        np.testing.assert_allclose(judged.values, rollout.value[t, 0], rtol=1e-4, atol=1e-6)
        memory = judged.memory
    _, kept = act(task, learner.policy, memory, root_of(1), jnp.int32(2))
    assert kept.shape == memory.shape and not np.array_equal(kept, memory)


def test_without_a_memory_nothing_is_carried(task):
    policy = first_policy(root_of(1), loop.spaces(task), replace(GRU, memory="none"))
    space = loop.spaces(task)["observation"]
    assert first_memory(space, policy) == () and view_of(space, policy, (), jnp.ones((2, 8))).shape == (2, 8)


def test_every_weight_of_a_core_learns(task):
    trained = jax.jit(partial(a2c.train, task=task, config=GRU))(root_of(5))
    first = first_policy(stream(root_of(5), "network"), loop.spaces(task), GRU)
    for before, after in zip(jax.tree.leaves(first.core), jax.tree.leaves(trained.params.core)):
        assert not np.array_equal(before, after)


def outside(method, key, task, config):
    """The learner for hosted tasks in a native one that is played beside it, by the keys of training."""
    seen, worlds = jax.vmap(partial(loop.reset, task))(jax.random.split(stream(key, "reset"), config.envs))
    state = lanes.start(key, task, config)

    @jax.jit
    def one_step(state, seen, worlds, iteration, row):
        now = jax.random.fold_in(stream(jax.random.fold_in(key, iteration), "play"), row)
        keys, again = (jax.random.split(stream(now, name), config.envs) for name in ("step", "again"))
        actions = lanes.choose(task, config, state, seen)
        after, worlds, out, last = loop.autoreset(task, keys, again, worlds, actions, lambda each: each)
        ended = (out.terminated | out.truncated).reshape(-1, *[1] * (after.ndim - 1))
        steps = LaneSteps(seen, actions, out.reward, jnp.where(ended, last, after), out.terminated,
                          out.truncated & ~out.terminated)  # fmt: skip
        return lanes.learn(method, task, config, state, steps), after, worlds

    for iteration in range(config.iterations):
        for row in range(config.rollout):
            state, seen, worlds = one_step(state, seen, worlds, iteration, row)
    return state


@pytest.mark.parametrize("agent, text, changed", [
    (a2c, "toy/discrete+horizon=5", {}),
    (a2c, "toy/discrete+horizon=5", {"memory": "stack"}),
    (ppo, "toy/continuous", {"memory": "gru", "normalise": True}),
])  # fmt: skip
def test_outside_of_its_program_it_learns_what_it_learns_inside(agent, text, changed):
    """With a core, a stack, and a Gaussian whose draws the env got cut."""
    task = build_native(text).task
    asked = {"envs": 4, "rollout": 8, "steps": 96, "report_every": 32, "width": 8, "memory_width": 6}
    asked |= {"learning_rate": 1e-2, "memory": "gru"} | changed
    config = agent.Config(**asked, **({"minibatches": 2, "epochs": 2} if agent is ppo else {}))
    inside = jax.jit(partial(agent.train, task=task, config=config))(root_of(3)).params
    state = outside(agent.METHOD, root_of(3), task, config)
    assert int(state.iteration) == 3
    for one, other in zip(jax.tree.leaves(inside), jax.tree.leaves(state.policy), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
