"""Draws the background and the level, which is in front of it; all characters come later."""

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


def color_array(colors: dict) -> np.ndarray:
    """(colours, 3) uint8."""
    return np.array(list(colors.values()), np.uint8)


def draw_background(params: Params, state: Any, scene: Any) -> jax.Array:
    """The background alone, (3, H, W) uint8."""
    shape, mode = (3, params.H, params.W), params.background.mode
    if mode == "black":
        return jnp.zeros(shape, jnp.uint8)
    if mode == "color":
        color = jnp.asarray(color_array(BACKGROUND_COLORS))[scene.background]
        return jnp.broadcast_to(color[:, None, None], shape)
    if mode == "noise":
        return draw_noise(scene.background, shape)
    return draw_picture(params, state, scene.background)


def draw_noise(seed: jax.Array, shape: tuple) -> jax.Array:
    """Uniform noise, (3, H, W) uint8: three of the four bytes of each pixel's hash."""
    words = jnp.stack([seed.astype(jnp.uint32), hashing.mix_bits(seed.astype(jnp.uint32))])
    bits = hashing.hash_bits(words, shape[1:])
    return jnp.stack([bits >> 24, bits >> 16, bits >> 8]).astype(jnp.uint8)


def draw_picture(params: Params, state: Any, which: jax.Array) -> jax.Array:
    """One picture, scrolled by a share of the camera's way; beyond its end it or its last column repeats."""
    pictures = params.tables.pictures  # (n, 3, H, width + W): each is followed by its own beginning
    width = pictures.shape[-1] - params.W
    offset = jnp.round(state.camera_x * params.background.parallax_factor).astype(jnp.int32)
    rows = (1, 3, params.H)
    window = jax.lax.dynamic_slice(pictures, (which, 0, 0, offset % width), (*rows, params.W))[0]
    edge = jax.lax.dynamic_slice(pictures, (which, 0, 0, width - 1), (*rows, 1))[0]
    within = jnp.arange(params.W) + offset < width
    return jnp.where(params.background.tile_horizontal | within, window, edge)


def draw_level(frame: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    """The frame with the ground and its walls."""
    colors = LAYOUT_COLORS_OF_KAGE if params.compat == "kage" else LAYOUT_COLORS
    color = jnp.asarray(color_array(colors))[scene.ground_color]
    first, count = find_solid_spans(params, state)
    small = jnp.uint8 if params.H <= 256 else jnp.uint16  # narrow numbers: more of them in a register
    rows = jnp.arange(params.H, dtype=small)[:, None]
    # One comparison for both ends of a span: below its first row the difference wraps round to a large one.
    solid = rows - first.astype(small) < count.astype(small)
    return jnp.where(solid, color[:, None, None], frame)


def find_solid_spans(params: Params, state: Any) -> tuple[jax.Array, jax.Array]:
    """The first solid row of each column of the screen, and how many there are, (W,) each.

    They are computed for each run and then looked up: the compiler keeps a lookup, while it would repeat sums
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
    entry = 2 * (column // layout.run_width) + (column % layout.run_width == 0)
    narrow = jnp.uint8 if params.H < 256 else jnp.uint16
    first, rows = (each.reshape(-1).astype(narrow)[entry] for each in (firsts, ends - firsts))
    return first, rows
