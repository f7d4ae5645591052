"""Noise as a hash of a seed and a pixel's number: cheap, and the same however frames are batched.

`jax.random` makes good bits slowly: a frame of its normals takes a CPU over a millisecond. Pixels need less.
The seed is drawn by `jax.random` from the noise's own stream; the hash spreads it over the frame.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.keys import stream

GOLDEN = np.uint32(0x9E3779B9)  # keeps neighbouring pixels apart before they are mixed


def mixed(x: jax.Array) -> jax.Array:
    """A bijection of 32 bits in which every bit of the input moves every bit of the output."""
    x = (x ^ (x >> 16)) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
    return x ^ (x >> 16)


def seeds(key: jax.Array, name: str) -> jax.Array:
    """The two words, (2,) uint32, from which one noise of one frame is made."""
    return jax.random.bits(stream(key, name), (2,), jnp.uint32)


def bits(words: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """uint32 of this shape; two rounds, each keyed by a word of its own."""
    count = int(np.prod(shape))
    numbers = (np.arange(count, dtype=np.uint32) * GOLDEN).reshape(shape)
    return mixed(mixed(numbers ^ words[0]) + words[1])


def uniform(words: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """float32 strictly between 0 and 1, in steps of 2**-24."""
    return ((bits(words, shape) >> 8).astype(jnp.float32) + 0.5) * np.float32(2**-24)


def normal_of(share: jax.Array) -> jax.Array:
    """The standard normal number below which this share of all lie."""
    return np.float32(np.sqrt(2)) * jax.lax.erf_inv(2 * share - 1)


def poisson_of(share: jax.Array, mean: jax.Array) -> jax.Array:
    """The whole number, as float32, below or at which this share of Poisson numbers of this mean lie.

    Small means are summed up term by term; for the others the normal number is corrected for skew and
    kurtosis and rounded down, which misplaces less than a thousandth of the draws.
    """
    z = normal_of(share)
    root = jnp.sqrt(jnp.maximum(mean, 1e-6))
    large = mean + root * z + (1 / 3 + z * z / 6) - (z / 36 + z * z * z / 72) / root
    return jnp.where(mean < SMALL_MEAN, summed_up(share, jnp.minimum(mean, SMALL_MEAN)), jnp.floor(large))


SMALL_MEAN = 8.0
TERMS = 26  # of a Poisson of mean 8; beyond them lies less than 2**-22


def summed_up(share: jax.Array, mean: jax.Array) -> jax.Array:
    term = below = jnp.exp(-mean)
    count = jnp.zeros_like(mean)
    for number in range(1, TERMS):
        count = count + (share > below)
        term = term * (mean * np.float32(1 / number))
        below = below + term
    return count
