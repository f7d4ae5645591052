"""Puts patches onto a frame; only the area of the patch is read and written.

A frame is planar: (3, H, W) uint8. A patch may reach beyond the frame; then the window that is written is
moved inside it, and the patch is read from where the window now lies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class Window(NamedTuple):
    """The part of a frame that a patch may cover."""

    top: Any  # () int32, row of the frame
    left: Any  # () int32
    height: int
    width: int


def find_window(frame: jax.Array, top: jax.Array, left: jax.Array, height: int, width: int) -> Window:
    """The window of a patch whose first row and column are these, which may lie outside the frame."""
    rows, columns = frame.shape[1:]
    height, width = min(height, rows), min(width, columns)
    return Window(jnp.clip(top, 0, rows - height), jnp.clip(left, 0, columns - width), height, width)


def cut_patch(atlas: jax.Array, index: tuple, top: Any, left: Any, within: Window) -> jax.Array:
    """The part of one picture of an atlas that lies in the window.

    Every picture of the atlas has a transparent margin as large as itself on all sides (`add_margins`), so
    that pixels outside of the picture are read as transparent.
    """
    height, width = (side // 3 for side in atlas.shape[-2:])
    down = jnp.clip(height + within.top - top, 0, 3 * height - within.height)
    right = jnp.clip(width + within.left - left, 0, 3 * width - within.width)
    leading = atlas.ndim - len(index) - 2
    start = (*index, *(0,) * leading, down, right)
    sizes = (*(1,) * len(index), *atlas.shape[len(index) : -2], within.height, within.width)
    return jax.lax.dynamic_slice(atlas, start, sizes).reshape(sizes[len(index) :])


def add_margins(pictures: Any) -> Any:
    """An atlas of these pictures, (..., height, width), each in the middle of a field of zeros."""
    height, width = pictures.shape[-2:]
    sides = [(0, 0)] * (pictures.ndim - 2) + [(height, height), (width, width)]
    return jnp.asarray(jnp.pad(jnp.asarray(pictures), sides))


def put(frame: jax.Array, patch: jax.Array, within: Window) -> jax.Array:
    return jax.lax.dynamic_update_slice(frame, patch, (0, within.top, within.left))


def read_under(frame: jax.Array, within: Window) -> jax.Array:
    return jax.lax.dynamic_slice(frame, (0, within.top, within.left), (3, within.height, within.width))


def fill(frame: jax.Array, mask: jax.Array, color: jax.Array, within: Window) -> jax.Array:
    """The frame with one colour wherever the mask is true."""
    return put(frame, jnp.where(mask, color[:, None, None], read_under(frame, within)), within)


def blend(frame: jax.Array, sprite: jax.Array, within: Window) -> jax.Array:
    """The frame with an RGBA patch, (4, height, width) uint8, over it; fractions are dropped."""
    share = sprite[3:].astype(jnp.uint16)
    mixed = divide_by_255(share * sprite[:3] + (255 - share) * read_under(frame, within))
    return put(frame, mixed.astype(jnp.uint8), within)


def divide_by_255(number: jax.Array) -> jax.Array:
    """The quotient without its fraction, exact up to 255 * 255; in two bytes, which no division is."""
    return (number + 1 + (number >> 8)) >> 8
