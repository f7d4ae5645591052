"""A table as a native env: its numbers are leaves, so that all tables of one kind share a program."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from assay.battery.spaces import BETWEEN, NUMBER, spaces_of
from assay.battery.table import Table
from assay.core.clock import LIFE, Sudden
from assay.core.env import Env, Task, record
from assay.core.space import Space
from assay.core.variation import Field, static


@record
class Params:
    """The fields of a `Table`, and what kind of spaces it is met in."""

    to: Any
    pay: Any
    later_pay: Any
    spread: Any
    ends: Any
    first: Any
    look: Any
    rows: Any
    limit: Any
    aim: Any
    bend: Any
    turned: Any  # () bool: whether the later payments hold
    sees: str = static()
    acts: str = static()


@record
class State:
    cell: Any  # () int32
    number: Any  # () int32, of the action that led there


def initial(key: jax.Array, params: Params) -> State:
    cell = jax.random.categorical(key, jnp.log(params.first))
    return State(cell.astype(jnp.int32), jnp.int32(0))


def transition(key: jax.Array, params: Params, state: State, chosen: jax.Array) -> State:
    number = chosen
    if params.acts == BETWEEN:  # the chance of the second action
        number = (jax.random.uniform(key, minval=-1.0) < chosen[0]).astype(jnp.int32)
    return State(params.to[state.cell, number], number.astype(jnp.int32))


def reward(key: jax.Array, params: Params, state: State, chosen: jax.Array, after: State) -> jax.Array:
    at = state.cell, after.number
    mean = jnp.where(params.turned, params.later_pay[at], params.pay[at])
    paid = mean + params.spread[at] * jax.random.rademacher(key, (), jnp.float32)
    if params.acts == BETWEEN:
        paid = paid - params.bend[state.cell] * (chosen[0] - params.aim[state.cell]) ** 2
    points: jax.Array = paid
    return points


def observation(key: jax.Array, params: Params, state: State) -> jax.Array:
    look: jax.Array = params.look[state.cell]
    seen: jax.Array = look if params.sees == NUMBER else params.rows[look]
    return seen


def terminal(params: Params, state: State) -> jax.Array:
    over: jax.Array = params.ends[state.cell]
    return over


def horizon(params: Params) -> jax.Array:
    limit: jax.Array = params.limit
    return limit


def spaces(params: Params) -> dict[str, Space]:
    return spaces_of(params.sees, params.acts)


def task_of(table: Table, sees: str, acts: str) -> Task:
    """The table as a native task; its payments change once, in the agent's life."""
    numbers = {name: jnp.asarray(value) for name, value in table._asdict().items() if name != "turn"}
    params = Params(**numbers, turned=jnp.bool_(False), sees=sees, acts=acts)
    env = Env(
        params, initial=initial, transition=transition, reward=reward, observation=observation,
        terminal=terminal, horizon=horizon, spaces=spaces,
    )  # fmt: skip
    change = Field(
        jnp.bool_(True), "turned", ("reward",), Sudden(jnp.int32(table.turn), LIFE), jnp.bool_(False)
    )
    return Task(env, (change,))
