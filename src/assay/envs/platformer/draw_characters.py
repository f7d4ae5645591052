"""Draws onto the frame: the agent, NPCs, sticky NPCs and the distractor shapes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_background import color_array
from assay.envs.platformer.loops import most_of_lanes
from assay.envs.platformer.npc_motion import NPC_ABOVE
from assay.envs.platformer.palettes import SHAPE_COLORS
from assay.envs.platformer.patches import blend, cut_patch, fill, find_window
from assay.envs.platformer.scene import shows_walk
from assay.envs.platformer.shapes import agent_size, distractor_size, mask_shape

NOWHERE = 1 << 14  # a row below every frame
AGENT_LOWER = 1  # rows by which the agent is drawn below its box
KAGE_REACH = 16  # pixels from its centre at which the original cuts a distractor


def shape_color(number: jax.Array) -> jax.Array:
    return jnp.asarray(color_array(SHAPE_COLORS))[number]


def draw_distractors(frame: jax.Array, params: Params, scene: Any) -> jax.Array:
    shapes, reach = scene.distractors, params.tables.distractor_reach
    side = 2 * reach + 1

    def one(frame: jax.Array, i: jax.Array) -> jax.Array:
        x, y = (jnp.round(each[i]).astype(jnp.int32) for each in (shapes.x, shapes.y))
        within = find_window(frame, y - reach, x - reach, side, side)
        dx = within.left + jnp.arange(within.width)[None, :] - x
        dy = within.top + jnp.arange(within.height)[:, None] - y
        angle = shapes.angle[i] if params.compat == "kage" else jnp.deg2rad(shapes.angle[i])
        mask = mask_shape(jnp, shapes.shape[i], dx, dy, distractor_size(shapes.size[i]), angle)
        if params.compat == "kage":
            mask &= (jnp.abs(dx + 0.5) < KAGE_REACH) & (jnp.abs(dy + 0.5) < KAGE_REACH)
        return fill(frame, mask, shape_color(shapes.color[i]), within)

    return jax.lax.fori_loop(0, params.distractors.count, lambda i, frame: one(frame, i), frame)


def draw_standing_sprite(
    frame: jax.Array, params: Params, atlas: jax.Array, which: tuple, x: Any, y: Any
) -> jax.Array:
    """The frame with a sprite whose feet are at the lower end of a box around x, y."""
    height, width = (side // 3 for side in atlas.shape[-2:])
    top, left = y + params.tables.half_height - height, x - width // 2
    within = find_window(frame, top, left, height, width)
    return blend(frame, cut_patch(atlas, which, top, left, within), within)


def draw_npcs(frame: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    npcs, atlas = scene.npcs, params.tables.npc_atlas
    as_kage = params.compat == "kage"
    lower = 0 if as_kage else NPC_ABOVE  # the original draws them above the ground
    # The original draws no NPC that is further beyond an edge than the agent is wide, however wide its skin.
    beside = params.tables.width if as_kage else atlas.shape[-1] // 3

    x = npcs.x - jnp.round(state.camera_x).astype(jnp.int32)
    is_near = (npcs.x > 0) & (x >= -beside) & (x < params.W + beside)
    # Most stand beyond the screen. Those near it are drawn in their order, and lanes with fewer than others
    # go on with some that are not seen.
    order = jnp.argsort(~is_near, stable=True)

    def one(turn: jax.Array, frame: jax.Array) -> jax.Array:
        i = order[turn]
        y = jnp.where(is_near[i], npcs.y[i] + lower, NOWHERE)
        frame_number = jnp.minimum(npcs.frame[i], params.tables.npc_frames[npcs.skin[i]] - 1)
        return draw_standing_sprite(frame, params, atlas, (npcs.skin[i], frame_number), x[i], y)

    return jax.lax.fori_loop(0, most_of_lanes(is_near.sum()), one, frame)


def draw_sticky_npcs(frame: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    sticky, atlas = scene.sticky, params.tables.sticky_atlas
    agent = jnp.round(state.x - state.camera_x).astype(jnp.int32)

    def one(i: jax.Array, frame: jax.Array) -> jax.Array:
        y = jnp.where(i < sticky.count, jnp.round(sticky.y[i]).astype(jnp.int32), NOWHERE)
        frame_number = jnp.minimum(sticky.frame[i], params.tables.sticky_frames[sticky.skin[i]] - 1)
        return draw_standing_sprite(
            frame, params, atlas, (sticky.skin[i], frame_number), agent + sticky.offset[i], y
        )

    return jax.lax.fori_loop(0, most_of_lanes(sticky.count), one, frame)


def draw_agent(frame: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    x = jnp.round(state.x - state.camera_x).astype(jnp.int32)
    y = jnp.round(state.y + AGENT_LOWER).astype(jnp.int32)
    if params.character.use_sprites:
        return draw_agent_sprite(frame, params, state, scene, x, y)
    if params.character.shape_rotate:
        return draw_turning_shape(frame, params, scene, x, y)
    masks = params.tables.shape_masks  # (shapes, 3 side, 3 side) bool, with margins
    side = masks.shape[-1] // 3
    top, left = y - side // 2, x - side // 2
    within = find_window(frame, top, left, side, side)
    return fill(
        frame, cut_patch(masks, (scene.shape,), top, left, within), shape_color(scene.shape_color), within
    )


def draw_agent_sprite(frame: jax.Array, params: Params, state: Any, scene: Any, x: Any, y: Any) -> jax.Array:
    """The frame with the agent's sprite: an idle frame while it stands, its walk while it moves."""
    tables = params.tables
    idle, walk = tables.idle_frames[scene.skin], tables.frames[scene.skin]
    walking = tables.walk_from + jnp.minimum(scene.frame, walk - 1)
    frame_number = jnp.where(shows_walk(params, state), walking, jnp.minimum(scene.frame, idle - 1))
    return draw_standing_sprite(frame, params, tables.atlas, (scene.skin, frame_number), x, y)


def draw_turning_shape(frame: jax.Array, params: Params, scene: Any, x: Any, y: Any) -> jax.Array:
    tables, reach = params.tables, params.tables.shape_reach
    within = find_window(frame, y - reach, x - reach, 2 * reach + 1, 2 * reach + 1)
    dx = within.left + jnp.arange(within.width)[None, :] - x
    dy = within.top + jnp.arange(within.height)[:, None] - y
    size = agent_size(tables.width, tables.height, jnp.minimum(tables.width, tables.height))
    mask = mask_shape(jnp, scene.shape, dx, dy, size, jnp.deg2rad(scene.angle))
    return fill(frame, mask, shape_color(scene.shape_color), within)
