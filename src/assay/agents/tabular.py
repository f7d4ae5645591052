"""What learners with a table share: which spaces they fit, how they act and explore, and the loop.

Each has a file of its own with its settings and its update: `tabular_q.py`, `double_q.py`, `sarsa.py`. A
table is (observations, actions); an agent with two has (2, observations, actions) and acts by their sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, cast

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
    stream_at,
    with_number,
)
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.core import step as loop
from assay.core.env import Step, Task, World, record
from assay.core.keys import stream
from assay.core.space import Discrete, Space

MOST_ROWS, MOST_ENTRIES = 10**7, 10**8


@dataclass(frozen=True)
class Settings:
    name: ClassVar[str]

    steps: int = 20_000  # env steps of training
    report_every: int = 1000  # env steps between two points of a learning curve
    learning_rate: float = 0.3  # share of the error that an update takes away
    discount: float = 0.99  # what a reward is worth one step later
    explore: float = 0.1  # chance of a random action at first; it falls in a straight line to 0

    def __post_init__(self) -> None:
        require_steps(self.name, report_every=(self.report_every, 1), steps=(self.steps, self.report_every))
        require_between(self.name, 0, 1, learning_rate=self.learning_rate, discount=self.discount,
                        explore=self.explore)  # fmt: skip


class Moved(NamedTuple):
    """A step as a table sees it."""

    row: Any  # the number of the observation before
    action: Any  # the number of the action
    out: Step | LaneSteps
    after: Any  # the number of the observation after, the true last one at an end
    following: Any  # the number of the action chosen there; None where that is left to the next step


class Rule(NamedTuple):
    """How a table is learned."""

    update: Callable[..., jax.Array]  # table, Moved, config, key -> table
    tables: int = 1
    looks_ahead: bool = False  # whether the next action is chosen before the update, and then taken


def fits(spaces: dict[str, Space], tables: int = 1) -> str:
    space = spaces["observation"]
    if not isinstance(space, Discrete):
        return "its table has a row for each observation, so these must be numbered states (Discrete)"
    if how_many(space) > MOST_ROWS:
        return f"its table would have {how_many(space):,} rows, and {MOST_ROWS:,} is the most"
    if why := numbered_actions(spaces):
        return why
    entries = tables * how_many(space) * how_many(spaces["action"])
    if entries > MOST_ENTRIES:
        return f"its table would have {entries:,} entries, and {MOST_ENTRIES:,} is the most"
    return ""


def new_table(spaces: dict[str, Space], rule: Rule) -> jax.Array:
    entries = how_many(spaces["observation"]), how_many(spaces["action"])
    return jnp.zeros(entries if rule.tables == 1 else (rule.tables, *entries))


def values_at(table: jax.Array, row: jax.Array) -> jax.Array:
    """What is thought of every action, (actions,)."""
    return table[row] if table.ndim == 2 else table[:, row].sum(0)


def act(task: Task, table: jax.Array, memory: Any, key: jax.Array, observation: Any) -> tuple[jax.Array, Any]:
    """The best action; ties are broken at random."""
    spaces = loop.spaces(task)
    values = values_at(table, number_of(spaces["observation"], observation))
    return with_number(spaces["action"], best(values, key)), memory


def best(values: jax.Array, key: jax.Array) -> jax.Array:
    """The number of a best action, () int32."""
    ties = jax.random.uniform(key, values.shape)
    return jnp.argmax(jnp.where(values == values.max(), ties, -1.0)).astype(jnp.int32)


def chances(task: Task, table: jax.Array, memory: Any, observation: Any) -> jax.Array:
    """The best actions share all of the probability."""
    values = values_at(table, number_of(loop.spaces(task)["observation"], observation))
    best_ones = (values == values.max()).astype(jnp.float32)
    return best_ones / best_ones.sum()


def explore(config: Settings, key: jax.Array, step: jax.Array, values: jax.Array) -> jax.Array:
    """The number of an action, epsilon-greedy."""
    epsilon = config.explore * (1 - step / config.steps)
    greedy = best(values, stream(key, "ties"))
    any_action = jax.random.randint(stream(key, "any action"), (), 0, values.shape[-1])
    return jnp.where(jax.random.uniform(stream(key, "explore")) < epsilon, any_action, greedy)


@record
class Learner:
    table: Any  # (observations, actions) or (2, observations, actions) float32
    world: World
    observation: Any
    choice: Any  # the number of the next action; () where it is chosen when it is taken
    step: Any  # () int32, env steps made
    tally: Tally


def make_step(rule: Rule, task: Task, config: Settings, key: jax.Array, learner: Learner) -> Learner:
    """One env step, what is learned from it, and a new episode where one ended; `key` is the training's."""
    now, spaces = stream_at(key, "env", learner.step), loop.spaces(task)
    space, actions = spaces["observation"], spaces["action"]

    def choose(table: jax.Array, observation: Any, step: Any) -> jax.Array:
        # Keys by the number of the step for which it is chosen, whenever that is done.
        values = values_at(table, number_of(space, observation))
        return explore(config, stream_at(key, "env", step), step, values)

    table = learner.table
    chosen = learner.choice if rule.looks_ahead else choose(table, learner.observation, learner.step)
    out = loop.step(task, stream(now, "step"), learner.world, with_number(actions, chosen))
    following: Any = choose(table, out.observation, learner.step + 1) if rule.looks_ahead else None
    rows = (number_of(space, seen) for seen in (learner.observation, out.observation))
    row, after = rows
    table = rule.update(table, Moved(row, chosen, out, after, following), config, stream(now, "update"))
    ended = out.terminated | out.truncated
    # One env per seed and seeds under vmap: both states are computed and one is chosen.
    again = loop.start_after(task, stream(now, "again"), out.state)
    first, again = loop.look(task, stream(now, "again"), again)
    observation, world = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
    choice: Any = ()
    if rule.looks_ahead:
        choice = jnp.where(ended, choose(table, first, learner.step + 1), following)
    return Learner(table, world, observation, choice, learner.step + 1, count_step(learner.tally, out))


