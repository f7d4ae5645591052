"""The scene is what only pictures show: looks drawn for an episode, frames of animation, the background.

Everything here is drawn from its own streams and is not part of the latent state, so a look can change
without any effect on the world. Parts that are off are None and cost nothing. `npc_motion.py` moves the NPCs.
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
    DistractorShapes,
    Npcs,
    StickyNpcs,
    pick,
    place_distractors,
    place_npcs,
    place_sticky_npcs,
    step_distractors,
    step_npcs,
    step_sticky_npcs,
    tick_animation,
)

MOVING = 0.1  # speed to the side from which the agent shows its frames in turn
LIGHTS = 5  # places drawn, however many shine
LIGHTS_LOW, LIGHTS_HIGH = 0.15, 0.85  # shares of the screen


@record
class Scene:
    """The agent's look, the background, the lights and the NPCs."""

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
    sticky: StickyNpcs | None
    distractors: DistractorShapes | None


def scene(key: jax.Array, params: Params, state: Any, before: Scene | None) -> Scene:
    """The scene of a new episode, or one step after `before`."""
    return begin_scene(key, params, state) if before is None else step_scene(key, params, state, before)


def begin_scene(key: jax.Array, params: Params, state: Any) -> Scene:
    tables, sprites = params.tables, params.character.use_sprites
    lights = None
    if params.effects.point_light_enabled:
        draws = jax.random.uniform(stream(key, "lights"), (LIGHTS, 2))
        lights = LIGHTS_LOW + (LIGHTS_HIGH - LIGHTS_LOW) * draws
    return Scene(
        ground_color=pick_ground_color(key, params),
        skin=pick(stream(key, "skin"), tables.skins),
        frame=params.character.idle_sprite_idx if sprites else None,
        timer=jnp.float32(0) if sprites else None,
        shape=pick(stream(key, "shape"), tables.shapes),
        shape_color=pick(stream(key, "shape_color"), tables.shape_colors),
        angle=None if sprites else jnp.float32(0),
        background=pick_background(key, params),
        preset=pick(stream(key, "preset"), tables.presets),
        lights=lights,
        npcs=place_npcs(stream(key, "npc"), params, state) if params.npc.enabled else None,
        sticky=place_sticky_npcs(stream(key, "sticky"), params) if params.npc.sticky_enabled else None,
        distractors=place_distractors(stream(key, "distractors"), params)
        if params.distractors.enabled
        else None,
    )


def step_scene(key: jax.Array, params: Params, state: Any, before: Scene) -> Scene:
    frame, timer = next_frame(params, state, before)
    angle = before.angle
    if params.character.use_shape and params.character.shape_rotate:
        angle = (angle + params.character.shape_rotation_speed) % 360
    background = before.background
    if background is not None:
        switches = jax.random.uniform(stream(key, "switch")) < params.background.switch_frequency
        background = jnp.where(switches, pick_background(key, params), background)
    npcs, sticky, shapes = before.npcs, before.sticky, before.distractors
    return Scene(
        ground_color=before.ground_color, skin=before.skin, frame=frame, timer=timer, shape=before.shape,
        shape_color=before.shape_color, angle=angle, background=background, preset=before.preset,
        lights=before.lights,
        npcs=None if npcs is None else step_npcs(params, npcs),
        sticky=None if sticky is None else step_sticky_npcs(stream(key, "sticky"), params, sticky),
        distractors=None if shapes is None else step_distractors(params, shapes),
    )  # fmt: skip


def pick_ground_color(key: jax.Array, params: Params) -> jax.Array:
    colors: Choices = params.tables.ground_colors
    if params.compat == "kage":
        return colors.numbers[colors.count - 1]  # the last of the list, whatever else is in it
    return pick(stream(key, "ground_color"), colors)


def pick_background(key: jax.Array, params: Params) -> Any:
    """The number of a colour or of a picture, or the seed of noise."""
    if params.background.mode == "noise":
        return jax.random.randint(stream(key, "background"), (), 0, np.iinfo(np.int32).max)
    return pick(stream(key, "background"), params.tables.backgrounds)


def next_frame(params: Params, state: Any, before: Scene) -> tuple[Any, Any]:
    """The agent's frame and how long it has shown."""
    if not params.character.use_sprites:
        return None, None
    frames = params.tables.frames
    count = frames[0] if params.compat == "kage" else frames[before.skin]
    walks = shows_walk(params, state)
    frame, timer = tick_animation(params.character.animation_fps, before.frame, before.timer, count)
    return jnp.where(walks, frame, params.character.idle_sprite_idx), jnp.where(walks, timer, 0.0)


def shows_walk(params: Params, state: Any) -> jax.Array:
    """Whether the agent shows its walk."""
    return params.character.enable_animation & (jnp.abs(state.vx) > MOVING)
