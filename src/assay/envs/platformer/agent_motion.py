"""How the agent moves: speeds, then collisions in whole pixels, first to the side and then up or down.

On a collision the agent goes back, pixel by pixel, from where its speed would lead to where it was, until its
box is free. Blocked positions are known run by run, as intervals, so this takes a few comparisons at any
speed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.envs.platformer.level import (
    Box,
    Ground,
    box_at,
    clip_to_world,
    find_ground,
    is_solid,
    meet_rows,
    round_product,
)

LEFT, RIGHT, JUMP = 1, 2, 4  # the bits of an action
FASTEST_RISE = -100.0


class Body(NamedTuple):
    """The agent in motion; all float32 but the last two."""

    x: Any
    y: Any
    vx: Any
    vy: Any
    grounded: Any  # () bool
    coyote: Any  # () int32, steps since it was on the ground, up to one more than coyote_time


def move(params: Any, tops: jax.Array, body: Body, action: jax.Array) -> Body:
    """The agent one step later."""
    tried = try_motion(params, tops, body, action)
    x0, y0, x1, y1 = (to_pixel(each) for each in (body.x, body.y, tried.x, tried.y))
    half_width = params.tables.half_width
    ground = find_ground(params, tops, jnp.minimum(x0, x1) - half_width, params.tables.runs_met)
    x = find_free_column(params, ground, x0, x1, y0)
    y = find_free_row(params, ground, x, y0, y1)
    return tried._replace(
        x=x.astype(jnp.float32),
        y=y.astype(jnp.float32),
        vx=jnp.where(x == x1, tried.vx, 0.0),
        vy=jnp.where(y == y1, tried.vy, 0.0),
    )


def to_pixel(position: jax.Array) -> jax.Array:
    return jnp.round(position).astype(jnp.int32)  # halves go to the even pixel


def try_motion(params: Any, tops: jax.Array, body: Body, action: jax.Array) -> Body:
    """Where the speed would lead if nothing were solid."""
    physics, tables = params.physics, params.tables
    push = ((action & RIGHT) != 0).astype(jnp.int32) - ((action & LEFT) != 0).astype(jnp.int32)
    grounded = has_ground_below(params, tops, body) & (body.vy >= 0)
    coyote = jnp.where(grounded, 0, jnp.minimum(body.coyote + 1, physics.coyote_time + 1))
    jumps = ((action & JUMP) != 0) & (coyote <= physics.coyote_time)
    vy = jnp.where(jumps, physics.jump_force, body.vy)
    grounded = grounded & ~jumps
    coyote = jnp.where(jumps, physics.coyote_time + 1, coyote)
    kept_speed = round_product(body.vx * jnp.where(grounded, physics.ground_friction, physics.air_resistance))
    gain = jnp.where(grounded, physics.ground_accel, physics.air_accel)
    fastest = physics.move_speed.astype(jnp.float32)
    vx = jnp.clip(kept_speed + jnp.where(push == 0, 0.0, jnp.where(push > 0, gain, -gain)), -fastest, fastest)
    vy = jnp.clip(vy + physics.gravity, FASTEST_RISE, physics.max_fall_speed)
    x = jnp.clip(body.x + vx, tables.half_width, params.layout.length - 1 - tables.half_width)
    y = jnp.clip(body.y + vy, tables.half_height, params.layout.height_px - 1 - tables.half_height)
    return Body(x, y, vx, vy, grounded, coyote)


def has_ground_below(params: Any, tops: jax.Array, body: Body) -> jax.Array:
    """Whether anything is solid right below the box."""
    tables, x = params.tables, to_pixel(body.x)
    feet = to_pixel(body.y) + tables.half_height
    below = Box(
        x - tables.half_width, x + tables.half_width, feet + 1, feet + params.physics.ground_snap_dist
    )
    ground = find_ground(params, tops, below.left, params.tables.runs_under)
    return is_solid(ground, clip_to_world(params, below))


def find_free_column(params: Any, ground: Ground, x0: jax.Array, x1: jax.Array, y0: jax.Array) -> jax.Array:
    """The first free column on the way back from x1 to x0, at the old height; x0 if there is none."""
    half_width = params.tables.half_width
    wall, band = meet_rows(ground, box_at(params, x1, y0))
    # A band is part of its run's first column, so each run blocks one interval of positions.
    lows = ground.first - half_width
    highs = jnp.where(band, ground.last, ground.first) + half_width
    back_left, back_right = x1, x1
    runs = range(params.tables.runs_met)
    for left, right in zip(reversed(runs), runs):
        inside = wall[left] & (lows[left] <= back_left) & (back_left <= highs[left])
        back_left = jnp.where(inside, lows[left] - 1, back_left)
        inside = wall[right] & (lows[right] <= back_right) & (back_right <= highs[right])
        back_right = jnp.where(inside, highs[right] + 1, back_right)
    return jnp.where(x1 > x0, jnp.maximum(back_left, x0), jnp.where(x1 < x0, jnp.minimum(back_right, x0), x1))


def find_free_row(params: Any, ground: Ground, x: jax.Array, y0: jax.Array, y1: jax.Array) -> jax.Array:
    """The first free row on the way back from y1 to y0, at column x; y0 if there is none."""
    half_height, box = params.tables.half_height, box_at(params, x, y1)
    has_first = (box.left <= ground.first) & (ground.first <= box.right)
    has_any = (ground.first <= box.right) & (box.left <= ground.last)
    lows = jnp.where(has_first, ground.wall_top, ground.top) - half_height
    highs = jnp.where(has_first, ground.wall_bottom, ground.bottom) - 1 + half_height
    back_up, back_down = y1, y1
    for _ in range(params.tables.runs_under):  # each round leaves at least one run behind
        inside = has_any & (lows <= back_up) & (back_up <= highs)
        back_up = jnp.minimum(back_up, jnp.where(inside, lows - 1, back_up).min())
        inside = has_any & (lows <= back_down) & (back_down <= highs)
        back_down = jnp.maximum(back_down, jnp.where(inside, highs + 1, back_down).max())
    return jnp.where(y1 > y0, jnp.maximum(back_up, y0), jnp.where(y1 < y0, jnp.minimum(back_down, y0), y1))
