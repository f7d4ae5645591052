"""Tabular Q-learning. Config, act, explore, update, train: in that order, nothing hidden elsewhere.

The defaults are those of MDP Playground's tabular experiments, with the standard update: a terminal step
drops the bootstrap and subtracts the old value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.agent import (
    Agent,
    LaneLearner,
    LaneSteps,
    Trained,
    how_many,
    number_of,
    numbered_actions,
    require_between,
    require_fit,
    require_steps,
    with_number,
)
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.core import step as loop
from assay.core.env import Step, Task, World, record
from assay.core.keys import stream
from assay.core.space import Discrete, Space

MOST_ROWS, MOST_ENTRIES = 10**7, 10**8


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps of training
    report_every: int = 1000  # env steps between two points of a learning curve
    learning_rate: float = 0.3  # share of the error that an update takes away
    discount: float = 0.99  # what a reward is worth one step later
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
    tally: Tally


def fits(spaces: dict[str, Space]) -> str:
    space = spaces["observation"]
    if not isinstance(space, Discrete):
        return "its table needs observations that are whole numbers"
    if how_many(space) > MOST_ROWS:
        return f"its table would have {how_many(space):,} rows, and {MOST_ROWS:,} is the most"
    if why := numbered_actions(spaces):
        return why
    entries = how_many(space) * how_many(spaces["action"])
    if entries > MOST_ENTRIES:
        return f"its table would have {entries:,} entries, and {MOST_ENTRIES:,} is the most"
    return ""


def act(task: Task, table: jax.Array, memory: Any, key: jax.Array, observation: Any) -> tuple[jax.Array, Any]:
    """The best action; ties are broken at random."""
    spaces = loop.spaces(task)
    row = table[number_of(spaces["observation"], observation)]
    return with_number(spaces["action"], best(row, key)), memory


def best(values: jax.Array, key: jax.Array) -> jax.Array:
    """The number of a best action, () int32."""
    ties = jax.random.uniform(key, values.shape)
    return jnp.argmax(jnp.where(values == values.max(), ties, -1.0)).astype(jnp.int32)


def chances(task: Task, table: jax.Array, memory: Any, observation: Any) -> jax.Array:
    """The best actions share all of the probability."""
    row = table[number_of(loop.spaces(task)["observation"], observation)]
    best_ones = (row == row.max()).astype(jnp.float32)
    return best_ones / best_ones.sum()


def explore(config: Config, key: jax.Array, step: jax.Array, values: jax.Array) -> jax.Array:
    """The number of an action, epsilon-greedy."""
    epsilon = config.explore * (1 - step / config.steps)
    greedy = best(values, stream(key, "ties"))
    any_action = jax.random.randint(stream(key, "any action"), (), 0, values.shape[-1])
    return jnp.where(jax.random.uniform(stream(key, "explore")) < epsilon, any_action, greedy)


def update(
    table: jax.Array,
    row: jax.Array,
    action: jax.Array,
    out: Step | LaneSteps,
    after: jax.Array,
    config: Config,
) -> jax.Array:
    # A time limit is not an ending: only termination stops the bootstrap.
    future = jnp.where(out.terminated, 0.0, table[after].max())
    error = out.reward + config.discount * future - table[row, action]
    return table.at[row, action].add(config.learning_rate * error)


def one_step(task: Task, config: Config, key: jax.Array, learner: Learner) -> Learner:
    spaces = loop.spaces(task)
    space, actions = spaces["observation"], spaces["action"]
    row = number_of(space, learner.observation)
    chosen = explore(config, key, learner.step, learner.table[row])
    out = loop.step(task, stream(key, "step"), learner.world, with_number(actions, chosen))
    table = update(learner.table, row, chosen, out, number_of(space, out.observation), config)
    ended = out.terminated | out.truncated
    # One env per seed and seeds under vmap: both states are computed and one is chosen.
    again = loop.start_after(task, stream(key, "again"), out.state)
    first, again = loop.look(task, stream(key, "again"), again)
    observation, world = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
    return Learner(table, world, observation, learner.step + 1, count_step(learner.tally, out))


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    spaces = loop.spaces(task)
    require_fit("tabular_q", fits(spaces))
    entries = how_many(spaces["observation"]), how_many(spaces["action"])
    observation, world = loop.reset(task, stream(key, "reset"))
    learner = Learner(jnp.zeros(entries), world, observation, jnp.int32(0), empty_tally())

    def step(learner: Learner, _: Any) -> tuple[Learner, None]:
        return one_step(task, config, jax.random.fold_in(stream(key, "env"), learner.step), learner), None

    def make_report(learner: Learner, _: Any) -> tuple[Learner, tuple[Report, jax.Array]]:
        learner, _ = jax.lax.scan(step, learner, None, length=config.report_every)
        tally, report = take_report(learner.tally, learner.step)
        return replace(learner, tally=tally), (report, learner.table)

    count = config.steps // config.report_every
    learner, (reports, tables) = jax.lax.scan(make_report, learner, None, length=count)
    return Trained(learner.table, reports, tables)


@record
class Outside:
    """A table that is learned from an env outside of its program."""

    key: Any
    table: Any  # (observations, actions) float32
    step: Any  # () int32, env steps made


def one_lane(config: Config) -> int:
    """One env: the table changes with every step, so two steps cannot be chosen by the same table."""
    return 1


def start(key: jax.Array, task: Task, config: Config) -> Outside:
    spaces = loop.spaces(task)
    entries = how_many(spaces["observation"]), how_many(spaces["action"])
    return Outside(key, jnp.zeros(entries), jnp.int32(0))


def choose(task: Task, config: Config, state: Outside, observations: jax.Array) -> jax.Array:
    spaces = loop.spaces(task)
    key = jax.random.fold_in(stream(state.key, "env"), state.step)
    values = state.table[number_of(spaces["observation"], observations[0])]
    return with_number(spaces["action"], explore(config, key, state.step, values))[None]


def learn(task: Task, config: Config, state: Outside, steps: LaneSteps) -> Outside:
    spaces = loop.spaces(task)
    one = jax.tree.map(lambda leaf: leaf[0], steps)
    row, after = (number_of(spaces["observation"], value) for value in (one.observation, one.after))
    number = number_of(spaces["action"], one.action)
    return Outside(state.key, update(state.table, row, number, one, after, config), state.step + 1)


def learned_table(state: Outside) -> Any:
    return state.table


LEARNER = LaneLearner(one_lane, start, choose, learn, learned_table, fits)
AGENT = Agent(Config, train, act, fits, step_s=2e-6, learner=LEARNER, chances=chances)
