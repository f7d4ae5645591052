"""Noise inside the GPU kernel: the numbers of `hashing.py`, by instructions of which a card makes many.

A card converts, divides and takes logarithms at an eighth of the pace at which it multiplies and adds, and
noise is half of the work of a frame with all filters on. So shares are put together from bits, divisions by
constants are products, and roots and logarithms are the card's own, good to some 22 bits.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.platformer import filters, hashing
from assay.envs.platformer.build_params import Params
from assay.envs.platformer.gpu.numbers import Values, cut_fraction, exponentiate, invert_root, log_of, root_of
from assay.envs.platformer.gpu.tiles import Facts, Sight

ONE = np.uint32(0x3F800000)  # the bits of 1.0
HALF_STEP = np.float32(2**-24)
FEW_TERMS = 9  # of a Poisson; most tiles need no more

Noise = Callable[[Sight, Values], Values]
AddNoise = Callable[[Sight, jax.Array, jax.Array], jax.Array]  # to a value, from its share


def gaussian_noise(facts: Facts, key: jax.Array, params: Params) -> Noise:
    spread = facts.add_floats(params.filters.gaussian_noise_std)

    def add(sight: Sight, value: jax.Array, share: jax.Array) -> jax.Array:
        return filters.clip(value + sight.floats[spread] * to_normal(sight, share))

    return noise_by(facts, key, params, "gaussian_noise_std", add)


def poisson_noise(facts: Facts, key: jax.Array, params: Params) -> Noise:
    scale = params.filters.poisson_noise_scale
    by = jnp.where(scale > 0, scale, 1.0)
    place = facts.add_floats(scale, by, 1 / by)

    def add(sight: Sight, value: jax.Array, share: jax.Array) -> jax.Array:
        scale, by, over = (sight.floats[place + i] for i in range(3))
        noisy = filters.clip(to_poisson(sight, share, by * value) * over)
        return jnp.where(scale > 0, noisy, value)

    return noise_by(facts, key, params, "poisson_noise_scale", add)


def noise_by(facts: Facts, key: jax.Array, params: Params, name: str, add: AddNoise) -> Noise:
    """Noise from a hash of the frame's seed and the number of the byte."""
    words = hashing.draw_seeds(key, f"filters.{name}")
    seeds = facts.add_ints(jax.lax.bitcast_convert_type(words, jnp.int32))
    height, width = params.H, params.W

    def apply(sight: Sight, v: Values) -> Values:
        first, second = (sight.ints[seeds + i].astype(jnp.uint32) for i in range(2))
        noisy = []
        for channel, pixels in enumerate(v):
            row = []
            for pixel, value in enumerate(pixels):
                number = ((channel * height + sight.rows) * width + sight.columns(pixel)).astype(jnp.uint32)
                bits = hashing.mix_bits(hashing.mix_bits(number * hashing.GOLDEN ^ first) + second)
                row.append(add(sight, value, to_share(bits)))
            noisy.append(row)
        return noisy

    return apply


def to_share(bits: jax.Array) -> jax.Array:
    """As `hashing.to_share`, bit for bit: the bits are the fraction of a number from 1 to 2."""
    above_one: jax.Array = jax.lax.bitcast_convert_type(bits >> 9 | ONE, jnp.float32)
    return above_one - 1 + HALF_STEP


def to_normal(sight: Sight, share: jax.Array) -> jax.Array:
    """As `hashing.to_normal`."""
    depth = -log_of(sight, 4 * share * (1 - share))
    middle = depth < 5
    at = jnp.where(middle, depth - 2.5, root_of(sight, depth) - 3)
    value = jnp.where(middle, hashing.MIDDLE[0], hashing.TAILS[0])
    for in_middle, in_tails in zip(hashing.MIDDLE[1:], hashing.TAILS[1:]):
        value = value * at + jnp.where(middle, np.float32(in_middle), np.float32(in_tails))
    return np.float32(np.sqrt(2)) * value * (2 * share - 1)


def to_poisson(sight: Sight, share: jax.Array, mean: jax.Array) -> jax.Array:
    """As `hashing.to_poisson`."""
    z = to_normal(sight, share)
    by = jnp.maximum(mean, hashing.SMALL_MEAN)
    over_root = invert_root(sight, by)
    z2 = z * z
    large = by + by * over_root * z + (np.float32(1 / 3) + z2 * np.float32(1 / 6))
    large = large - z * (np.float32(1 / 36) + z2 * np.float32(1 / 72)) * over_root
    fourth = z2 * (np.float32(7 / 810) + z2 * np.float32(1 / 270)) - np.float32(8 / 405)
    large = cut_fraction(sight, jnp.maximum(large + fourth * (over_root * over_root), 0.0))
    is_small = mean < hashing.SMALL_MEAN

    def put_small(large: jax.Array) -> jax.Array:
        return jnp.where(is_small, to_small_poisson(sight, share, mean, is_small), large)

    # Bright tiles have no pixel that must be summed up term by term.
    every: jax.Array = jax.lax.cond(mean.min() < hashing.SMALL_MEAN, put_small, lambda large: large, large)
    return every


def to_small_poisson(sight: Sight, share: jax.Array, mean: jax.Array, is_small: jax.Array) -> jax.Array:
    """As `hashing.to_small_poisson`; the last terms only where a tile has a number that needs them."""
    mean = jnp.minimum(mean, hashing.SMALL_MEAN)
    term = exponentiate(sight, -mean)
    sums = add_terms(share, mean, (jnp.zeros(sight.shape, jnp.float32), term, term), 1, FEW_TERMS)

    def add_rest(sums: tuple) -> tuple:
        return add_terms(share, mean, sums, FEW_TERMS, hashing.TERMS)

    _, below, _ = sums
    needs_more = jnp.where(is_small, share - below, 0.0).max() > 0
    count: jax.Array = jax.lax.cond(needs_more, add_rest, lambda sums: sums, sums)[0]
    return count


def add_terms(share: jax.Array, mean: jax.Array, sums: tuple, first: int, end: int) -> tuple:
    """Count, sum and term of a Poisson after the terms from `first` on."""
    count, below, term = sums
    for number in range(first, end):
        count = count + jnp.where(share > below, 1.0, 0.0)
        term = term * (mean * np.float32(1 / number))
        below = below + term
    return count, below, term
