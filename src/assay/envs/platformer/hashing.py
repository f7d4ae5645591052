"""Noise as a hash of a seed and a pixel's number: cheap, and the same however frames are batched.

`jax.random` makes good bits slowly: a frame of its normal numbers takes over a millisecond on a CPU, and
pixels need no such quality.
The seed is drawn by `jax.random` from the noise's own stream; the hash spreads it over the frame.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.keys import stream

GOLDEN = np.uint32(0x9E3779B9)  # keeps neighbouring pixels apart before they are mixed


def mix_bits(x: jax.Array) -> jax.Array:
    """A bijection of 32 bits in which every bit of the input moves every bit of the output."""
    x = (x ^ (x >> 16)) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
    return x ^ (x >> 16)


def draw_seeds(key: jax.Array, name: str) -> jax.Array:
    """The two words, (2,) uint32, from which one noise of one frame is made."""
    return jax.random.bits(stream(key, name), (2,), jnp.uint32)


def hash_bits(words: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """uint32 of this shape; two rounds, each keyed by a word of its own."""
    count = int(np.prod(shape))
    numbers: Any = (np.arange(count, dtype=np.uint32) * GOLDEN).reshape(shape)
    return mix_bits(mix_bits(numbers ^ words[0]) + words[1])


def hash_uniform(words: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """float32 strictly between 0 and 1, in steps of 2**-23."""
    return to_share(hash_bits(words, shape))


def to_share(bits: jax.Array) -> jax.Array:
    """23 of 32 bits: with one more, half a step above the largest rounds to 1, whose normal is infinite."""
    return ((bits >> 9).astype(jnp.float32) + 0.5) * np.float32(2**-23)


# Polynomials for the inverse of the error function in single precision, after M. Giles (2010), highest
# power first; the first row for the middle, the second for the tails.
MIDDLE = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
          -0.00417768164, 0.246640727, 1.50140941)  # fmt: skip
TAILS = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
         0.00943887047, 1.00167406, 2.83297682)  # fmt: skip


def to_normal(share: jax.Array) -> jax.Array:
    """The standard normal number below which this share of all lie; shares as `uniform` gives them."""
    depth = -jnp.log(4 * share * (1 - share))
    middle = depth < 5
    at = jnp.where(middle, depth - 2.5, jnp.sqrt(depth) - 3)
    value = jnp.where(middle, MIDDLE[0], TAILS[0])
    for in_middle, in_tails in zip(MIDDLE[1:], TAILS[1:]):
        value = value * at + jnp.where(middle, np.float32(in_middle), np.float32(in_tails))
    return np.float32(np.sqrt(2)) * value * (2 * share - 1)


SMALL_MEAN = 4.0
TERMS = 17  # of a Poisson of mean 4; beyond them lies less than one draw in a hundred thousand


def to_poisson(share: jax.Array, mean: jax.Array) -> jax.Array:
    """The whole number, as float32, at or below which this share of Poisson numbers of this mean lie.

    Small means are summed up term by term. For the others the normal number is corrected for skew and
    kurtosis (the expansion of Cornish and Fisher) and rounded down: that misplaces two draws in a thousand
    at mean 4 and fewer above, by one.
    """
    z = to_normal(share)
    by = jnp.maximum(mean, SMALL_MEAN)
    root = jnp.sqrt(by)
    z2 = z * z
    large = by + root * z + (1 / 3 + z2 / 6) - z * (1 / 36 + z2 / 72) / root
    large = large + (z2 * (7 / 810 + z2 / 270) - 8 / 405) / by
    large = jnp.maximum(jnp.floor(large), 0.0)
    return jnp.where(mean < SMALL_MEAN, to_small_poisson(share, jnp.minimum(mean, SMALL_MEAN)), large)


def to_small_poisson(share: jax.Array, mean: jax.Array) -> jax.Array:
    term = below = jnp.exp(-mean)
    count = jnp.zeros(mean.shape, jnp.int32)
    for number in range(1, TERMS):
        count = count + (share > below)
        term = term * (mean * np.float32(1 / number))
        below = below + term
    return count.astype(jnp.float32)
