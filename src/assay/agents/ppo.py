"""PPO (Schulman et al. 2017) on any actions and observations: its loss, and the updates of some epochs.

`on_policy.py` is the loop around it, shared with A2C: rollouts, advantages, what a time limit cuts. The
defaults are those of KAGE-Bench, whose agent this is on pictures. KAGE-Bench's own treatment of a time limit,
which takes a cut for an end, is `ending="kage"`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.action_distribution import entropies, likelihoods
from assay.agents.adam import Moments, adam, cut_to_norm
from assay.agents.agent import Agent, Trained
from assay.agents.on_policy import Batch, Method, Spaces, judge_batch, pieces, unrolled
from assay.agents.on_policy import iterate as iterate_by
from assay.agents.on_policy import train as train_by
from assay.agents.on_policy_config import settings_unfit
from assay.agents.on_policy_lanes import lane_learner
from assay.agents.policy_network import (
    ACT_S,
    Policy,
    act,
    acts,
    draws,
    fits,
    learns_alone,
    start_memory,
    tells,
)
from assay.agents.ppo_config import Config
from assay.core.env import Task


def loss(spaces: Spaces, config: Config, policy: Policy, batch: Batch) -> jax.Array:
    actions = spaces["action"]
    outputs, values, _ = judge_batch(spaces["observation"], config, policy, batch)
    advantage = (batch.advantage - batch.advantage.mean()) / (batch.advantage.std() + 1e-8)
    ratio = jnp.exp(likelihoods(actions, outputs, policy.spread, batch.action) - batch.likelihood)
    clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
    of_policy = -jnp.minimum(ratio * advantage, clipped * advantage).mean()
    wanted = batch.advantage + batch.value
    near = batch.value + jnp.clip(values - batch.value, -config.clip, config.clip)
    errors = (values - wanted) ** 2
    if config.clip_value:
        errors = jnp.maximum(errors, (near - wanted) ** 2)
    of_value, entropy = 0.5 * errors.mean(), entropies(actions, outputs, policy.spread).mean()
    return of_policy + config.value_weight * of_value - config.entropy_weight * entropy


def update(
    key: jax.Array, spaces: Spaces, config: Config, policy: Policy, moments: Moments, steps: Batch,
    rate: Any,
) -> tuple[Policy, Moments]:  # fmt: skip
    """Some epochs over a rollout's steps, or sequences, in minibatches of an order drawn anew for each."""
    count = len(steps.likelihood)

    def make_step(carry: tuple[Policy, Moments], picks: jax.Array) -> tuple[tuple[Policy, Moments], None]:
        policy, moments = carry
        batch = jax.tree.map(lambda leaf: leaf[picks], steps)
        gradient = jax.grad(partial(loss, spaces, config))(policy, batch)
        gradient = cut_to_norm(gradient, config.most_gradient)
        return adam(gradient, policy, moments, rate, config.adam_epsilon), None

    keys = jax.random.split(key, config.epochs)
    orders = jax.vmap(lambda key: jax.random.permutation(key, count))(keys)
    picks = orders.reshape(config.epochs * config.minibatches, -1)
    return jax.lax.scan(make_step, (policy, moments), picks, unroll=unrolled(2))[0]


METHOD = Method(update)
iterate, PIECES = partial(iterate_by, METHOD), pieces(METHOD)


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; `Agent.alone` says where it is not for `vmap`."""
    return train_by(METHOD, key, task, config)


AGENT = Agent(
    Config, train, act, fits, acts, step_s=2e-5, picture_step_s=1e-2, picture_act_s=ACT_S,
    alone=learns_alone, pieces=PIECES, tells=tells, fits_settings=settings_unfit,
    learner=lane_learner(METHOD), start_memory=start_memory, draws=draws,
)  # fmt: skip
