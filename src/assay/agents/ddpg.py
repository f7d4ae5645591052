"""DDPG (Lillicrap et al. 2015): a deterministic actor that climbs the critic's values.

Config, act, explore, target, update, train: in that order. `off_policy.py` has the loop, `n_step.py` what is
drawn from the replay, `actor_critic.py` the critics and the bounds of actions, `action_noise.py` the noise.
The defaults are those of MDP Playground's toy experiments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any, cast

import jax
import jax.numpy as jnp

from assay.agents import off_policy
from assay.agents.action_noise import KINDS, ORNSTEIN_UHLENBECK, gaussian, ornstein_uhlenbeck
from assay.agents.actor_critic import (
    critic_loss,
    dimensions,
    first_critics,
    follow,
    judge,
    pass_through,
    to_box,
    weight_penalty,
    why_no_actor,
)
from assay.agents.adam import Moments, adam, no_moments
from assay.agents.agent import Act, Agent, Trained, require_between, require_one_of
from assay.agents.n_step import Returns
from assay.agents.network import Layers, as_features, features, first_layers
from assay.core import step as loop
from assay.core.env import Task, record
from assay.core.keys import stream
from assay.core.space import Space


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps of training
    report_every: int = 1000  # env steps between two points of a learning curve
    hidden: tuple[int, ...] = (32, 32)  # the width of each hidden layer, of actor and critic
    activation: str = "relu"  # of the hidden layers
    actor_rate: float = 1e-3  # learning rate of Adam for the actor
    critic_rate: float = 1e-3  # the same for the critic
    adam_epsilon: float = 1e-8  # keeps Adam's steps finite
    discount: float = 0.99  # what a reward is worth one step later
    n_step: int = 1  # rewards that are added up before the critic's value follows
    batch: int = 32  # transitions of one gradient step
    steps_per_update: int = 1  # env steps between two updates
    updates: int = 1  # gradient steps of an update
    learning_starts: int = 2000  # env steps before the first update
    random_steps: int = 2000  # env steps at first whose actions are drawn uniformly
    replay: int = 50_000  # transitions that are kept, the newest
    tau: float = 0.02  # share of the way that the targets go to the networks, each update
    noise: str = ORNSTEIN_UHLENBECK  # on actions, in training: ornstein_uhlenbeck or gaussian
    noise_scale: float = 0.2  # standard deviation of what is drawn in a step; 1 is half the range of actions
    noise_pull: float = 0.15  # share of the drifting noise that is lost in each step
    l2: float = 1e-6  # weight of half the sum of squared weights, in both losses
    huber: float = 0.0  # errors of the critic beyond this count linearly; 0: all count by their square

    def __post_init__(self) -> None:
        off_policy.require_settings("ddpg", self)
        require_one_of("ddpg", "noise", self.noise, KINDS)
        require_between("ddpg", 0, 1e9, noise_scale=self.noise_scale, l2=self.l2, huber=self.huber)
        require_between("ddpg", 0, 1, noise_pull=self.noise_pull)


def act(
    task: Task, params: Layers, memory: Any, key: jax.Array, observation: jax.Array, activation: str = "relu"
) -> tuple[jax.Array, Any]:
    """The actor's action; nothing is drawn at random."""
    spaces = loop.spaces(task)
    seen = as_features(spaces["observation"], observation)
    return to_box(spaces["action"], actor(params, seen, activation)), memory


@cache
def act_with(activation: str) -> Any:
    """The same function for the same settings: another one would compile the evaluation anew."""
    return act if activation == "relu" else partial(act, activation=activation)


def acts(config: Config) -> Act:
    return cast(Act, act_with(config.activation))


def actor(layers: Layers, seen: jax.Array, activation: str) -> jax.Array:
    """Actions from -1 to 1, (..., dimensions)."""
    return jnp.tanh(pass_through(layers, seen, activation))


@record
class Networks:
    actor: Any
    critic: Any  # (1, ...) of each leaf: one critic
    actor_target: Any
    critic_target: Any
    actor_moments: Moments
    critic_moments: Moments


def first_networks(key: jax.Array, spaces: dict[str, Space], config: Config) -> Networks:
    """The networks before any training, each its own target."""
    seen, count = features(spaces["observation"]), dimensions(spaces["action"])
    layers = first_layers(stream(key, "actor"), (seen, *config.hidden, count))
    critic = first_critics(stream(key, "critics"), 1, (seen + count, *config.hidden))
    return Networks(layers, critic, layers, critic, no_moments(layers), no_moments(critic))


def next_noise(config: Config, key: jax.Array, noise: jax.Array, fresh: jax.Array) -> jax.Array:
    if config.noise == ORNSTEIN_UHLENBECK:
        return ornstein_uhlenbeck(key, noise, fresh, config.noise_scale, config.noise_pull)
    return gaussian(key, noise, config.noise_scale)


def explore(config: Config, networks: Networks, noise: jax.Array, seen: jax.Array) -> jax.Array:
    return jnp.clip(actor(networks.actor, seen, config.activation) + noise, -1, 1)


def target(config: Config, networks: Networks, batch: Returns) -> jax.Array:
    """What the critic should say, (batch,)."""
    actions = actor(networks.actor_target, batch.after, config.activation)
    future = judge(networks.critic_target, batch.after, actions, config.activation)[0]
    return batch.reward + batch.discount * future


def update(config: Config, key: jax.Array, networks: Networks, batch: Returns) -> Networks:
    """One gradient step of the critic, then one of the actor."""
    wanted = target(config, networks, batch)

    def loss_of_critic(critic: Layers) -> Any:
        values = judge(critic, batch.observation, batch.action, config.activation)
        return critic_loss(values, wanted, config.huber) + config.l2 * weight_penalty(critic)

    gradient = jax.grad(loss_of_critic)(networks.critic)
    critic, critic_moments = adam(
        gradient, networks.critic, networks.critic_moments, config.critic_rate, config.adam_epsilon
    )

    def loss_of_actor(layers: Layers) -> Any:
        actions = actor(layers, batch.observation, config.activation)
        values = judge(critic, batch.observation, actions, config.activation)[0]
        return -values.mean() + config.l2 * weight_penalty(layers)

    gradient = jax.grad(loss_of_actor)(networks.actor)
    layers, actor_moments = adam(
        gradient, networks.actor, networks.actor_moments, config.actor_rate, config.adam_epsilon
    )
    return Networks(
        layers,
        critic,
        follow(networks.actor_target, layers, config.tau),
        follow(networks.critic_target, critic, config.tau),
        actor_moments,
        critic_moments,
    )


ALGORITHM = off_policy.Algorithm(
    "ddpg", first_networks, next_noise, explore, update, lambda networks: networks.actor
)


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    return off_policy.train(ALGORITHM, key, task, config)


AGENT = Agent(
    Config,
    train,
    act,
    why_no_actor,
    acts,
    step_cost=partial(off_policy.step_cost, passes=10),
    draws=False,
    learner=off_policy.learner_of(ALGORITHM),
)
