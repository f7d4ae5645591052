"""DQN on hosted tasks: the same updates, while the envs are played outside of its program."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.agent import (
    LaneLearner,
    LaneSteps,
    number_of,
    numbers_to_see,
    stream_at,
    with_number,
)
from assay.agents.dqn_config import Config
from assay.agents.dqn_update import Learner, copy_target, new_learner, paid_to, update
from assay.agents.explore import explore
from assay.agents.noisy import disturb
from assay.agents.prioritised import add_rows
from assay.agents.q_network import network_of, why_no_rows
from assay.agents.replay import Transition, remember_lanes
from assay.agents.value_head import values_of
from assay.core import step as loop
from assay.core.env import Task, record

MOST_LANES = 8  # envs outside, side by side


@record
class Outside:
    """A learner whose envs are played outside of its program."""

    key: Any
    learner: Learner


def lanes(config: Config) -> int:
    """The number of envs: it divides the steps of an update, so that one network chooses all of these."""
    return max(count for count in range(1, MOST_LANES + 1) if config.steps_per_update % count == 0)


def start(key: jax.Array, task: Task, config: Config) -> Outside:
    return Outside(key, new_learner(key, loop.spaces(task), config))


def choose(task: Task, config: Config, state: Outside, observations: jax.Array) -> jax.Array:
    """One action per lane; lane i makes the i-th of the next steps."""
    spaces, learner = loop.spaces(task), state.learner
    steps = learner.step + jnp.arange(len(observations))
    keys = jax.vmap(partial(stream_at, state.key, "env"))(steps)
    noise = stream_at(state.key, "noise", learner.step // config.steps_per_update)
    q = network_of(config.network, config.activation, spaces, disturb(noise, learner.params))
    values = values_of(config.head, jax.vmap(q)(observations))
    return with_number(spaces["action"], jax.vmap(partial(explore, config))(keys, steps, values))


def learn(task: Task, config: Config, state: Outside, steps: LaneSteps) -> Outside:
    """Remembers a step of every lane, and makes an update where one is due."""
    spaces, before = loop.spaces(task), state.learner
    count = len(steps.reward)
    numbers = number_of(spaces["action"], steps.action)
    ended, paid = steps.terminated | steps.cut, paid_to(config, steps.reward)
    rows = Transition(steps.observation, numbers, paid, steps.after, steps.terminated, ended)
    replay, priorities = remember_lanes(before.replay, before.step, rows), before.priorities
    if config.prioritised:
        priorities = add_rows(priorities, (before.step + jnp.arange(count)) % config.kept)
    learner = replace(before, replay=replay, priorities=priorities, step=before.step + count)
    q = partial(network_of, config.network, config.activation, spaces)

    def make_update() -> tuple[Any, ...]:
        # The target is copied as before a round of `train`: by the step at which the round began.
        round_start = replace(learner, step=learner.step - config.steps_per_update)
        ready = replace(learner, target=copy_target(config, round_start).target)
        target_q = None if config.noisy else q(ready.target)
        now = stream_at(state.key, "batch", ready.step)
        return changing(update(config, now, ready, q, target_q, lanes=count))

    due = (learner.step % config.steps_per_update == 0) & (learner.step > config.learning_starts)
    # The replay stays outside of the branches: it is long, and a branch would copy it.
    params, target, optimiser, priorities = jax.lax.cond(due, make_update, lambda: changing(learner))
    changed = replace(learner, params=params, target=target, optimiser=optimiser, priorities=priorities)
    return Outside(state.key, changed)


def changing(learner: Learner) -> tuple[Any, ...]:
    """What an update changes."""
    return learner.params, learner.target, learner.optimiser, learner.priorities


def learned_params(state: Outside) -> Any:
    return state.learner.params


LEARNER = LaneLearner(
    lanes, start, choose, learn, learned_params, numbers_to_see,
    lambda config, spaces: why_no_rows(config.network, spaces),
)  # fmt: skip
