"""Prioritised replay (Schaul et al. 2016): transitions with larger errors are drawn more often.

Priorities are kept as they are drawn by, error to the power of the exponent. A draw looks for a number below
their sum, first among sums of blocks, then inside one block: the whole ring is added up, never searched.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp

from assay.core.env import record

BLOCK = 128  # rows of the ring in a block
LEAST = 1e-6  # error that a transition has at least, so that none is lost


@record
class Priorities:
    each: Any  # (blocks, BLOCK) float32, row by row; 0 where the ring has no transition yet
    most: Any  # () float32, the largest so far, which new transitions get


def no_priorities(length: int) -> Priorities:
    return Priorities(jnp.zeros((-(-length // BLOCK), BLOCK)), jnp.float32(1))


def place(rows: jax.Array) -> tuple[jax.Array, jax.Array]:
    return rows // BLOCK, rows % BLOCK


def add_rows(priorities: Priorities, rows: jax.Array) -> Priorities:
    """New transitions in these rows of the ring: each should be drawn soon."""
    return replace(priorities, each=priorities.each.at[place(rows)].set(priorities.most))


def set_errors(priorities: Priorities, rows: jax.Array, errors: jax.Array, exponent: float) -> Priorities:
    """The errors that were found now; a row that was drawn twice has one of its two errors."""
    new = (jnp.abs(errors) + LEAST) ** exponent
    most = jnp.maximum(priorities.most, new.max())
    return Priorities(priorities.each.at[place(rows)].set(new), most)


def draw_rows(key: jax.Array, priorities: Priorities, count: int) -> tuple[jax.Array, jax.Array]:
    """So many rows, one from each equal share of the sum, and the chance with which each was drawn."""
    sums = jnp.cumsum(priorities.each.sum(1))
    total = sums[-1]
    aims = (jnp.arange(count) + jax.random.uniform(key, (count,))) / count * total
    blocks = jnp.minimum((sums <= aims[:, None]).sum(1), len(sums) - 1)
    before = jnp.where(blocks > 0, sums[blocks - 1], 0.0)
    inside = priorities.each[blocks]  # (count, BLOCK)
    # By rounding an aim may lie behind the last row of its block: then the last one that can be drawn is it.
    last = BLOCK - 1 - jnp.argmax(inside[:, ::-1] > 0, 1)
    found = (jnp.cumsum(inside, 1) <= (aims - before)[:, None]).sum(1)
    column = jnp.minimum(found, last)
    chances = jnp.take_along_axis(inside, column[:, None], 1)[:, 0] / total
    return blocks * BLOCK + column, chances


def importance(chances: jax.Array, filled: jax.Array, exponent: Any) -> jax.Array:
    """What makes up for drawing some rows more often, (count,): at most 1."""
    weights = (filled * chances) ** -exponent
    return weights / weights.max()
