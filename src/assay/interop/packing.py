"""Many small arrays as one row of int32 words: an array into or out of a compiled call costs about two
microseconds, which is more than most of our envs need for a step.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.space import Box, Discrete, Space

LARGE = 64  # entries; a larger array is passed by itself, since copying it costs more than the call


def pack(tree: Any) -> tuple[jax.Array, tuple]:
    """A pytree as one row of words, and its large leaves apart."""
    leaves = jax.tree.leaves(tree)
    small = [as_words(leaf) for leaf in leaves if leaf.size <= LARGE]
    large = tuple(leaf for leaf in leaves if leaf.size > LARGE)
    return jnp.concatenate([jnp.zeros(0, jnp.int32), *small]), large


def unpack(row: jax.Array, large: tuple, like: Any) -> Any:
    """The pytree that `pack` made into this; `like` has its structure, shapes and dtypes."""
    leaves, apart, at = [], iter(large), 0
    for shape in jax.tree.leaves(like):
        if shape.size > LARGE:
            leaves.append(next(apart))
        else:
            leaves.append(from_words(row[at : at + shape.size], shape))
            at += shape.size
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


def as_words(leaf: jax.Array) -> jax.Array:
    """32-bit numbers by their bits, smaller ones by their value."""
    by_bits = leaf.dtype in (jnp.float32, jnp.uint32)
    return (jax.lax.bitcast_convert_type(leaf, jnp.int32) if by_bits else leaf.astype(jnp.int32)).reshape(-1)


def from_words(words: jax.Array, shape: Any) -> jax.Array:
    by_bits = shape.dtype in (jnp.float32, jnp.uint32)
    values = jax.lax.bitcast_convert_type(words, shape.dtype) if by_bits else words.astype(shape.dtype)
    return values.reshape(shape.shape)


def words_of(space: Space) -> int:
    """How many words of a row a value of this space takes."""
    size = math.prod(space.shape)
    return size if size <= LARGE else 0


def one_value(words: np.ndarray, space: Space) -> Any:
    """A value as Gymnasium has it, from its words: an int64 where it is one number, else an array."""
    if isinstance(space, Discrete) and not space.shape:
        return np.int64(words[0])
    return values(words, space, ())


def values(words: np.ndarray, space: Space, lanes: tuple[int, ...]) -> np.ndarray:
    """Values of all lanes as Gymnasium has them, (*lanes, ...), from their words, (words, *lanes)."""
    if space.dtype == "float32":
        words = words.view(np.float32)
    return as_outside(words.T.reshape(*lanes, *space.shape), space)


def as_outside(values: Any, space: Space) -> np.ndarray:
    """A copy in the dtype of the Gymnasium space: int64 for the whole numbers of a Discrete."""
    return np.array(values, space.dtype if isinstance(space, Box) else np.int64)


class Reader:
    """Reads the values of the first lanes that a compiled call packed, one after the other, in order."""

    def __init__(self, packed: tuple, lanes: int):
        row, large = packed
        self._row, self._large, self._lanes, self._at = np.asarray(row)[:, :lanes], list(large), lanes, 0

    def words(self, count: int) -> np.ndarray:
        self._at += count
        return self._row[self._at - count : self._at]

    def floats(self) -> np.ndarray:
        """One float32 per lane, as the float64 of Gymnasium's rewards."""
        return self.words(1)[0].view(np.float32).astype(np.float64)

    def flags(self) -> np.ndarray:
        return self.words(1)[0].astype(bool)

    def value(self, space: Space) -> np.ndarray:
        size = words_of(space)
        if not size:
            return as_outside(np.asarray(self._large.pop(0))[: self._lanes], space)
        return values(self.words(size), space, (self._lanes,))
