"""What only pictures show and remember: looks drawn for the episode, frames of animation, the background.

Everything here comes from streams of its own and is no part of the latent state, so a look can change without
a trace of it in the world. What is off is None, and costs nothing. Those beside the agent are in `others.py`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import record
from assay.core.keys import stream
from assay.envs.platformer.build_params import Choices, Params
from assay.envs.platformer.npc_motion import (
    Npcs,
    Shapes,
    Sticky,
    first_npcs,
    first_shapes,
    first_sticky,
    later_npcs,
    later_shapes,
    later_sticky,
    pick,
    tick_animation,
)

MOVING = 0.1  # speed to the side from which the agent shows its frames in turn
LIGHTS = 5  # places drawn, however many shine
LIGHTS_LOW, LIGHTS_HIGH = 0.15, 0.85  # shares of the screen


@record
class Scene:
    """The agent's look, the backdrop, and those beside it."""

    ground_color: Any  # () int32, place among LAYOUT_COLORS
    skin: Any  # () int32 among the task's skins, or None
    frame: Any  # () int32, or None
    timer: Any  # () float32, seconds in this frame, or None
    shape: Any  # () int32 among SHAPES, or None
    shape_color: Any  # () int32 among SHAPE_COLORS, or None
    angle: Any  # () float32, degrees, or None
    background: Any  # () int32: a colour's place, a picture's, or a seed of noise; or None
    preset: Any  # () int32 among POP_FILTERS, or None
    lights: Any  # (5, 2) float32, shares of the screen's width and height, or None
    npcs: Npcs | None
    sticky: Sticky | None
    distractors: Shapes | None


def scene(key: jax.Array, params: Params, state: Any, before: Scene | None) -> Scene:
    """The scene of a new episode, or one step after `before`."""
    return first_scene(key, params, state) if before is None else later_scene(key, params, state, before)


def first_scene(key: jax.Array, params: Params, state: Any) -> Scene:
    tables, sprites = params.tables, params.character.use_sprites
    lights = None
    if params.effects.point_light_enabled:
        draws = jax.random.uniform(stream(key, "lights"), (LIGHTS, 2))
        lights = LIGHTS_LOW + (LIGHTS_HIGH - LIGHTS_LOW) * draws
    return Scene(
        ground_color=ground_color(key, params),
        skin=pick(stream(key, "skin"), tables.skins),
        frame=params.character.idle_sprite_idx if sprites else None,
        timer=jnp.float32(0) if sprites else None,
        shape=pick(stream(key, "shape"), tables.shapes),
        shape_color=pick(stream(key, "shape_color"), tables.shape_colors),
        angle=None if sprites else jnp.float32(0),
        background=background(key, params),
        preset=pick(stream(key, "preset"), tables.presets),
        lights=lights,
        npcs=first_npcs(stream(key, "npc"), params, state) if params.npc.enabled else None,
        sticky=first_sticky(stream(key, "sticky"), params) if params.npc.sticky_enabled else None,
        distractors=first_shapes(stream(key, "distractors"), params) if params.distractors.enabled else None,
    )


def later_scene(key: jax.Array, params: Params, state: Any, before: Scene) -> Scene:
    frame, timer = next_frame(params, state, before)
    angle = before.angle
    if params.character.use_shape and params.character.shape_rotate:
        angle = (angle + params.character.shape_rotation_speed) % 360
    seen = before.background
    if seen is not None:
        switches = jax.random.uniform(stream(key, "switch")) < params.background.switch_frequency
        seen = jnp.where(switches, background(key, params), seen)
    npcs, sticky, shapes = before.npcs, before.sticky, before.distractors
    return Scene(
        ground_color=before.ground_color, skin=before.skin, frame=frame, timer=timer, shape=before.shape,
        shape_color=before.shape_color, angle=angle, background=seen, preset=before.preset,
        lights=before.lights,
        npcs=None if npcs is None else later_npcs(params, npcs),
        sticky=None if sticky is None else later_sticky(stream(key, "sticky"), params, sticky),
        distractors=None if shapes is None else later_shapes(params, shapes),
    )  # fmt: skip


def ground_color(key: jax.Array, params: Params) -> jax.Array:
    colors: Choices = params.tables.ground_colors
    if params.compat == "kage":
        return colors.numbers[colors.count - 1]  # the last of the list, whatever else is in it
    return pick(stream(key, "ground_color"), colors)


def background(key: jax.Array, params: Params) -> Any:
    """A colour, a picture, or the seed of noise."""
    if params.background.mode == "noise":
        return jax.random.randint(stream(key, "background"), (), 0, np.iinfo(np.int32).max)
    return pick(stream(key, "background"), params.tables.backgrounds)


def next_frame(params: Params, state: Any, before: Scene) -> tuple[Any, Any]:
    """The agent's frame and how long it has shown."""
    if not params.character.use_sprites:
        return None, None
    frames = params.tables.frames
    count = frames[0] if params.compat == "kage" else frames[before.skin]
    walks = moves(params, state)
    frame, timer = tick_animation(params.character.animation_fps, before.frame, before.timer, count)
    return jnp.where(walks, frame, params.character.idle_sprite_idx), jnp.where(walks, timer, 0.0)


def moves(params: Params, state: Any) -> jax.Array:
    """Whether the agent shows its walk."""
    return params.character.enable_animation & (jnp.abs(state.vx) > MOVING)
