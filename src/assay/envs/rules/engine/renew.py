"""New games for those that are over, in the middle of a program.

At a step few of many games end, and to begin one costs as much as several moves. New games are therefore
begun for some lanes of each rule at a time, best every few moves; a lane that finds no place waits.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from assay.envs.rules.codes import Finish
from assay.envs.rules.engine.play import begin
from assay.envs.rules.engine.random_boards import DrawArrays, count_bits, make_board
from assay.envs.rules.engine.tables import GameState, Tables

SHARE = 4  # one in so many lanes of a rule can begin anew at a time


def begin_lanes(key: jax.Array, tables: Tables, draw: DrawArrays, lanes: int) -> GameState:
    """Games of stacked rules on boards of their own: (rules, lanes)."""
    rules = tables.lines.shape[0]
    bits = jax.random.bits(key, (rules, lanes, count_bits(draw)), jnp.uint32)  # by one draw: keys cost more

    def begin_one(tables: Tables, bits: jax.Array) -> GameState:
        return begin(tables, make_board(bits, draw))

    return jax.vmap(jax.vmap(begin_one, (None, 0)))(tables, bits)


def renew(key: jax.Array, tables: Tables, draw: DrawArrays, states: GameState) -> GameState:
    """The games, (rules, lanes), with new ones on random boards in place of the first that are over."""
    over = states.finish != Finish.PLAYING
    lanes = over.shape[1]
    some = -(-lanes // SHARE)
    where = jax.vmap(lambda each: jnp.nonzero(each, size=some, fill_value=lanes)[0])(over)
    return jax.vmap(put_lanes)(states, where, begin_lanes(key, tables, draw, some))


def put_lanes(states: GameState, where: jax.Array, fresh: GameState) -> GameState:
    """The states of one rule with fresh ones in some lanes; a lane that is out of range is left out."""
    return jax.tree.map(lambda old, new: old.at[where].set(new, mode="drop"), states, fresh)
