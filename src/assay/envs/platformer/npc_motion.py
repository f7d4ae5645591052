"""Places and moves NPCs: characters in the world, sticky ones beside the agent, distractor shapes.

None of them collides with anything: they are part of the scene. Arrays have room for the largest number.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import record
from assay.core.keys import stream
from assay.envs.platformer.build_params import Choices, Params
from assay.envs.platformer.level import top_at

SECONDS = np.float32(1 / 60)  # of a step
NPC_FIRST, NPC_END, NPC_MARGIN = 200, 300, 200  # columns between which characters stand
NPC_ABOVE = 2  # rows between their feet and the ground
EDGE = 15  # pixels from the screen's edge at which shapes turn back


@record
class Npcs:
    """Characters that stand in the world; arrays of (max_npc_count,)."""

    x: Any  # int32; 0 where there is none
    y: Any  # int32
    skin: Any  # int32
    frame: Any  # int32
    timer: Any  # () float32, the same for all


@record
class StickyNpcs:
    """Characters that stay beside the agent; arrays of (max_sticky_count,)."""

    offset: Any  # int32, columns from the agent
    y: Any  # float32
    home: Any  # float32, the row at which it stands
    vy: Any  # float32
    on_ground: Any  # bool
    skin: Any  # int32
    frame: Any  # int32
    timer: Any  # () float32
    count: Any  # () int32, how many of them this episode has


@record
class DistractorShapes:
    """Shapes that move over the screen; arrays of (count,)."""

    x: Any  # float32
    y: Any  # float32
    vx: Any  # float32
    vy: Any  # float32
    angle: Any  # float32, degrees
    turn: Any  # float32, degrees per step
    shape: Any  # int32 among SHAPES
    color: Any  # int32 among SHAPE_COLORS
    size: Any  # int32


def pick(key: jax.Array, choices: Choices | None, shape: tuple = ()) -> Any:
    """One of the choices, each equally likely; None where there are none."""
    return None if choices is None else choices.numbers[jax.random.randint(key, shape, 0, choices.count)]


def tick_animation(
    fps: float | jax.Array, frame: jax.Array, timer: jax.Array, count: Any
) -> tuple[jax.Array, jax.Array]:
    """The frame one step later, and how long it has shown; added up in float32, as the original does."""
    period = 1.0 / fps
    timer = timer + SECONDS
    turns = timer >= period
    return jnp.where(turns, (frame + 1) % count, frame), jnp.where(turns, timer - period, timer)


def count_frames(params: Params, frames: jax.Array, skin: jax.Array) -> jax.Array:
    """How many frames each shows in turn: those of its skin, or in the original, the most of any skin."""
    return frames.max() if params.compat == "kage" else frames[skin]


def draw_between(key: jax.Array, low: Any, high: Any, shape: tuple = ()) -> jax.Array:
    return jax.random.randint(key, shape, low, high + 1)


def place_npcs(key: jax.Array, params: Params, state: Any) -> Npcs:
    npc, most = params.npc, params.npc.max_npc_count
    count = draw_between(stream(key, "count"), npc.min_npc_count, most)
    end = max(NPC_END, params.layout.length - NPC_MARGIN)
    column = jax.random.randint(stream(key, "x"), (most,), NPC_FIRST, end)
    column = jnp.clip(column, 0, params.layout.length - 1)
    row = top_at(params, state.tops, column) - params.tables.half_height - NPC_ABOVE - npc.spawn_y_offset
    is_present = jnp.arange(most) < count
    skin = pick(stream(key, "skin"), params.tables.npc_skins, (most,))
    none = jnp.zeros(most, jnp.int32)
    return Npcs(jnp.where(is_present, column, 0), jnp.where(is_present, row, 0), skin, none, jnp.float32(0))


def step_npcs(params: Params, npcs: Npcs) -> Npcs:
    count = count_frames(params, params.tables.npc_frames, npcs.skin)
    frame, timer = tick_animation(params.npc.animation_fps, npcs.frame, npcs.timer, count)
    return Npcs(npcs.x, npcs.y, npcs.skin, frame, timer)


def place_sticky_npcs(key: jax.Array, params: Params) -> StickyNpcs:
    npc, most = params.npc, params.npc.max_sticky_count
    offset = params.tables.sticky_offsets
    if offset is None:
        offset = draw_between(stream(key, "x"), npc.sticky_x_min, npc.sticky_x_max, (most,))
    offset_y = draw_between(stream(key, "y"), npc.sticky_y_min_offset, npc.sticky_y_max_offset, (most,))
    offset_y = jnp.where(npc.sticky_y_randomize, offset_y, npc.sticky_y_min_offset)
    home = (params.layout.base_ground_y - npc.spawn_y_offset + offset_y).astype(jnp.float32)
    return StickyNpcs(
        offset=offset, y=home, home=home, vy=jnp.zeros(most), on_ground=jnp.ones(most, bool),
        skin=pick(stream(key, "skin"), params.tables.sticky_skins, (most,)),
        frame=jnp.zeros(most, jnp.int32), timer=jnp.float32(0),
        count=draw_between(stream(key, "count"), npc.min_sticky_count, most),
    )  # fmt: skip


def step_sticky_npcs(key: jax.Array, params: Params, sticky: StickyNpcs) -> StickyNpcs:
    npc, physics = params.npc, params.physics
    chance = jax.random.uniform(stream(key, "jump"), sticky.y.shape)
    jumps = sticky.on_ground & (chance < npc.sticky_jump_probability)
    vy = jnp.where(jumps, physics.jump_force, sticky.vy) + physics.gravity
    y = sticky.y + vy
    lands = y >= sticky.home
    y, vy = jnp.where(lands, sticky.home, y), jnp.where(lands, 0.0, vy)
    if params.compat == "kage":
        y = jnp.trunc(y)  # so it rises faster than it falls
    moves = npc.sticky_can_jump
    count = count_frames(params, params.tables.sticky_frames, sticky.skin)
    frame, timer = tick_animation(npc.animation_fps, sticky.frame, sticky.timer, count)
    return StickyNpcs(
        offset=sticky.offset, y=jnp.where(moves, y, sticky.y), home=sticky.home,
        vy=jnp.where(moves, vy, sticky.vy), on_ground=jnp.where(moves, lands, sticky.on_ground),
        skin=sticky.skin, frame=frame, timer=timer, count=sticky.count,
    )  # fmt: skip


def place_distractors(key: jax.Array, params: Params) -> DistractorShapes:
    settings, count = params.distractors, params.distractors.count

    def uniform(name: str, low: Any, high: Any) -> jax.Array:
        return low + (high - low) * jax.random.uniform(stream(key, name), (count,))

    def speed(name: str) -> jax.Array:
        # Both directions are equally likely; at min_speed=0 these are the original's draws.
        signed = 2 * jax.random.uniform(stream(key, name), (count,)) - 1
        velocity = signed * (settings.max_speed - settings.min_speed) + jnp.sign(signed) * settings.min_speed
        return jnp.where(settings.can_move, velocity, 0.0)

    turn = uniform("turn", settings.min_rotation_speed, settings.max_rotation_speed)
    return DistractorShapes(
        x=uniform("x", EDGE, params.W - EDGE), y=uniform("y", EDGE, params.H - EDGE),
        vx=speed("vx"), vy=speed("vy"), angle=uniform("angle", 0.0, 360.0),
        turn=jnp.where(settings.can_rotate, turn, 0.0),
        shape=pick(stream(key, "shape"), params.tables.distractor_shapes, (count,)),
        color=pick(stream(key, "color"), params.tables.distractor_colors, (count,)),
        size=draw_between(stream(key, "size"), settings.min_size, params.tables.distractor_size, (count,)),
    )  # fmt: skip


def step_distractors(params: Params, shapes: DistractorShapes) -> DistractorShapes:
    x, vx = bounce(shapes.x, shapes.vx, params.W - EDGE)
    y, vy = bounce(shapes.y, shapes.vy, params.H - EDGE)
    angle = (shapes.angle + shapes.turn) % 360
    return DistractorShapes(x, y, vx, vy, angle, shapes.turn, shapes.shape, shapes.color, shapes.size)


def bounce(position: jax.Array, speed: jax.Array, far: int) -> tuple[jax.Array, jax.Array]:
    position = position + speed
    turns = (position <= EDGE) | (position >= far)
    return jnp.clip(position, EDGE, far), jnp.where(turns, -speed, speed)
