"""The filters over a whole frame, each a function of float32 (3, H, W); order and formulas are KAGE-Env's.

The program contains a filter if the task's text names it, and then its strength is traced: at neutral it must
return its input, to the bit.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.platformer import hashing
from assay.envs.platformer.build_params import Params
from assay.envs.platformer.loops import settle, store

WHITE = 255.0
JUST_MISSED = 2.0**-9  # some ten times what a chain of filters errs by


def clip(v: jax.Array) -> jax.Array:
    return jnp.clip(v, 0.0, WHITE)


def as_bytes(v: jax.Array) -> jax.Array:
    """Cut to a byte's range, the fraction dropped; a whole number that rounding has just missed is reached.

    Many results are whole (a colour turned by a third of the circle). Programs that round otherwise on the
    way to them would else draw whole areas a grey level apart.
    """
    return (clip(v) + JUST_MISSED).astype(jnp.uint8)


def apply_filters(key: jax.Array, params: Params, frame: jax.Array) -> jax.Array:
    """The frame through the filters of this program, uint8 in and out."""
    named, strength = params.tables.filters, params.filters
    if not named and strength.pixelate_factor == 1:
        return frame
    v = frame.astype(jnp.float32)
    if "brightness" in named:
        v = adjust_brightness(v, strength.brightness)
    if "contrast" in named:
        v = adjust_contrast(v, strength.contrast)
    if "gamma" in named:
        v = adjust_gamma(v, strength.gamma)
    if "saturation" in named or "hue_shift" in named:
        v = recolor(v, strength.saturation, strength.hue_shift)
    if "color_temp" in named:
        v = adjust_temperature(v, strength.color_temp)
    if "color_jitter_std" in named:
        v = jitter_colors(key, v, strength.color_jitter_std)
    if "blur_sigma" in named:
        v = settle(params, lambda v: blur(v, strength.blur_sigma), v)
    if "sharpen_amount" in named:
        v = settle(params, lambda v: sharpen(v, strength.sharpen_amount), v)
    if strength.pixelate_factor > 1:
        v = pixelate(v, strength.pixelate_factor)
    if "gaussian_noise_std" in named:
        v = store(params, partial(add_gaussian_noise, key, v, strength.gaussian_noise_std), v)
    return store(params, partial(add_last_filters, key, params, v), frame)


def add_last_filters(key: jax.Array, params: Params, v: jax.Array) -> jax.Array:
    """The last filters and the way back to bytes."""
    named, strength = params.tables.filters, params.filters
    if "poisson_noise_scale" in named:
        v = add_poisson_noise(key, v, strength.poisson_noise_scale)
    if "vignette_strength" in named:
        v = add_vignette(v, strength.vignette_strength)
    if "radial_light_strength" in named:
        v = add_radial_light(v, strength.radial_light_strength, params.tables.light_in_the_middle)
    return as_bytes(v)


def adjust_brightness(v: jax.Array, b: Any) -> jax.Array:
    return clip(v + 100 * b)


def adjust_contrast(v: jax.Array, c: Any) -> jax.Array:
    # At neutral as it was: after brightness v may have a fraction, and the way to 128 and back rounds it.
    return jnp.where(c == 1, v, clip((v - 128) * c + 128))


def adjust_gamma(v: jax.Array, g: Any) -> jax.Array:
    raised = WHITE * jnp.exp(g * jnp.log(v * np.float32(1 / WHITE)))  # log(0) is -inf, and its exp is 0
    return jnp.where(g == 1, v, raised)


# A channel is lowest in the half of the circle away from it and rises in the sixths between: its share of
# the chroma is sign * |hue - middle| + offset, cut to 0 and 1.
RISES = ((1, 3, -1), (-1, 2, 2), (-1, 4, 2))
SIGN, MIDDLE, OFFSET = (np.array(row, np.float32)[:, None, None] for row in zip(*RISES))


def recolor(v: jax.Array, saturation: Any, turn: Any) -> jax.Array:
    """Through hue, saturation and value, where either of the two asks for it."""
    # One expression for the three channels: a stack of three would be computed pixel by pixel on CPUs.
    turned = raise_channel(*split_color(v[0], v[1], v[2], saturation, turn), SIGN, MIDDLE, OFFSET)
    return jnp.where((saturation == 1) & (turn == 0), v, turned)


def recolor_channels(
    red: jax.Array, green: jax.Array, blue: jax.Array, saturation: Any, turn: Any
) -> tuple[jax.Array, ...]:
    parts = split_color(red, green, blue, saturation, turn)
    return tuple(raise_channel(*parts, *rise) for rise in RISES)


def split_color(
    red: jax.Array, green: jax.Array, blue: jax.Array, saturation: Any, turn: Any
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The new hue in sixths of the circle, the new chroma, and the lowest channel."""
    most = jnp.maximum(jnp.maximum(red, green), blue)
    spread = most - jnp.minimum(jnp.minimum(red, green), blue)
    # The hue in sixths of the circle, from 0 up to 6. Of equal channels the last one settles it.
    way = jnp.where(red == most, green - blue, 0.0)
    way = jnp.where(way < 0, way + 6 * spread, way)
    way = jnp.where(green == most, blue - red + 2 * spread, way)
    way = jnp.where(blue == most, red - green + 4 * spread, way)
    # Where all are equal the way is 0, by whatever it is divided.
    hue = way / jnp.where(spread == 0, 1.0, spread) + turn * np.float32(1 / 60)
    hue = hue - 6 * jnp.floor(hue * np.float32(1 / 6))
    chroma = jnp.minimum(spread * saturation, most)  # the saturation is at most 1
    return hue, chroma, most - chroma


