"""What is behind everybody: the background, and the level in front of it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.platformer import hashing
from assay.envs.platformer.build_params import Params
from assay.envs.platformer.palettes import (
    BACKGROUND_COLORS,
    LAYOUT_COLORS,
    LAYOUT_COLORS_OF_KAGE,
)


def palette(colors: dict) -> np.ndarray:
    """(colours, 3) uint8."""
    return np.array(list(colors.values()), np.uint8)


def backdrop(params: Params, state: Any, scene: Any) -> jax.Array:
    """The background alone, (3, H, W) uint8."""
    shape, mode = (3, params.H, params.W), params.background.mode
    if mode == "black":
        return jnp.zeros(shape, jnp.uint8)
    if mode == "color":
        color = jnp.asarray(palette(BACKGROUND_COLORS))[scene.background]
        return jnp.broadcast_to(color[:, None, None], shape)
    if mode == "noise":
        return noise(scene.background, shape)
    return picture(params, state, scene.background)


def noise(seed: jax.Array, shape: tuple) -> jax.Array:
    """Even bytes: three of the four of each pixel's hash."""
    words = jnp.stack([seed.astype(jnp.uint32), hashing.mix_bits(seed.astype(jnp.uint32))])
    found = hashing.bits(words, shape[1:])
    return jnp.stack([found >> 24, found >> 16, found >> 8]).astype(jnp.uint8)


def picture(params: Params, state: Any, which: jax.Array) -> jax.Array:
    """One picture, scrolled by its share of the camera's way; beyond its end it repeats, or its edge does."""
    pictures = params.tables.pictures  # (n, 3, H, width + W): each is followed by its own beginning
    width = pictures.shape[-1] - params.W
    offset = jnp.round(state.camera_x * params.background.parallax_factor).astype(jnp.int32)
    rows = (1, 3, params.H)
    seen = jax.lax.dynamic_slice(pictures, (which, 0, 0, offset % width), (*rows, params.W))[0]
    edge = jax.lax.dynamic_slice(pictures, (which, 0, 0, width - 1), (*rows, 1))[0]
    within = jnp.arange(params.W) + offset < width
    return jnp.where(params.background.tile_horizontal | within, seen, edge)


def with_level(frame: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    """The frame with the ground and its walls."""
    colors = LAYOUT_COLORS_OF_KAGE if params.compat == "kage" else LAYOUT_COLORS
    color = jnp.asarray(palette(colors))[scene.ground_color]
    first, count = spans(params, state)
    small = jnp.uint8 if params.H <= 256 else jnp.uint16  # narrow numbers: more of them in a register
    rows = jnp.arange(params.H, dtype=small)[:, None]
    # One comparison for both ends of a span: below its first row the difference wraps round to a large one.
    solid = rows - first.astype(small) < count.astype(small)
    return jnp.where(solid, color[:, None, None], frame)


def spans(params: Params, state: Any) -> tuple[jax.Array, jax.Array]:
    """The first solid row of each column of the screen, and how many there are, (W,) each.

    Made for every run and then looked up: a lookup is kept by the compiler, while sums would be made again
    for every pixel of a column.
    """
    layout = params.layout
    top = state.tops.astype(jnp.int32)
    before = jnp.concatenate([top[:1], top[:-1]])
    end = top + layout.ground_thickness
    firsts = jnp.stack([top, jnp.minimum(top, before)], 1)  # of a run, and of its first column with the wall
    ends = jnp.stack([end, jnp.maximum(end, before)], 1)
    firsts, ends = (jnp.clip(each, 0, min(params.H, layout.height_px)) for each in (firsts, ends))
    column = jnp.arange(params.W) + jnp.round(state.camera_x).astype(jnp.int32)
    place = 2 * (column // layout.run_width) + (column % layout.run_width == 0)
    narrow = jnp.uint8 if params.H < 256 else jnp.uint16
    first, rows = (each.reshape(-1).astype(narrow)[place] for each in (firsts, ends - firsts))
    return first, rows
