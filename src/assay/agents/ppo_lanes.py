"""PPO on hosted tasks: the games are played outside of its program, and a rollout is kept in its state.

The policy stays as it is during a rollout, so values and likelihoods are computed where the rollout is full,
and a step before that costs one choice and one row.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.adam import Moments, no_moments
from assay.agents.agent import LaneLearner, LaneSteps, number_of, with_number
from assay.agents.encoder import prepare
from assay.agents.ppo_config import Config
from assay.agents.ppo_policy import Policy, first_policy, fits, judge, likelihoods, prepare_all
from assay.agents.ppo_update import Batch, Rollout, advantages, paid_to, rate_at, update
from assay.core import step as loop
from assay.core.env import Task, record
from assay.core.keys import stream
from assay.core.space import Space


@record
class Rows:
    """The steps of a rollout so far, (rollout, envs, ...) each."""

    observation: Any  # prepared
    action: Any  # int32, its number
    reward: Any  # float32; with the value of what would have followed, where a time limit cut an episode
    ended: Any


@record
class Outside:
    """A learner whose envs are played outside of its program."""

    key: Any
    policy: Policy
    optimiser: Moments
    rows: Rows
    filled: Any  # () int32, how many rows are
    iteration: Any  # () int32


def start(key: jax.Array, task: Task, config: Config) -> Outside:
    spaces = loop.spaces(task)
    policy, space = first_policy(stream(key, "network"), spaces, config), spaces["observation"]
    seen = jnp.zeros((config.envs, *space.shape), jax.dtypes.canonicalize_dtype(space.dtype))
    row = Rows(
        prepare(space, seen),
        jnp.zeros(config.envs, jnp.int32),
        jnp.zeros(config.envs),
        jnp.zeros(config.envs, bool),
    )
    rows = jax.tree.map(lambda leaf: jnp.zeros((config.rollout, *leaf.shape), leaf.dtype), row)
    return Outside(key, policy, no_moments(policy), rows, jnp.int32(0), jnp.int32(0))


def key_of(state: Outside, name: str) -> jax.Array:
    """The key of this iteration by name."""
    return stream(jax.random.fold_in(state.key, state.iteration), name)


def look(space: Space, config: Config, state: Outside, observations: Any) -> jax.Array:
    """What the policy sees of the observations before its next step; the same whenever it is asked."""
    now = jax.random.fold_in(key_of(state, "play"), state.filled)
    return prepare_all(stream(now, "augment"), space, config, observations)


def choose(task: Task, config: Config, state: Outside, observations: jax.Array) -> jax.Array:
    """One action per lane."""
    spaces = loop.spaces(task)
    seen = look(spaces["observation"], config, state, observations)
    logits, _ = judge(spaces["observation"], state.policy, seen, config.precision)
    now = jax.random.fold_in(key_of(state, "play"), state.filled)
    numbers = jax.random.categorical(stream(now, "action"), logits).astype(jnp.int32)
    return jax.vmap(partial(with_number, spaces["action"]))(numbers)


def learn(task: Task, config: Config, state: Outside, steps: LaneSteps) -> Outside:
    """Keeps a step of every lane, and makes the updates where a rollout is full."""
    spaces = loop.spaces(task)
    space = spaces["observation"]
    row = Rows(
        look(space, config, state, steps.observation),
        number_of(spaces["action"], steps.action).astype(jnp.int32),
        pay(space, config, state.policy, steps),
        steps.terminated | steps.cut,
    )
    rows = jax.tree.map(lambda all, one: all.at[state.filled].set(one), state.rows, row)
    full = state.filled + 1 == config.rollout

    def improve() -> tuple[Policy, Moments]:
        return improved(space, config, replace(state, rows=rows), steps.after)

    # The rows stay outside of the branches: they are long, and a branch would copy them.
    policy, optimiser = jax.lax.cond(full, improve, lambda: (state.policy, state.optimiser))
    filled = jnp.where(full, 0, state.filled + 1)
    return Outside(state.key, policy, optimiser, rows, filled, state.iteration + full)


def pay(space: Space, config: Config, policy: Policy, steps: LaneSteps) -> jax.Array:
    """The rewards, with the value of what would have followed where a time limit cut an episode."""
    reward = paid_to(config, steps.reward)
    if config.ending == "kage":
        return reward

    def value() -> jax.Array:
        values = judge(space, policy, prepare(space, steps.after), config.precision)[1]
        return jnp.where(steps.cut, config.discount * values, 0.0)

    more: jax.Array = jax.lax.cond(steps.cut.any(), value, lambda: jnp.zeros_like(reward))
    return reward + more


def improved(space: Space, config: Config, state: Outside, after: Any) -> tuple[Policy, Moments]:
    """The policy after the updates of a full rollout."""
    rows, policy = state.rows, state.policy

    def judge_row(row: Rows) -> tuple[jax.Array, jax.Array]:
        logits, values = judge(space, policy, row.observation, config.precision)
        return likelihoods(logits, row.action), values

    likelihood, values = jax.lax.map(judge_row, rows)  # row by row: pictures of all would not fit
    rollout = Rollout(rows.observation, rows.action, likelihood, values, rows.reward, rows.ended)
    last_values = judge(space, policy, prepare(space, after), config.precision)[1]
    gains = advantages(config, rollout, last_values)
    batch = Batch(rows.observation, rows.action, likelihood, values, gains)
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), batch)
    rate = rate_at(config, state.iteration)
    return update(key_of(state, "update"), space, config, policy, state.optimiser, flat, rate)


def learned_params(state: Outside) -> Policy:
    return state.policy


LEARNER = LaneLearner(
    lambda config: config.envs, start, choose, learn, learned_params, fits,
    last_step=lambda config: config.iterations * config.envs * config.rollout, saves=True,
)  # fmt: skip
