"""Tabular Q-learning. Config, act, update, train: in that order, nothing hidden elsewhere.

The defaults are those of MDP Playground's tabular experiments, with the standard update: a terminal step
drops the bootstrap and subtracts the old value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.agent import Agent, Report, Trained, require_between, require_numbered, require_steps
from assay.core import step as loop
from assay.core.env import Step, Task, World, record
from assay.core.keys import stream
from assay.core.space import Discrete, Space
from assay.errors import NotApplicable


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps
    report_every: int = 1000  # env steps
    learning_rate: float = 0.3
    discount: float = 0.99
    explore: float = 0.1  # chance of a random action at first; it falls in a straight line to 0

    def __post_init__(self) -> None:
        require_steps("tabular_q", report_every=(self.report_every, 1), steps=(self.steps, self.report_every))
        require_between("tabular_q", 0, 1, learning_rate=self.learning_rate, discount=self.discount,
                        explore=self.explore)  # fmt: skip


@record
class Learner:
    table: Any  # (observations, actions) float32
    world: World
    observation: Any
    step: Any  # () int32, env steps made
    score: Any  # () float32, of the episode under way
    finished: (
        Any  # (3,) float32: sum of scores, sum of lengths and number of the episodes since the last report
    )


def row_of(space: Space, observation: jax.Array) -> jax.Array:
    """The table's row for an observation: mixed radix where it has several entries."""
    if not space.shape:
        return observation - space.start
    row = jnp.int32(0)
    for i, n in enumerate(space.n):
        row = row * n + observation[i] - space.start
    return row


def act(task: Task, table: jax.Array, key: jax.Array, observation: Any) -> jax.Array:
    """The best action; ties are broken at random."""
    spaces = loop.spaces(task)
    found = table[row_of(spaces["observation"], observation)]
    ties = jax.random.uniform(key, found.shape)
    return spaces["action"].start + jnp.argmax(jnp.where(found == found.max(), ties, -1.0)).astype(jnp.int32)


def update(
    table: jax.Array, row: jax.Array, action: jax.Array, out: Step, after: jax.Array, config: Config
) -> jax.Array:
    # A time limit is not an ending: only termination stops the bootstrap.
    future = jnp.where(out.terminated, 0.0, table[after].max())
    error = out.reward + config.discount * future - table[row, action]
    return table.at[row, action].add(config.learning_rate * error)


def one_step(task: Task, config: Config, key: jax.Array, learner: Learner) -> Learner:
    spaces = loop.spaces(task)
    seen, actions = spaces["observation"], spaces["action"]
    explore = config.explore * (1 - learner.step / config.steps)
    greedy = act(task, learner.table, stream(key, "ties"), learner.observation)
    any_action = actions.start + jax.random.randint(stream(key, "any action"), (), 0, actions.n)
    chosen = jnp.where(jax.random.uniform(stream(key, "explore")) < explore, any_action, greedy)
    out = loop.step(task, stream(key, "step"), learner.world, chosen)
    row, after = row_of(seen, learner.observation), row_of(seen, out.observation)
    table = update(learner.table, row, chosen - actions.start, out, after, config)
    ended = out.terminated | out.truncated
    score = learner.score + out.score
    told = jnp.stack([score, out.state.time.astype(jnp.float32), jnp.float32(1)])
    # One env per seed and seeds under vmap: both states are computed and one is chosen.
    again = loop.start(task, stream(key, "again"), out.state.life, out.state.clocks)
    first, again = loop.look(task, stream(key, "again"), again)
    observation, world = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
    return Learner(table, world, observation, learner.step + 1, jnp.where(ended, 0.0, score),
                   learner.finished + jnp.where(ended, told, 0.0))  # fmt: skip


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    spaces = loop.spaces(task)
    require_numbered("tabular_q", spaces["action"])
    if not isinstance(spaces["observation"], Discrete):
        raise NotApplicable(
            f"tabular_q keeps a row for each observation, and this task's are a "
            f"{type(spaces['observation']).__name__} of shape {spaces['observation'].shape}; try dqn."
        )
    seen = spaces["observation"]
    rows = prod(seen.n) if seen.shape else seen.n
    observation, world = loop.reset(task, stream(key, "reset"))
    learner = Learner(jnp.zeros((rows, spaces["action"].n)), world, observation, jnp.int32(0), jnp.float32(0),
                      jnp.zeros(3))  # fmt: skip

    def step(learner: Learner, _: Any) -> tuple[Learner, None]:
        return one_step(task, config, jax.random.fold_in(stream(key, "env"), learner.step), learner), None

    def report(learner: Learner, _: Any) -> tuple[Learner, Report]:
        learner, _ = jax.lax.scan(step, learner, None, length=config.report_every)
        score, length, episodes = learner.finished
        told = Report(learner.step, score / episodes, length / episodes, episodes.astype(jnp.int32))
        return replace(learner, finished=jnp.zeros(3)), told

    learner, reports = jax.lax.scan(report, learner, None, length=config.steps // config.report_every)
    return Trained(learner.table, reports)


AGENT = Agent(Config, train, act)