def raise_channel(
    hue: jax.Array, chroma: jax.Array, low: jax.Array, sign: Any, middle: Any, offset: Any
) -> jax.Array:
    return clip(low + chroma * jnp.clip(sign * jnp.abs(hue - middle) + offset, 0, 1))


def adjust_temperature(v: jax.Array, k: Any) -> jax.Array:
    warm, cool = jnp.maximum(k, 0), jnp.maximum(-k, 0)
    red = 30 * warm - 15 * cool
    return clip(v + jnp.stack([red, jnp.zeros_like(red), 30 * cool - 15 * warm])[:, None, None])


def jitter_matrix(key: jax.Array, spread: Any) -> jax.Array:
    draws = hashing.to_normal(
        hashing.hash_uniform(hashing.draw_seeds(key, "filters.color_jitter_std"), (3, 3))
    )
    rows = jnp.eye(3) + spread * draws
    return rows / jnp.abs(rows).sum(1, keepdims=True)


def jitter_colors(key: jax.Array, v: jax.Array, spread: Any) -> jax.Array:
    """Channels mixed by a random matrix, near to none where the spread is small."""
    rows = jitter_matrix(key, spread)
    red, green, blue = (rows[:, channel, None, None] * v[channel] for channel in range(3))
    return clip(red + green + blue)


def mean_of_neighbours(v: jax.Array) -> jax.Array:
    """The mean of each pixel's 3 x 3 neighbourhood; beyond the edge the edge goes on."""
    rows = v + jnp.concatenate([v[:, :1], v[:, :-1]], 1) + jnp.concatenate([v[:, 1:], v[:, -1:]], 1)
    both = jnp.concatenate([rows[:, :, :1], rows[:, :, :-1]], 2)
    both = both + rows + jnp.concatenate([rows[:, :, 1:], rows[:, :, -1:]], 2)
    return both * np.float32(1 / 9)


def blur(v: jax.Array, sigma: Any) -> jax.Array:
    share = jnp.clip(sigma / 2.5, 0, 1)
    return v * (1 - share) + mean_of_neighbours(v) * share


def sharpen(v: jax.Array, amount: Any) -> jax.Array:
    return clip(v + amount * (v - blur(v, 1.0)))


def pixelate(v: jax.Array, factor: int) -> jax.Array:
    """Squares of one colour, that of the pixel in the middle."""
    rows, columns = (sample_line(length, factor) for length in v.shape[1:])
    if v.shape[1] % factor or v.shape[2] % factor:
        return v[:, rows][:, :, columns]
    # Whole squares are spread without looking pixels up one by one.
    small = v[:, rows[0] :: factor, columns[0] :: factor]
    squares = jnp.broadcast_to(small[:, :, None, :, None], (*small.shape[:2], factor, small.shape[2], factor))
    return squares.reshape(v.shape)


def sample_line(length: int, factor: int) -> np.ndarray:
    """Where each pixel of a line comes from: down to the shorter line and back, by the nearest middle."""
    short = max(1, length // factor)
    down = ((np.arange(short) + 0.5) * length / short).astype(int)
    return down[((np.arange(length) + 0.5) * short / length).astype(int)]


def add_gaussian_noise(key: jax.Array, v: jax.Array, spread: Any) -> jax.Array:
    share = hashing.hash_uniform(hashing.draw_seeds(key, "filters.gaussian_noise_std"), v.shape)
    return clip(v + spread * hashing.to_normal(share))


def add_poisson_noise(key: jax.Array, v: jax.Array, scale: Any) -> jax.Array:
    share = hashing.hash_uniform(hashing.draw_seeds(key, "filters.poisson_noise_scale"), v.shape)
    by = jnp.where(scale > 0, scale, 1.0)
    return jnp.where(scale > 0, clip(hashing.to_poisson(share, by * v) / by), v)


def distance_from_middle(height: int, width: int) -> np.ndarray:
    """Distance of each pixel from the middle, as a share of a corner's."""
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    far = np.sqrt((height / 2) ** 2 + (width / 2) ** 2)
    return (np.sqrt((rows - height / 2) ** 2 + (columns - width / 2) ** 2) / far).astype(np.float32)


def add_vignette(v: jax.Array, strength: Any) -> jax.Array:
    return v * jnp.clip(1 - strength * distance_from_middle(*v.shape[1:]) ** 2, 0, 1)


def add_radial_light(v: jax.Array, strength: Any, color: jax.Array) -> jax.Array:
    light = np.clip(1 - distance_from_middle(*v.shape[1:]) ** np.float32(1.5), 0, 1)
    return clip(v + strength * light * color[:, None, None])
