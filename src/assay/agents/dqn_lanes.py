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
from assay.agents.dqn_config import Config, settings_unfit
from assay.agents.dqn_memory import as_seen, first_memory, judge, look, recall
from assay.agents.dqn_sequences import update_sequences
from assay.agents.dqn_update import Learner, copy_target, new_learner, paid_to, update
from assay.agents.explore import explore
from assay.agents.noisy import disturb
from assay.agents.on_policy_config import GRU
from assay.agents.prioritised import add_rows
from assay.agents.q_network import network_of, why_no_rows
from assay.agents.replay import Transition, remember_lanes
from assay.agents.value_head import values_of
from assay.core import step as loop
from assay.core.env import Task, record
from assay.core.space import Space


@record
class Outside:
    """A learner whose envs are played outside of its program."""

    key: Any
    learner: Learner
    memory: Any = ()  # (lanes, ...), before the next observations


def lanes(config: Config) -> int:
    return config.lanes


def start(key: jax.Array, task: Task, config: Config) -> Outside:
    spaces = loop.spaces(task)
    learner = new_learner(key, spaces, config)
    return Outside(key, learner, memory_of_all(spaces, learner.params, config.lanes))


def memory_of_all(spaces: dict[str, Space], params: Any, count: int) -> Any:
    """The memory of so many lanes before an episode."""
    one = first_memory(spaces, params)
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), one)


def look_at_all(task: Task, memory: Any, observations: Any) -> Any:
    """What the network sees of each lane's observation."""
    return jax.vmap(partial(look, loop.spaces(task)))(memory, observations)


def choose(task: Task, config: Config, state: Outside, observations: jax.Array) -> jax.Array:
    """One action per lane; lane i makes the i-th of the next steps."""
    spaces, learner = loop.spaces(task), state.learner
    steps = learner.step + jnp.arange(len(observations))
    keys = jax.vmap(partial(stream_at, state.key, "env"))(steps)
    values = values_of(config.head, judge_all(task, config, state, observations)[0])
    return with_number(spaces["action"], jax.vmap(partial(explore, config))(keys, steps, values))


def judge_all(task: Task, config: Config, state: Outside, observations: Any) -> tuple[jax.Array, Any]:
    """The network's outputs for each lane, and the states of its core; the same whenever it is asked."""
    learner = state.learner
    noise = stream_at(state.key, "noise", learner.step // config.steps_per_update)
    params, kind = disturb(noise, learner.params), config.network
    seen = look_at_all(task, state.memory, observations)

    def one(memory: Any, seen: Any) -> tuple[jax.Array, Any]:
        return judge(loop.spaces(task), params, memory, seen, kind, config.activation)

    return jax.vmap(one)(state.memory, seen)


def learn(task: Task, config: Config, state: Outside, steps: LaneSteps) -> Outside:
    """Remembers a step of every lane, and makes an update where one is due."""
    spaces, before = loop.spaces(task), state.learner
    count = len(steps.reward)
    numbers = number_of(spaces["action"], steps.action)
    ended, paid = steps.terminated | steps.cut, paid_to(config, steps.reward)
    seen, carried = look_at_all(task, state.memory, steps.observation), ()
    if config.memory == GRU:
        carried = judge_all(task, config, state, steps.observation)[1]
    memory = jax.vmap(partial(recall, spaces))(seen, carried, state.memory, numbers)
    after = look_at_all(task, memory, steps.after)
    rows = Transition(seen, numbers, paid, after, steps.terminated, ended)
    replay, priorities = remember_lanes(before.replay, before.step, rows), before.priorities
    if config.prioritised:
        priorities = add_rows(priorities, (before.step + jnp.arange(count)) % config.kept)
    learner = replace(before, replay=replay, priorities=priorities, step=before.step + count)
    if config.memory == GRU:
        learner = replace(learner, memories=remember_lanes(before.memories, before.step, state.memory))
    forgotten = memory_of_all(spaces, before.params, count)
    memory = jax.tree.map(jax.vmap(jnp.where), jax.tree.map(lambda _: ended, memory), forgotten, memory)
    q = partial(network_of, config.network, config.activation, as_seen(config, spaces))

    def make_update() -> tuple[Any, ...]:
        # The target is copied as before a round of `train`: by the step at which the round began.
        round_start = replace(learner, step=learner.step - config.steps_per_update)
        ready = replace(learner, target=copy_target(config, round_start).target)
        now = stream_at(state.key, "batch", ready.step)
        if config.memory == GRU:
            return changing(update_sequences(config, now, ready, spaces, lanes=count))
        target_q = None if config.noisy else q(ready.target)
        return changing(update(config, now, ready, q, target_q, lanes=count))

    due = (learner.step % config.steps_per_update == 0) & (learner.step > config.learning_starts)
    # The replay stays outside of the branches: it is long, and a branch would copy it.
    params, target, optimiser, priorities = jax.lax.cond(due, make_update, lambda: changing(learner))
    changed = replace(learner, params=params, target=target, optimiser=optimiser, priorities=priorities)
    return Outside(state.key, changed, memory)


def changing(learner: Learner) -> tuple[Any, ...]:
    """What an update changes."""
    return learner.params, learner.target, learner.optimiser, learner.priorities


def learned_params(state: Outside) -> Any:
    return state.learner.params


def unfit_outside(config: Config, spaces: dict[str, Space]) -> str:
    return settings_unfit(config, spaces) or why_no_rows(config.network, spaces)


LEARNER = LaneLearner(lanes, start, choose, learn, learned_params, numbers_to_see, unfit_outside)
