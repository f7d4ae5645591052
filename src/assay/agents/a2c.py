"""A2C: advantage actor-critic with one gradient step on each rollout, standing for A3C (Mnih et al. 2016).

A3C's workers play and compute gradients beside one another, and each gradient is applied as it comes, made
with weights that may be a few updates old. Here one worker plays and every gradient is applied at once: the
same losses on rollouts of the same length, in as many updates, never stale, and equal for equal seeds.

The defaults are those of MDP Playground's A3C for one worker with its 5 envs; the paper has 3 such workers.
Its library sums losses over a worker's 50 steps where these are means, so its bound on the gradient's norm,
10, is 10 / 50 here; Adam does not feel the rest. `on_policy.py` is the loop around it, shared with PPO.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import jax

from assay.agents.action_distribution import entropies, likelihoods
from assay.agents.adam import Moments, adam, cut_to_norm
from assay.agents.agent import Agent, Trained
from assay.agents.on_policy import Batch, Method, Spaces, judge_batch, pieces
from assay.agents.on_policy import train as train_by
from assay.agents.on_policy_config import OnPolicyConfig, settings_unfit
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
from assay.core.env import Task


@dataclass(frozen=True)
class Config(OnPolicyConfig):
    name: ClassVar[str] = "a2c"

    steps: int = 150_000
    report_every: int = 7_500
    envs: int = 5
    rollout: int = 10
    learning_rate: float = 1e-4
    adam_epsilon: float = 1e-8
    trace: float = 0.0
    entropy_weight: float = 0.1
    most_gradient: float = 0.2
    width: int = 128
    layers: int = 3


def loss(spaces: Spaces, config: Config, policy: Policy, batch: Batch) -> jax.Array:
    actions = spaces["action"]
    outputs, values, _ = judge_batch(spaces["observation"], config, policy, batch)
    of_policy = -(likelihoods(actions, outputs, policy.spread, batch.action) * batch.advantage).mean()
    wanted = batch.advantage + batch.value
    of_value = 0.5 * ((values - wanted) ** 2).mean()
    entropy = entropies(actions, outputs, policy.spread).mean()
    return of_policy + config.value_weight * of_value - config.entropy_weight * entropy


def update(
    key: jax.Array, spaces: Spaces, config: Config, policy: Policy, moments: Moments, steps: Batch,
    rate: Any,
) -> tuple[Policy, Moments]:  # fmt: skip
    """One step down the gradient of the whole rollout."""
    gradient = jax.grad(partial(loss, spaces, config))(policy, steps)
    gradient = cut_to_norm(gradient, config.most_gradient)
    return adam(gradient, policy, moments, rate, config.adam_epsilon)


METHOD = Method(update)


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; `Agent.alone` says where it is not for `vmap`."""
    return train_by(METHOD, key, task, config)


AGENT = Agent(
    Config, train, act, fits, acts, step_s=2e-5, picture_step_s=1e-2, picture_act_s=ACT_S,
    alone=learns_alone, pieces=pieces(METHOD), tells=tells, fits_settings=settings_unfit,
    learner=lane_learner(METHOD), start_memory=start_memory, draws=draws,
)  # fmt: skip
