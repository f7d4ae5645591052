"""What every atom accepts in a position: fixed conditions, position lists, factors, and `postpos` at last.

The results are words of pieces per atom and bucket, so that one operation treats 32 pieces. Conditions that
are about no piece are joined as sets of buckets, and those about no bucket as sets of pieces.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.rules.engine.bits import ALL, NONE, all_of, any_of, pack, unpack
from assay.envs.rules.engine.tables import Episode, Factors, Memory, Tables

LAST_RANK = np.int32(2**30)  # behind the rank of any cell


def evaluate_lines(tables: Tables, episode: Episode, left: jax.Array, memory: Memory) -> jax.Array:
    """The pieces that each atom of each line accepts, its counter aside: (A, buckets, words) uint32."""
    sizes = tables.sizes
    words = episode.fits & left
    if sizes.lists:
        words &= join_conditions(allow_by_lists(tables, episode, left), tables.list_others)[:, None]
    if sizes.common or sizes.by_bucket:
        allowed = unpack(allow_buckets(tables, memory)[:, None], sizes.buckets)
        words &= jnp.where(allowed, ALL, NONE)[:, :, None]
    for factors, per_bucket in ((tables.by_piece, False), (tables.by_both, True)):
        if factors.offset.size:
            found = find_pieces(tables, factors, episode.values, memory, per_bucket)
            words &= join_conditions(found, factors.others)
    if sizes.trims:
        words &= join_conditions(trim(tables, episode, words), tables.trim_others)[:, None]
    return words


def join_conditions(found: jax.Array, others: jax.Array) -> jax.Array:
    """For every atom the intersection of its conditions: (F, ...) words or buckets make (A, ...)."""
    others = others.reshape(*others.shape, *[1] * (found.ndim - 1))
    return all_of(found[:, None] | others, 0)


def allow_buckets(tables: Tables, memory: Memory) -> jax.Array:
    """The buckets that factors about no piece allow each atom, as bits: (A,) uint32."""
    allowed = jnp.full(tables.buckets.shape, ALL)
    if tables.sizes.common:
        found = read_entries(tables, tables.common.offset + weigh(tables.common.on_last, memory.last))
        allowed &= join_conditions(found, tables.common.others)
    if tables.sizes.by_bucket:
        factors = tables.by_bucket
        index = factors.offset + weigh(factors.on_last, memory.last)
        found = read_entries(tables, index[:, None] + weigh(factors.on_bin, memory.bins))
        own = np.uint32(1) << np.arange(tables.sizes.buckets, dtype=np.uint32)
        allowed &= join_conditions(any_of(found & own, 1), factors.others)
    return allowed


def allow_by_lists(tables: Tables, episode: Episode, left: jax.Array) -> jax.Array:
    """The pieces that each position list allows: in cells that it names, or first in one of its orders."""
    first = pack(first_by_rank(episode.ranks, unpack(left, tables.sizes.pieces)))
    return episode.listed | any_of(jnp.where(tables.list_orders[..., None], first, NONE), 1)


def trim(tables: Tables, episode: Episode, words: jax.Array) -> jax.Array:
    """Of the pieces that atoms with `postpos` accept somewhere, those that come first in its orders."""
    movable = any_of(any_of(words, 1) & ~tables.trim_others[..., None], 1)
    members = unpack(movable, tables.sizes.pieces)[:, None]
    first = pack(first_by_rank(episode.ranks, members))
    return any_of(jnp.where(tables.trim_orders[..., None], first, NONE), 1)


def first_by_rank(ranks: jax.Array, members: jax.Array) -> jax.Array:
    """Which members have the best rank of all members; ranks (orders, pieces), members (..., pieces)."""
    best = jnp.where(members, ranks, LAST_RANK).min(-1, keepdims=True)
    return members & (ranks == best)


def find_pieces(
    tables: Tables, factors: Factors, values: jax.Array, memory: Memory, per_bucket: bool = False
) -> jax.Array:
    """The pieces that each factor allows into each bucket: (F, buckets, words)."""
    index = (factors.offset + weigh(factors.on_last, memory.last))[:, None]
    index = (index + weigh(factors.on_piece, values) + weigh(factors.on_kin, memory.kin))[:, None]
    if per_bucket:
        index = index + weigh(factors.on_bin, memory.bins)[:, :, None]
    found = read_entries(tables, index)  # (F, buckets or 1, pieces)
    shifts = np.arange(tables.sizes.buckets, dtype=np.uint32)[:, None]
    return pack(found >> shifts & 1 != 0)


def read_entries(tables: Tables, index: jax.Array) -> jax.Array:
    return tables.entries.at[index].get(mode="promise_in_bounds")


def weigh(weights: jax.Array, values: jax.Array) -> jax.Array:
    """The sum of weight x value: (F, V) and (V, ...) make (F, ...)."""
    total = jnp.zeros((weights.shape[0], *values.shape[1:]), jnp.int32)
    for v in range(values.shape[0]):
        total = total + weights[:, v].reshape(-1, *[1] * (values.ndim - 1)) * values[v]
    return total
