"""The corridor: the smallest env on which every component can be varied, and wrongly so."""

import random

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.clock import Sudden
from assay.core.env import Env, record
from assay.core.space import Box, Discrete
from assay.core.variation import Channel, Inner

DOOR = 7


@record
class Params:
    slip: jax.Array
    horizon: jax.Array
    wrong_initial: jax.Array
    wrong_action: jax.Array
    wrong_transition: jax.Array
    wrong_reward: jax.Array
    wrong_observation: jax.Array
    wrong_terminal: jax.Array
    too_much: jax.Array
    nothing: jax.Array


@record
class State:
    cell: jax.Array  # () int32
    time: jax.Array  # () int32
    mood: jax.Array = np.int32(0)  # () int32, which every step sets back


def initial(key, params):
    cell = jax.random.randint(key, (), 0, 3)
    return State(jnp.where(params.wrong_initial > 0, (cell + 1) % 3, cell), jnp.int32(0))


def action(key, params, state, chosen):
    return jnp.where(params.wrong_action > 0, 1 - chosen, chosen)


def transition(key, params, state, chosen):
    draws = jax.random.uniform(key, (2,))
    move = jnp.where(draws[0] < params.slip, 1 - 2 * chosen, 2 * chosen - 1)
    move = jnp.where((draws[1] < 0.004) & (params.wrong_transition > 0), -move, move)
    return State(jnp.clip(state.cell + move, 0, DOOR), state.time + 1)


def reward(key, params, state, chosen, after):
    last = (after.cell == DOOR) | (after.time >= params.horizon)
    plain = (after.cell == DOOR).astype(jnp.float32)
    return plain + jnp.where(last & (params.wrong_reward > 0), 0.5, 0.0)


def observation(key, params, state):
    other = (params.wrong_observation > 0) | (params.too_much > 0)
    return jnp.where(other, (state.cell + 1) % (DOOR + 1), state.cell)


def terminal(params, state):
    return (state.cell == DOOR) | ((state.cell == 5) & (params.wrong_terminal > 0))


def horizon(params):
    return params.horizon


def spaces(params):
    return {"action": Discrete(2), "reward": Box(-np.inf, np.inf), "observation": Discrete(DOOR + 1)}


def build(settings, others):
    values = {name: jnp.float32(0) for name in Params.__dataclass_fields__}
    params = Params(**(values | {"horizon": jnp.int32(20)}))
    return Env(params, initial, transition, reward, observation, terminal, horizon, spaces, action)


def starts_elsewhere(function, level, key, params):
    state = function(key, params)
    return State(jnp.where(level > 0, (state.cell + 1) % 3, state.cell), state.time)


def drifts(function, level, key, params, state, chosen):
    """Draws with the component's own key, which the plain transition draws with too."""
    after = function(key, params, state, chosen)
    return State(jnp.where(jax.random.uniform(key) < level * 0.5, state.cell, after.cell), after.time)


def a_little_more(xp, level, memory, draw, value, ends, space):
    return memory, value + level + 1e-6


def by_global_chance(xp, level, memory, draw, value, ends, space):
    return memory, value + level * (1 + random.random())


def by_a_key_of_its_own(xp, level, memory, draw, value, ends, space):
    return memory + 1, value + level * jax.random.normal(jax.random.fold_in(jax.random.key(0), memory))


def by_a_table_of_its_own(xp, level, memory, draw, value, ends, space):
    return memory + 1, value + level * xp.asarray(TABLE)[memory % len(TABLE)]


def long_after(xp, level, memory, draw, value, ends, space):
    return memory + 1, value + level + xp.where(memory >= 500, 1.0, 0.0)


def count(xp, space, bound):
    return xp.asarray(0, "int32")


def wakes_elsewhere(function, level, key, params):
    """In another mood, which no function reads and the first step sets back."""
    state = function(key, params)
    return State(state.cell, state.time, jnp.where(level > 0, jnp.int32(7), jnp.int32(0)))


TABLE = np.random.default_rng(0).normal(size=1000).astype(np.float32)
OWN_KEY = Channel(0.0, "own_key", ("reward",), by_a_key_of_its_own, memory=count)
OWN_TABLE = Channel(0.0, "own_table", ("reward",), by_a_table_of_its_own, memory=count)
LONG_AFTER = Channel(0.0, "long_after", ("reward",), long_after, memory=count, lasts=True)
UNFELT_START = Inner(0.0, "unfelt_start", ("initial",), wakes_elsewhere)
AFTER_A_RESET = Inner(0.0, "after_a_reset", ("initial",), starts_elsewhere, clock=Sudden(1, unit="life"))
FOREIGN_STREAM = Inner(0.0, "foreign_stream", ("transition",), drifts)
NOT_NEUTRAL = Channel(0.0, "not_neutral", ("reward",), a_little_more)
GLOBAL_CHANCE = Channel(0.0, "global_chance", ("reward",), by_global_chance)


def always_right(observation):
    return 1
