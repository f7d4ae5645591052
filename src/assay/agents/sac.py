"""SAC (Haarnoja et al. 2018): an actor that draws its actions, paid for their entropy beside the reward.

Config, act, explore, target, update, train: in that order. `off_policy.py` has the loop, `n_step.py` what is
drawn from the replay, `actor_critic.py` the critics and the bounds of actions. The defaults are those of MDP
Playground's toy experiments.

The coefficient of the entropy is learned so that the policy's entropy comes to a target (their second paper,
2018b), or stays as it is. Entropy is that of actions from -1 to 1, whatever the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from math import log, pi
from typing import Any, cast

import jax
import jax.numpy as jnp

from assay.agents import off_policy
from assay.agents.actor_critic import (
    critic_loss,
    dimensions,
    first_critics,
    follow,
    judge,
    pass_through,
    sum_rows,
    to_box,
    why_no_actor,
)
from assay.agents.adam import Moments, adam, no_moments
from assay.agents.agent import Act, Agent, Trained, require_between
from assay.agents.n_step import Returns
from assay.agents.network import Layers, as_features, features, first_layers
from assay.core import step as loop
from assay.core.env import Task, record
from assay.core.keys import stream
from assay.core.space import Space

TWINS = 2
LEAST_LOG_SD, MOST_LOG_SD = -20.0, 2.0  # of the policy before it is squashed, as in the authors' code


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps of training
    report_every: int = 1000  # env steps between two points of a learning curve
    hidden: tuple[int, ...] = (32, 32)  # the width of each hidden layer, of actor and critics
    activation: str = "relu"  # of the hidden layers
    actor_rate: float = 3e-4  # learning rate of Adam for the actor
    critic_rate: float = 3e-4  # the same for the critics
    entropy_rate: float = 3e-4  # the same for the logarithm of the entropy's coefficient
    adam_epsilon: float = 1e-8  # keeps Adam's steps finite
    discount: float = 0.99  # what a reward is worth one step later
    n_step: int = 1  # rewards that are added up before the critics' value follows
    batch: int = 32  # transitions of one gradient step
    steps_per_update: int = 1  # env steps between two updates
    updates: int = 1  # gradient steps of an update
    learning_starts: int = 2000  # env steps before the first update
    random_steps: int = 2000  # env steps at first whose actions are drawn uniformly
    replay: int = 50_000  # transitions that are kept, the newest
    tau: float = 2e-4  # share of the way that the targets go to the critics, each update
    twins: bool = True  # two critics, the lower of whose values counts; false: one
    alpha: float = 0.1  # the coefficient of the entropy, at first
    learn_alpha: bool = True  # whether it is learned; false: it stays
    target_entropy: float = -1.0  # what the policy's entropy is steered to, for each dimension of actions
    draw: bool = False  # whether actions are drawn when it is judged too; false: the mean of the policy

    def __post_init__(self) -> None:
        off_policy.require_settings("sac", self)
        require_between("sac", 1e-9, 1e9, alpha=self.alpha, entropy_rate=self.entropy_rate)
        require_between("sac", -1e3, log(2), target_entropy=self.target_entropy)  # the most from -1 to 1


def act(
    task: Task, params: Layers, memory: Any, key: jax.Array, observation: jax.Array, activation: str = "relu",
    draw: bool = False,
) -> tuple[jax.Array, Any]:  # fmt: skip
    """The mean of the policy before it is squashed, or an action that is drawn from it."""
    spaces = loop.spaces(task)
    mean, log_sd = policy(params, as_features(spaces["observation"], observation), activation)
    chosen = mean + exp(log_sd) * jax.random.normal(key, mean.shape) if draw else mean
    return to_box(spaces["action"], jnp.tanh(chosen)), memory


@cache
def act_with(activation: str, draw: bool) -> Any:
    """The same function for the same settings: another one would compile the evaluation anew."""
    return act if (activation, draw) == ("relu", False) else partial(act, activation=activation, draw=draw)


def acts(config: Config) -> Act:
    return cast(Act, act_with(config.activation, config.draw))


def policy(layers: Layers, seen: jax.Array, activation: str) -> tuple[jax.Array, jax.Array]:
    """Means and logarithms of standard deviations, (..., dimensions) each, before actions are squashed."""
    mean, log_sd = jnp.split(pass_through(layers, seen, activation), 2, -1)
    return mean, jnp.clip(log_sd, LEAST_LOG_SD, MOST_LOG_SD)


def squash(mean: jax.Array, log_sd: jax.Array, normal: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Actions from -1 to 1, and the logarithms of their densities; `normal` are the standard normal draws."""
    before = mean + exp(log_sd) * normal
    density = -0.5 * normal**2 - log_sd - 0.5 * log(2 * pi)
    # The change of variables: squashing divides the density by its slope.
    return jnp.tanh(before), (density - log_slope(before)).sum(-1)


