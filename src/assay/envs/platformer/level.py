"""The level: heights are drawn, and what is solid follows from the row at which each run begins.

There is no mask of solid pixels. A column is solid over one span of rows: its band of ground and, where a
run begins at another height than the last one ended, the wall that joins the two, which stands in the first
column of the new run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core.keys import stream


class Ground(NamedTuple):
    """The runs near one place, from left to right; every array is (runs,) int32."""

    first: Any  # first column, which holds the wall
    last: Any  # last column
    top: Any  # rows of the band: from here
    bottom: Any  # to before this one
    wall_top: Any  # rows of the first column, wall and band together
    wall_bottom: Any


class Box(NamedTuple):
    """Columns and rows, both ends included, within the world."""

    left: Any
    right: Any
    upper: Any
    lower: Any


def draw_tops(key: jax.Array, params: Any) -> jax.Array:
    """The row at which the ground of each run begins, (runs,) int16."""
    layout = params.layout
    heights = draw_heights(key, params) if params.tables.heights is None else params.tables.heights
    return (layout.base_ground_y - layout.pix_per_unit * heights).astype(jnp.int16)


def draw_heights(key: jax.Array, params: Any) -> jax.Array:
    """A walk of steps up and down between the lowest and the highest ground, beginning in the middle."""
    layout, runs = params.layout, count_runs(params.layout)
    chance = jax.random.uniform(stream(key, "events"), (runs,))
    sizes = jax.random.randint(
        stream(key, "heights"), (runs,), layout.min_step_height, layout.max_step_height + 1
    )
    stays = 1 - layout.p_change
    up = stays + round_product(layout.p_change * layout.p_up_given_change)
    steps = jnp.where(chance < stays, 0, jnp.where(chance < up, sizes, -sizes))
    middle = (layout.min_height + layout.max_height) // 2

    def next_run(height: jax.Array, step: jax.Array) -> tuple:
        return jnp.clip(height + step, layout.min_height, layout.max_height), height

    return jax.lax.scan(next_run, middle, steps)[1]


def round_product(product: jax.Array) -> jax.Array:
    """A product as float32 rounds it.

    Compilers fuse a product and the sum that reads it and skip the rounding between them, alone and in a
    batch not always alike, and a bit here can be a pixel at the next rounding. A `where` between the two
    prevents that; `optimization_barrier` does not. NaN can be replaced, since it never occurs in a valid run.
    """
    return jnp.where(jnp.isnan(product), 0.0, product)


def count_runs(layout: Any) -> int:
    """The runs of a level, the last one perhaps cut off by the end of the world."""
    return -(-layout.length // layout.run_width)


def find_ground(params: Any, tops: jax.Array, column: jax.Array, count: int) -> Ground:
    """The `count` runs from that of `column` on; beyond the last it is repeated, which changes nothing."""
    width, length = params.layout.run_width, params.layout.length
    run = jnp.clip(jnp.maximum(column, 0) // width + jnp.arange(count), 0, count_runs(params.layout) - 1)
    top, before = tops[run].astype(jnp.int32), tops[jnp.maximum(run - 1, 0)].astype(jnp.int32)
    bottom = top + params.layout.ground_thickness
    first = run * width
    last = jnp.minimum(first + width, length) - 1
    return Ground(first, last, top, bottom, jnp.minimum(before, top), jnp.maximum(before, bottom))


def top_at(params: Any, tops: jax.Array, column: jax.Array) -> jax.Array:
    return tops[column // params.layout.run_width].astype(jnp.int32)


def box_at(params: Any, x: jax.Array, y: jax.Array) -> Box:
    """The agent's box around a place, cut to the world."""
    half_width, half_height = params.tables.half_width, params.tables.half_height
    return clip_to_world(params, Box(x - half_width, x + half_width, y - half_height, y + half_height))


def clip_to_world(params: Any, box: Box) -> Box:
    columns = (jnp.clip(each, 0, params.layout.length - 1) for each in (box.left, box.right))
    rows = (jnp.clip(each, 0, params.layout.height_px - 1) for each in (box.upper, box.lower))
    return Box(*columns, *rows)


def is_solid(ground: Ground, box: Box) -> jax.Array:
    """Whether any pixel of the box is solid; `ground` has all the runs that the box meets."""
    wall, band = meet_rows(ground, box)
    has_first = (box.left <= ground.first) & (ground.first <= box.right)
    has_rest = (ground.first < box.right) & (box.left <= ground.last)
    return ((has_first & wall) | (has_rest & band)).any()


def meet_rows(ground: Ground, box: Box) -> tuple[jax.Array, jax.Array]:
    """Whether the box' rows meet each run's first column, and whether they meet its band."""
    wall = (ground.wall_top <= box.lower) & (ground.wall_bottom > box.upper)
    return wall, (ground.top <= box.lower) & (ground.bottom > box.upper)