def train(rule: Rule, key: jax.Array, task: Task, config: Settings) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    spaces = loop.spaces(task)
    require_fit(config.name, fits(spaces, rule.tables))
    observation, world = loop.reset(task, stream(key, "reset"))
    table, choice = new_table(spaces, rule), cast(Any, ())
    if rule.looks_ahead:
        row = number_of(spaces["observation"], observation)
        choice = explore(config, stream_at(key, "env", 0), jnp.int32(0), values_at(table, row))
    learner = Learner(table, world, observation, choice, jnp.int32(0), empty_tally())

    def step(learner: Learner, _: Any) -> tuple[Learner, None]:
        return make_step(rule, task, config, key, learner), None

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
    table: Any
    choice: Any  # the number of the next action where it is chosen already, -1 where an episode begins; or ()
    step: Any  # () int32, env steps made


def one_lane(config: Settings) -> int:
    """One env: the table changes with every step, so two steps cannot be chosen by the same table."""
    return 1


def start(rule: Rule, key: jax.Array, task: Task, config: Settings) -> Outside:
    choice = jnp.int32(-1) if rule.looks_ahead else ()
    return Outside(key, new_table(loop.spaces(task), rule), choice, jnp.int32(0))


def choose(task: Task, config: Settings, state: Outside, observations: jax.Array) -> jax.Array:
    spaces = loop.spaces(task)
    values = values_at(state.table, number_of(spaces["observation"], observations[0]))
    number = explore(config, stream_at(state.key, "env", state.step), state.step, values)
    if not isinstance(state.choice, tuple):
        number = jnp.where(state.choice < 0, number, state.choice)
    return with_number(spaces["action"], number)[None]


def learn(rule: Rule, task: Task, config: Settings, state: Outside, steps: LaneSteps) -> Outside:
    spaces = loop.spaces(task)
    one = jax.tree.map(lambda leaf: leaf[0], steps)
    row, after = (number_of(spaces["observation"], value) for value in (one.observation, one.after))
    following, choice = None, state.choice
    if rule.looks_ahead:
        key = stream_at(state.key, "env", state.step + 1)
        following = explore(config, key, state.step + 1, values_at(state.table, after))
        choice = jnp.where(one.terminated | one.cut, -1, following)
    moved = Moved(row, number_of(spaces["action"], one.action), one, after, following)
    key = stream(stream_at(state.key, "env", state.step), "update")
    return Outside(state.key, rule.update(state.table, moved, config, key), choice, state.step + 1)


def learned_table(state: Outside) -> Any:
    return state.table


def agent_of(config: type, rule: Rule) -> Agent:
    """The agent of these settings that learns by this rule."""
    fit = partial(fits, tables=rule.tables)
    learner = LaneLearner(one_lane, partial(start, rule), choose, partial(learn, rule), learned_table, fit)
    return Agent(config, partial(train, rule), act, fit, step_s=2e-6, learner=learner, chances=chances)