@jax.custom_jvp
def log_slope(x: jax.Array) -> jax.Array:
    """The logarithm of tanh's slope, exact where 1 - tanh(x)^2 would be 0."""
    away = jnp.abs(x)
    return 2 * (log(2) - away - jnp.log1p(exp(-2 * away)))


@log_slope.defjvp
def differentiate_log_slope(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (change,) = primals, tangents
    return log_slope(x), -2 * jnp.tanh(x) * change


def exp(x: jax.Array) -> jax.Array:
    """The exponential, whose bits do not depend on how many seeds are trained side by side.

    XLA computes `jnp.exp` of the few numbers that fill no vector of the CPU in another way than of others.
    """
    return jnp.exp2(x * (1 / log(2)))


@record
class Networks:
    actor: Any
    critics: Any  # (critics, ...) of each leaf
    critic_targets: Any
    log_alpha: Any  # () float32
    actor_moments: Moments
    critic_moments: Moments
    alpha_moments: Moments


def first_networks(key: jax.Array, spaces: dict[str, Space], config: Config) -> Networks:
    """The networks before any training; the critics are their own targets."""
    seen, count = features(spaces["observation"]), dimensions(spaces["action"])
    actor = first_layers(stream(key, "actor"), (seen, *config.hidden, 2 * count))
    critics = first_critics(
        stream(key, "critics"), TWINS if config.twins else 1, (seen + count, *config.hidden)
    )
    log_alpha = jnp.float32(log(config.alpha))
    return Networks(
        actor, critics, critics, log_alpha, no_moments(actor), no_moments(critics), no_moments(log_alpha)
    )


def next_noise(config: Config, key: jax.Array, noise: jax.Array, fresh: jax.Array) -> jax.Array:
    """The standard normal draws of the next action."""
    return jax.random.normal(key, noise.shape)


def explore(config: Config, networks: Networks, noise: jax.Array, seen: jax.Array) -> jax.Array:
    return squash(*policy(networks.actor, seen, config.activation), noise)[0]


def alpha_of(networks: Networks) -> jax.Array:
    """The coefficient of the entropy, () float32."""
    # XLA computes few numbers in another way than those that fill a vector of the CPU; eight equal ones do.
    row = loop.fence(jnp.full(8, networks.log_alpha))
    alpha: jax.Array = loop.fence(jnp.exp(row))[0]
    return alpha


def target(config: Config, normal: jax.Array, networks: Networks, batch: Returns) -> jax.Array:
    """What the critics should say, (batch,): the entropy of the next choice is paid too."""
    actions, log_density = squash(*policy(networks.actor, batch.after, config.activation), normal)
    values = judge(networks.critic_targets, batch.after, actions, config.activation).min(0)
    return batch.reward + batch.discount * (values - alpha_of(networks) * log_density)


def update(config: Config, key: jax.Array, networks: Networks, batch: Returns) -> Networks:
    """One gradient step of the critics, of the actor, and of the entropy's coefficient."""
    now, later = jax.random.normal(key, (2, *batch.action.shape))
    wanted = target(config, later, networks, batch)

    def loss_of_critics(critics: Layers) -> Any:
        return critic_loss(judge(critics, batch.observation, batch.action, config.activation), wanted)

    gradient = jax.grad(loss_of_critics)(networks.critics)
    critics, critic_moments = adam(
        gradient, networks.critics, networks.critic_moments, config.critic_rate, config.adam_epsilon
    )

    def loss_of_actor(layers: Layers) -> Any:
        actions, log_density = squash(*policy(layers, batch.observation, config.activation), now)
        values = judge(critics, batch.observation, actions, config.activation).min(0)
        return (alpha_of(networks) * log_density - values).mean(), log_density

    gradient, log_density = jax.grad(loss_of_actor, has_aux=True)(networks.actor)
    actor, actor_moments = adam(
        gradient, networks.actor, networks.actor_moments, config.actor_rate, config.adam_epsilon
    )
    log_alpha, alpha_moments = networks.log_alpha, networks.alpha_moments
    if config.learn_alpha:
        # The loss is -log_alpha * (log_density + wanted entropy): more weight where entropy is too low.
        wanted_entropy = config.target_entropy * batch.action.shape[-1]
        log_alpha, alpha_moments = adam(
            -sum_rows(log_density[:, None] + wanted_entropy)[0] / config.batch, log_alpha, alpha_moments,
            config.entropy_rate, config.adam_epsilon,
        )  # fmt: skip
    return Networks(
        actor,
        critics,
        follow(networks.critic_targets, critics, config.tau),
        log_alpha,
        actor_moments,
        critic_moments,
        alpha_moments,
    )


ALGORITHM = off_policy.Algorithm(
    "sac", first_networks, next_noise, explore, update, lambda networks: networks.actor
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
    step_cost=partial(off_policy.step_cost, passes=24),
    draws=lambda config: config.draw,
    learner=off_policy.learner_of(ALGORITHM),
)
