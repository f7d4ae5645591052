"""What PPO learns from a rollout: advantages, the loss, and the updates of some epochs."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.adam import Moments, adam, cut_to_norm
from assay.agents.ppo_config import Config
from assay.agents.ppo_policy import Policy, judge, likelihoods
from assay.core.env import record
from assay.core.space import Space


@record
class Rollout:
    """Steps of every env, (steps, envs, ...) each."""

    observation: Any  # prepared
    action: Any  # int32, its number
    likelihood: Any  # the logarithm of its probability
    value: Any
    reward: Any
    ended: Any
    cut: Any = None  # whether it ended by a time limit; None where its reward has what would have followed
    last: Any = None  # the last observation of an episode, prepared; zeros where no env ended


def advantages(config: Config, rollout: Rollout, last_values: jax.Array) -> jax.Array:
    """Generalised advantage estimates (Schulman et al. 2016), (steps, envs)."""

    def back(carry: tuple[jax.Array, jax.Array], row: tuple) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        advantage, next_value = carry
        reward, value, ended = row
        goes_on = config.discount * (1.0 - ended)
        surprise = reward + goes_on * next_value - value
        advantage = surprise + goes_on * config.trace * advantage
        return (advantage, value), advantage

    rows = rollout.reward, rollout.value, rollout.ended
    first = jnp.zeros_like(last_values), last_values
    return jax.lax.scan(back, first, rows, reverse=True)[1]


class Batch(NamedTuple):
    """Steps of a rollout in any order, (batch, ...) each."""

    observation: Any
    action: Any
    likelihood: Any
    value: Any
    advantage: Any


def loss(space: Space, config: Config, policy: Policy, batch: Batch) -> jax.Array:
    logits, values = judge(space, policy, batch.observation, config.precision)
    advantage = (batch.advantage - batch.advantage.mean()) / (batch.advantage.std() + 1e-8)
    ratio = jnp.exp(likelihoods(logits, batch.action) - batch.likelihood)
    clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
    of_policy = -jnp.minimum(ratio * advantage, clipped * advantage).mean()
    wanted = batch.advantage + batch.value
    near = batch.value + jnp.clip(values - batch.value, -config.clip, config.clip)
    of_value = 0.5 * jnp.maximum((values - wanted) ** 2, (near - wanted) ** 2).mean()
    shares = jax.nn.log_softmax(logits)
    entropy = -(jnp.exp(shares) * shares).sum(-1).mean()
    return of_policy + config.value_weight * of_value - config.entropy_weight * entropy


def rate_at(config: Config, iteration: Any) -> Any:
    """The learning rate of an iteration."""
    return (
        config.learning_rate * (1 - iteration / config.iterations) if config.anneal else config.learning_rate
    )


def paid_to(config: Config, reward: jax.Array) -> jax.Array:
    """The rewards that are learned from."""
    return jnp.sign(reward) if config.signs else reward


def unrolled(times: int) -> int:
    """How many turns of a loop become one: a GPU gains by it, and a CPU would only compile longer."""
    return times if jax.default_backend() == "gpu" else 1


def update(
    key: jax.Array, space: Space, config: Config, policy: Policy, moments: Moments, steps: Batch, rate: Any
) -> tuple[Policy, Moments]:
    """Some epochs over a rollout's steps, in minibatches of an order drawn anew for each."""
    count = config.envs * config.rollout

    def make_step(carry: tuple[Policy, Moments], picks: jax.Array) -> tuple[tuple[Policy, Moments], None]:
        policy, moments = carry
        batch = jax.tree.map(lambda leaf: leaf[picks], steps)
        gradient = jax.grad(partial(loss, space, config))(policy, batch)
        gradient = cut_to_norm(gradient, config.most_gradient)
        return adam(gradient, policy, moments, rate, config.adam_epsilon), None

    keys = jax.random.split(key, config.epochs)
    orders = jax.vmap(lambda key: jax.random.permutation(key, count))(keys)
    picks = orders.reshape(config.epochs * config.minibatches, -1)
    return jax.lax.scan(make_step, (policy, moments), picks, unroll=unrolled(2))[0]
