"""TD3 (Fujimoto et al. 2018): DDPG with twin critics, a delayed actor, and smoothed target actions.

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
from assay.agents.action_noise import gaussian
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
from assay.agents.agent import Act, Agent, Trained, require_between, require_steps
from assay.agents.n_step import Returns
from assay.agents.network import Layers, as_features, features, first_layers
from assay.core import step as loop
from assay.core.env import Task, record
from assay.core.keys import stream
from assay.core.space import Space

TWINS = 2


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps of training
    report_every: int = 1000  # env steps between two points of a learning curve
    hidden: tuple[int, ...] = (32, 32)  # the width of each hidden layer, of actor and critics
    activation: str = "relu"  # of the hidden layers
    actor_rate: float = 1e-3  # learning rate of Adam for the actor
    critic_rate: float = 1e-3  # the same for the critics
    adam_epsilon: float = 1e-8  # keeps Adam's steps finite
    discount: float = 0.99  # what a reward is worth one step later
    n_step: int = 4  # rewards that are added up before the critics' value follows
    batch: int = 32  # transitions of one gradient step
    steps_per_update: int = 1  # env steps between two updates
    updates: int = 1  # gradient steps of an update
    learning_starts: int = 2000  # env steps before the first update
    random_steps: int = 2000  # env steps at first whose actions are drawn uniformly
    replay: int = 50_000  # transitions that are kept, the newest
    tau: float = 0.02  # share of the way that the targets go to the networks when the actor learns
    twins: bool = True  # two critics, of which the target takes the lower value; false: one
    policy_delay: int = 2  # gradient steps of the critics for each of the actor and of the targets
    noise_scale: float = 0.1  # standard deviation on actions, in training; 1 is half the range of actions
    target_noise: float = 0.02  # the same on the actions that the targets judge
    target_noise_clip: float = 0.001  # the most that this noise changes an action
    l2: float = 1e-6  # weight of half the sum of squared weights, in both losses
    huber: float = 0.0  # errors of the critics beyond this count linearly; 0: all count by their square

    def __post_init__(self) -> None:
        off_policy.require_settings("td3", self)
        require_steps("td3", policy_delay=(self.policy_delay, 1))
        require_between("td3", 0, 1e9, noise_scale=self.noise_scale, target_noise=self.target_noise,
                        target_noise_clip=self.target_noise_clip, l2=self.l2, huber=self.huber)  # fmt: skip


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
    critics: Any  # (critics, ...) of each leaf
    actor_target: Any
    critic_targets: Any
    actor_moments: Moments
    critic_moments: Moments


def first_networks(key: jax.Array, spaces: dict[str, Space], config: Config) -> Networks:
    """The networks before any training, each its own target."""
    seen, count = features(spaces["observation"]), dimensions(spaces["action"])
    layers = first_layers(stream(key, "actor"), (seen, *config.hidden, count))
    critics = first_critics(
        stream(key, "critics"), TWINS if config.twins else 1, (seen + count, *config.hidden)
    )
    return Networks(layers, critics, layers, critics, no_moments(layers), no_moments(critics))


def next_noise(config: Config, key: jax.Array, noise: jax.Array, fresh: jax.Array) -> jax.Array:
    return gaussian(key, noise, config.noise_scale)


def explore(config: Config, networks: Networks, noise: jax.Array, seen: jax.Array) -> jax.Array:
    return jnp.clip(actor(networks.actor, seen, config.activation) + noise, -1, 1)


def target(config: Config, key: jax.Array, networks: Networks, batch: Returns) -> jax.Array:
    """What the critics should say, (batch,): the lower of the twins' values, a little beside the action."""
    actions = actor(networks.actor_target, batch.after, config.activation)
    noise = gaussian(key, actions, config.target_noise)
    beside = actions + jnp.clip(noise, -config.target_noise_clip, config.target_noise_clip)
    values = judge(networks.critic_targets, batch.after, jnp.clip(beside, -1, 1), config.activation)
    return batch.reward + batch.discount * values.min(0)


def update(config: Config, key: jax.Array, networks: Networks, batch: Returns) -> Networks:
    """One gradient step of the critics; every so many of them, one of the actor too, and the targets move."""
    wanted = target(config, key, networks, batch)

    def loss_of_critics(critics: Layers) -> Any:
        values = judge(critics, batch.observation, batch.action, config.activation)
        return critic_loss(values, wanted, config.huber) + config.l2 * weight_penalty(critics)

    gradient = jax.grad(loss_of_critics)(networks.critics)
    critics, critic_moments = adam(
        gradient, networks.critics, networks.critic_moments, config.critic_rate, config.adam_epsilon
    )

    def loss_of_actor(layers: Layers) -> Any:
        actions = actor(layers, batch.observation, config.activation)
        values = judge(critics, batch.observation, actions, config.activation)[0]
        return -values.mean() + config.l2 * weight_penalty(layers)

    def move_actor() -> tuple[Any, ...]:
        layers, moments = adam(
            jax.grad(loss_of_actor)(networks.actor),
            networks.actor,
            networks.actor_moments,
            config.actor_rate,
            config.adam_epsilon,
        )
        actor_target = follow(networks.actor_target, layers, config.tau)
        return layers, moments, actor_target, follow(networks.critic_targets, critics, config.tau)

    kept = networks.actor, networks.actor_moments, networks.actor_target, networks.critic_targets
    due = critic_moments.count % config.policy_delay == 0
    layers, moments, actor_target, critic_targets = jax.lax.cond(due, move_actor, lambda: kept)
    return Networks(layers, critics, actor_target, critic_targets, moments, critic_moments)


ALGORITHM = off_policy.Algorithm(
    "td3", first_networks, next_noise, explore, update, lambda networks: networks.actor
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
    step_cost=partial(off_policy.step_cost, passes=12),
    draws=False,
    learner=off_policy.learner_of(ALGORITHM),
)
