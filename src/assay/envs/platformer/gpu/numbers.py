"""Bytes and floats inside the GPU kernel, by the card's own instructions where they are there.

A pixel's value is `v[channel][pixel]`, float32 (rows, words): the pixels of a word side by side.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer import filters
from assay.envs.platformer.gpu.tiles import PIXELS, Sight, Words, join_pixels, take_pixel

Values = list[list[jax.Array]]  # by channel and pixel


def to_values(sight: Sight, words: Words) -> Values:
    return [pixels_of(sight, word) for word in words]


def pixels_of(sight: Sight, word: jax.Array) -> list[jax.Array]:
    """The bytes of a word as floats."""
    if not sight.fast:
        return [take_pixel(word, pixel).astype(jnp.float32) for pixel in range(sight.pixels)]
    # As the lowest byte of 2^23 it is a float already; the card has few units that convert.
    text = "{{ .reg .b32 t; prmt.b32 t, $1, 0x4B000000, 0x744{}; sub.f32 $0, t, 0f4B000000; }}"
    return [quick(text.format(pixel), "=f,r", [word], jnp.float32) for pixel in range(sight.pixels)]


def to_words(sight: Sight, v: Values) -> Words:
    """As `filters.as_bytes`."""
    red, green, blue = (word_of(sight, channel) for channel in v)
    return red, green, blue


def word_of(sight: Sight, pixels: list[jax.Array]) -> jax.Array:
    whole = [filters.clip(pixel) + filters.JUST_MISSED for pixel in pixels]
    if not sight.fast:
        return join_pixels([pixel.astype(jnp.int32) for pixel in whole])
    if sight.pixels == 1:
        text = "{ .reg .b32 t; add.rz.f32 t, $1, 0f4B000000; and.b32 $0, t, 255; }"
        return quick(text, "=r,f", whole, jnp.int32).astype(jnp.uint32)
    # Added to 2^23 and rounded towards zero, the whole part stands in the lowest byte.
    added = "".join(f"add.rz.f32 t{i}, ${i + 1}, 0f4B000000;" for i in range(PIXELS))
    joined = "prmt.b32 t0, t0, t1, 0x0040; prmt.b32 t2, t2, t3, 0x0040; prmt.b32 $0, t0, t2, 0x5410;"
    text = "{ .reg .b32 t0, t1, t2, t3; " + added + joined + " }"
    return quick(text, "=r,f,f,f,f", whole, jnp.int32).astype(jnp.uint32)


def add_cut(sight: Sight, value: jax.Array, more: float) -> jax.Array:
    """The sum, cut to 0 and 1, which costs a card nothing."""
    if not sight.fast:
        return jnp.clip(value + more, 0, 1)
    return quick(f"add.sat.f32 $0, $1, 0f{as_hex(more)};", "=f,f", [value], jnp.float32)


def as_hex(number: float) -> str:
    """The bits of a float32, as the card's assembler writes them."""
    return f"{np.float32(number).view(np.uint32):08X}"


def raise_to(sight: Sight, base: jax.Array, exponent: Any) -> jax.Array:
    """A power of a number that is not negative."""
    if not sight.fast:
        return jnp.exp(exponent * jnp.log(base))
    return quick_float("ex2.approx.ftz.f32", exponent * quick_float("lg2.approx.ftz.f32", base))


def invert(sight: Sight, value: jax.Array) -> jax.Array:
    return quick_float("rcp.approx.ftz.f32", value) if sight.fast else 1 / value


def invert_root(sight: Sight, value: jax.Array) -> jax.Array:
    return quick_float("rsqrt.approx.ftz.f32", value) if sight.fast else 1 / jnp.sqrt(value)


def root_of(sight: Sight, value: jax.Array) -> jax.Array:
    return quick_float("sqrt.approx.ftz.f32", value) if sight.fast else jnp.sqrt(value)


def log_of(sight: Sight, value: jax.Array) -> jax.Array:
    if not sight.fast:
        return jnp.log(value)
    return quick_float("lg2.approx.ftz.f32", value) * np.float32(np.log(2))


def exponentiate(sight: Sight, value: jax.Array) -> jax.Array:
    if not sight.fast:
        return jnp.exp(value)
    return quick_float("ex2.approx.ftz.f32", value * np.float32(1 / np.log(2)))


def cut_fraction(sight: Sight, value: jax.Array) -> jax.Array:
    """The whole part of a number from 0 up to 2^22."""
    if not sight.fast:
        return jnp.floor(value)
    text = "{ .reg .f32 t; add.rz.f32 t, $1, 0f4B000000; sub.f32 $0, t, 0f4B000000; }"
    return quick(text, "=f,f", [value], jnp.float32)


def quick_float(instruction: str, value: jax.Array) -> jax.Array:
    return quick(f"{instruction} $0, $1;", "=f,f", [value], jnp.float32)


def quick(text: str, constraints: str, values: list[jax.Array], kind: Any) -> jax.Array:
    """Instructions of the card itself on every element; $0 is the result."""
    result: jax.Array = plgpu.elementwise_inline_asm(
        text, args=values, constraints=constraints, pack=1,
        result_shape_dtypes=[jax.ShapeDtypeStruct(values[0].shape, kind)],
    )[0]  # fmt: skip
    return result
