"""PPO and A2C on hosted tasks: the games are played outside of its program, a rollout is kept in its state.

The policy stays as it is during a rollout, so values and likelihoods are computed where the rollout is full,
and a step before that costs one choice and one row; and, with a core or a Gaussian, judging the step again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.action_distribution import as_action, count_outputs, draw, likelihoods, numbers_drawn
from assay.agents.adam import Moments, no_moments
from assay.agents.agent import LaneLearner, LaneSteps
from assay.agents.encoder import prepare
from assay.agents.on_policy import Method, Rollout, improve, paid_to, value_after
from assay.agents.on_policy_config import OnPolicyConfig, settings_unfit
from assay.agents.policy_network import (
    Judged,
    Policy,
    first_memory,
    first_policy,
    fits,
    forget,
    judge,
    prepare_all,
    view_of,
)
from assay.core import step as loop
from assay.core.env import Task, record
from assay.core.keys import stream
from assay.core.space import Discrete, Space


@record
class Rows:
    """The steps of a rollout so far, (rollout, envs, ...) each."""

    observation: Any  # as the network saw it
    action: Any  # the draw behind it
    reward: Any  # float32; with the value of what would have followed, where a time limit cut an episode
    ended: Any
    memory: Any  # before the step, where the policy has a core


@record
class Outside:
    """A learner whose envs are played outside of its program."""

    key: Any
    policy: Policy
    optimiser: Moments
    rows: Rows
    memory: Any  # (envs, ...), before the next step
    filled: Any  # () int32, how many rows are
    iteration: Any  # () int32


def start(key: jax.Array, task: Task, config: OnPolicyConfig) -> Outside:
    spaces = loop.spaces(task)
    policy, space = first_policy(stream(key, "network"), spaces, config), spaces["observation"]
    seen = jnp.zeros((config.envs, *space.shape), jax.dtypes.canonicalize_dtype(space.dtype))
    memory = first_memory(space, policy, (config.envs,))
    row = Rows(
        view_of(space, policy, memory, prepare(space, seen)),
        no_draws(spaces["action"], config.envs),
        jnp.zeros(config.envs),
        jnp.zeros(config.envs, bool),
        memory if policy.core is not None else (),
    )
    rows = jax.tree.map(lambda leaf: jnp.zeros((config.rollout, *leaf.shape), leaf.dtype), row)
    return Outside(key, policy, no_moments(policy), rows, memory, jnp.int32(0), jnp.int32(0))


def no_draws(space: Space, lanes: int) -> jax.Array:
    if isinstance(space, Discrete):
        return jnp.zeros((lanes, *space.shape), jnp.int32)
    return jnp.zeros((lanes, count_outputs(space)))


def key_of(state: Outside, name: str) -> jax.Array:
    """The key of this iteration by name."""
    return stream(jax.random.fold_in(state.key, state.iteration), name)


def key_now(state: Outside, name: str) -> jax.Array:
    """The key of this step by name."""
    return stream(jax.random.fold_in(key_of(state, "play"), state.filled), name)


def look(space: Space, config: OnPolicyConfig, state: Outside, observations: Any) -> jax.Array:
    """What the policy sees of the observations before its next step; the same whenever it is asked."""
    prepared = prepare_all(key_now(state, "augment"), space, config, observations)
    return view_of(space, state.policy, state.memory, prepared)


def choose(task: Task, config: OnPolicyConfig, state: Outside, observations: jax.Array) -> jax.Array:
    """One action per lane."""
    spaces = loop.spaces(task)
    view = look(spaces["observation"], config, state, observations)
    drawn = draw_again(spaces, state, judge_now(spaces["observation"], config, state, view))
    return jax.vmap(partial(as_action, spaces["action"]))(drawn)


def judge_now(space: Space, config: OnPolicyConfig, state: Outside, view: jax.Array) -> Judged:
    return judge(space, state.policy, view, config.precision, state.memory)


def draw_again(spaces: dict[str, Space], state: Outside, judged: Judged) -> jax.Array:
    """The draws of this step; the same whenever it is asked."""
    return draw(key_now(state, "action"), spaces["action"], judged.outputs, state.policy.spread)


def learn(method: Method, task: Task, config: OnPolicyConfig, state: Outside, steps: LaneSteps) -> Outside:
    """Keeps a step of every lane, and makes the updates where a rollout is full."""
    spaces = loop.spaces(task)
    space, actions = spaces["observation"], spaces["action"]
    view = look(space, config, state, steps.observation)
    judged = judge_now(space, config, state, view)  # compiled only as far as its parts are used
    ended = steps.terminated | steps.cut
    row = Rows(
        view,
        numbers_drawn(actions, steps.action)
        if isinstance(actions, Discrete)
        else draw_again(spaces, state, judged),  # what was played is cut to the bounds
        pay(space, config, state.policy, steps, judged.memory),
        ended,
        state.memory if state.policy.core is not None else (),
    )
    rows = jax.tree.map(lambda all, one: all.at[state.filled].set(one), state.rows, row)
    full = state.filled + 1 == config.rollout

    def improve_now() -> tuple[Policy, Moments]:
        return improved(method, spaces, config, replace(state, rows=rows), steps.after, judged.memory)

    # The rows stay outside of the branches: they are long, and a branch would copy them.
    policy, optimiser = jax.lax.cond(full, improve_now, lambda: (state.policy, state.optimiser))
    filled, memory = jnp.where(full, 0, state.filled + 1), forget(ended, judged.memory)
    return Outside(state.key, policy, optimiser, rows, memory, filled, state.iteration + full)


def pay(
    space: Space, config: OnPolicyConfig, policy: Policy, steps: LaneSteps, memory: Any = ()
) -> jax.Array:
    """The rewards, with the value of what would have followed where a time limit cut an episode."""
    reward = paid_to(config, steps.reward)
    if config.ending == "kage":
        return reward

    def value() -> jax.Array:
        values = value_after(space, config, policy, memory, prepare(space, steps.after))
        return jnp.where(steps.cut, config.discount * values, 0.0)

    more: jax.Array = jax.lax.cond(steps.cut.any(), value, lambda: jnp.zeros_like(reward))
    return reward + more


def improved(
    method: Method, spaces: dict[str, Space], config: OnPolicyConfig, state: Outside, after: Any, memory: Any
) -> tuple[Policy, Moments]:
    """The policy after the updates of a full rollout; `memory` is that after its last step."""
    rows, policy, space = state.rows, state.policy, spaces["observation"]

    def judge_row(row: Rows) -> tuple[jax.Array, jax.Array]:
        judged = judge(space, policy, row.observation, config.precision, row.memory)
        return likelihoods(spaces["action"], judged.outputs, policy.spread, row.action), judged.values

    likelihood, values = jax.lax.map(judge_row, rows)  # row by row: pictures of all would not fit
    rollout = Rollout(rows.observation, rows.action, likelihood, values, rows.reward, rows.ended)
    last_values = value_after(space, config, policy, memory, prepare(space, after))
    first = jax.tree.map(lambda leaf: leaf[0], rows.memory)
    return improve(
        method, key_of(state, "update"), spaces, config, policy, state.optimiser, rollout, last_values, first,
        state.iteration,
    )  # fmt: skip


def learned_params(state: Outside) -> Policy:
    return state.policy


def lane_learner(method: Method) -> LaneLearner:
    """How an agent of this method learns on hosted tasks."""
    return LaneLearner(
        lambda config: config.envs, start, choose, partial(learn, method), learned_params, fits,
        settings_unfit, last_step=lambda config: config.iterations * config.batch, saves=True,
    )  # fmt: skip
