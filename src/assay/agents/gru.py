"""A gated recurrent unit (Cho et al. 2014), as PyTorch writes it: the reset gate acts on a product."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core.keys import stream


class Gru(NamedTuple):
    """The three parts lie side by side in the last axis: reset gate, update gate, candidate."""

    of_input: Any  # (in, 3 * width)
    of_memory: Any  # (width, 3 * width)
    bias_of_input: Any  # (3 * width,)
    bias_of_memory: Any  # (3 * width,)


def first_gru(key: jax.Array, into: int, width: int) -> Gru:
    """A unit before any training: orthogonal products part by part, without bias."""
    part = jax.nn.initializers.orthogonal()

    def parts(name: str, rows: int) -> jax.Array:
        keys = jax.random.split(stream(key, f"gru {name}"), 3)
        return jnp.concatenate([part(each, (rows, width)) for each in keys], -1)

    nothing = jnp.zeros(3 * width)
    return Gru(parts("input", into), parts("memory", width), nothing, nothing)


def width_of(unit: Gru) -> int:
    return int(unit.of_memory.shape[-2])


def remember(unit: Gru, memory: jax.Array, x: jax.Array) -> jax.Array:
    """The memory after an input, (..., width)."""
    return gate(unit, memory, x @ unit.of_input + unit.bias_of_input)


def gate(unit: Gru, memory: jax.Array, products: jax.Array) -> jax.Array:
    """The same where the products of the input, (..., 3 * width), are made already."""
    reset, keep, new = jnp.split(products, 3, -1)
    old_reset, old_keep, old_new = jnp.split(memory @ unit.of_memory + unit.bias_of_memory, 3, -1)
    kept = jax.nn.sigmoid(keep + old_keep)
    candidate = jnp.tanh(new + jax.nn.sigmoid(reset + old_reset) * old_new)
    return (1 - kept) * candidate + kept * memory


def remember_all(unit: Gru, memory: jax.Array, rows: jax.Array, begins: jax.Array) -> jax.Array:
    """The memories after each of some rows, (steps, lanes, ...); none is kept where an episode begins.

    Products of the inputs do not wait for one another, so they are made at once.
    """

    def step(memory: jax.Array, row: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        products, begins = row
        memory = gate(unit, jnp.where(begins[:, None], 0.0, memory), products)
        return memory, memory

    return jax.lax.scan(step, memory, (rows @ unit.of_input + unit.bias_of_input, begins))[1]
