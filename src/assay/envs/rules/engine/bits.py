"""Sets as words of 32 bits: of pieces, along a last axis of words, and of small numbers.

Reductions are XLA's own. Written out as sums of slices they would be fused into whatever reads them, and
computed anew for every atom and bucket; a reduction is computed once.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.rules.engine.sizes import words_of

NONE = np.uint32(0)
ALL = np.uint32(0xFFFFFFFF)


def pack(members: jax.Array) -> jax.Array:
    """(..., pieces) bool as (..., words) uint32."""
    count = members.shape[-1]
    bits = jnp.where(members, np.uint32(1) << np.arange(count, dtype=np.uint32) % 32, NONE)
    return jnp.stack([any_of(bits[..., at : at + 32], -1) for at in range(0, count, 32)], -1)


def unpack(words: jax.Array, count: int) -> jax.Array:
    """(..., words) uint32 as (..., count) bool."""
    shifts = np.arange(count, dtype=np.uint32) % 32
    repeated = jnp.repeat(words, 32, -1)[..., :count] if words.shape[-1] > 1 else words
    return repeated >> shifts & 1 != 0


def single(index: jax.Array, words: int) -> jax.Array:
    """The set of one piece, (words,); empty if the index is out of range."""
    bit = jnp.uint32(1) << (index & 31).astype(jnp.uint32)
    return jnp.where(np.arange(words) == index >> 5, bit, NONE)


def holds(sets: jax.Array, values: jax.Array) -> jax.Array:
    """Whether each set, (sets, words) uint32, has each value, (values,) int32: (sets, values) bool."""
    word, bit = values >> 5, (values & 31).astype(jnp.uint32)
    chosen = sets[:, :1]
    for w in range(1, sets.shape[1]):
        chosen = jnp.where(word == w, sets[:, w, None], chosen)
    return chosen >> bit & 1 != 0


def total(values: jax.Array, axis: int) -> jax.Array:
    """The sum along an axis, of the type of the values."""
    return values.sum(axis, dtype=values.dtype)


def any_of(words: jax.Array, *axes: int) -> jax.Array:
    """The union along axes."""
    return jax.lax.reduce(words, NONE, jax.lax.bitwise_or, [axis % words.ndim for axis in axes])


def all_of(words: jax.Array, axis: int) -> jax.Array:
    """The intersection along an axis."""
    return jax.lax.reduce(words, ALL, jax.lax.bitwise_and, [axis % words.ndim])


def bit_sets(sets: list[set[int]], count: int) -> list[list[int]]:
    """Sets of numbers from 0 to count - 1 as rows of words, for tables that are made before any jax runs."""
    return [
        [sum(1 << n - at for n in each if at <= n < at + 32) for at in range(0, 32 * words_of(count), 32)]
        for each in sets
    ]
