"""platformer/run: run right over flat runs and steps; a jump costs, standing still costs more.

Only the time limit ends an episode. The state holds the facts of the world: the agent, the level, the camera
and the counts of the metrics. The scene (`scene.py`) holds what only pictures show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import Env, record
from assay.core.space import Box, Discrete
from assay.envs.platformer.agent_motion import JUMP, Body, move
from assay.envs.platformer.build_params import Params, check_settings, make_params, settle_look
from assay.envs.platformer.frame import observe_pixels
from assay.envs.platformer.level import (
    box_at,
    count_runs,
    draw_tops,
    find_ground,
    is_solid,
    round_product,
    top_at,
)
from assay.envs.platformer.params import Run
from assay.envs.platformer.scene import scene

ACTIONS = 8  # the sums of LEFT=1, RIGHT=2, JUMP=4
SPAWN = 64  # the first column tried
SPAWN_TRIES = 20
SPAWN_GAP = 4  # columns between two tries, beside the box
SPAWN_ABOVE = 2  # rows between the feet and the ground
AHEAD = 5  # runs ahead whose height is part of observation=state


@record
class State:
    x: Any  # () float32, whole
    y: Any  # () float32, whole
    vx: Any  # () float32
    vy: Any  # () float32
    grounded: Any  # () bool
    coyote: Any  # () int32, steps since the ground, up to coyote_time + 1
    camera_x: Any  # () float32, whole
    tops: Any  # (runs,) int16, the row at which the ground of each run begins
    time: Any  # () int32, steps in this episode
    initial_x: Any  # () float32
    x_max: Any  # () float32, furthest right so far
    jump_count: Any  # () int32, presses of JUMP
    goal: Any  # () float32, the distance that is a success; 0 before the first step
    success: Any  # () bool, at this step
    success_once: Any  # () bool, at some step so far
    vx_sum: Any  # () float32, over the steps so far, of the speeds after collision
    vy_sum: Any  # () float32

    # Quotients are computed when they are read, never stored: compiled division may be off by a bit.
    @property
    def progress(self) -> jax.Array:
        """The distance from the start as a share of the goal."""
        return (self.x - self.initial_x) / jnp.where(self.goal > 0, self.goal, jnp.inf)

    @property
    def vx_mean(self) -> jax.Array:
        return self.vx_sum / jnp.maximum(self.time, 1)

    @property
    def vy_mean(self) -> jax.Array:
        return self.vy_sum / jnp.maximum(self.time, 1)


def initial(key: jax.Array, params: Params) -> State:
    tops = draw_tops(key, params)
    x, y, vx, vy = spawn(params, tops) if params.tables.start is None else params.tables.start
    camera_x = jnp.clip(x - params.W // 2, 0, params.layout.length - params.W)
    zero, none, no = jnp.float32(0), jnp.int32(0), jnp.bool_(False)
    return State(
        x=x, y=y, vx=vx, vy=vy, grounded=no, coyote=none, camera_x=camera_x, tops=tops, time=none,
        initial_x=x, x_max=x, jump_count=none, goal=zero, success=no, success_once=no, vx_sum=zero,
        vy_sum=zero,
    )  # fmt: skip


def spawn(params: Params, tops: jax.Array) -> tuple:
    """The agent at rest a little above the ground, in the first of a row of columns where its box is free."""
    half_width = params.tables.half_width
    tries = SPAWN + jnp.arange(SPAWN_TRIES) * (params.tables.width + SPAWN_GAP)
    columns = jnp.clip(tries, half_width, params.layout.length - half_width - 1)
    rows = top_at(params, tops, columns) - params.tables.half_height - SPAWN_ABOVE

    def is_free(x: jax.Array, y: jax.Array) -> jax.Array:
        box = box_at(params, x, y)
        return ~is_solid(find_ground(params, tops, box.left, params.tables.runs_under), box)

    free = jax.vmap(is_free)(columns, rows)
    any_free, first = free.any(), jnp.argmax(free)
    x, y = jnp.where(any_free, columns[first], SPAWN), jnp.where(any_free, rows[first], SPAWN)
    return x.astype(jnp.float32), y.astype(jnp.float32), jnp.float32(0), jnp.float32(0)


def keep_low_bits(key: jax.Array, params: Params, state: State, action: jax.Array) -> jax.Array:
    """`make` refuses actions beyond 0 to 7; here only the three low bits count."""
    return action & (ACTIONS - 1)


def transition(key: jax.Array, params: Params, state: State, action: jax.Array) -> State:
    body = Body(state.x, state.y, state.vx, state.vy, state.grounded, state.coyote)
    body = move(params, state.tops, body, action)
    time = state.time + 1
    success = body.x - state.initial_x >= params.dist_to_success
    return State(
        **body._asdict(),
        camera_x=follow_agent(params, state.camera_x, body.x),
        tops=state.tops,
        time=time,
        initial_x=state.initial_x,
        x_max=jnp.maximum(state.x_max, body.x),
        jump_count=state.jump_count + ((action & JUMP) != 0),
        goal=params.dist_to_success,
        success=success,
        success_once=state.success_once | success,
        vx_sum=state.vx_sum + body.vx,
        vy_sum=state.vy_sum + body.vy,
    )


def follow_agent(params: Params, camera_x: jax.Array, x: jax.Array) -> jax.Array:
    """The camera after a step: it moves if the agent has left the middle of the screen."""
    on_screen, least, most = x - camera_x, params.camera.left_margin, params.W - params.camera.right_margin
    shift = jnp.where(on_screen < least, on_screen - least, jnp.where(on_screen > most, on_screen - most, 0))
    return jnp.clip(camera_x + shift, 0, params.layout.length - params.W).astype(jnp.float32)


def reward(key: jax.Array, params: Params, state: State, action: jax.Array, after: State) -> jax.Array:
    gain = round_product(params.forward_reward_scale * jnp.maximum(after.x - state.x_max, 0))
    jump = jnp.where((action & JUMP) != 0, params.jump_penalty, 0.0)
    idle = jnp.where(after.x == state.x, params.idle_penalty, 0.0)
    return gain - jump - params.timestep_penalty - idle


def observe_state(key: jax.Array, params: Params, state: State) -> jax.Array:
    """The true state as numbers, in pixels and steps: motion, camera, and the ground ahead."""
    width = params.layout.run_width
    run = to_column(state.x) // width
    ahead = jnp.minimum(run + jnp.arange(AHEAD), count_runs(params.layout) - 1)
    numbers = (
        state.x, state.y, state.vx, state.vy, state.grounded, state.coyote, state.camera_x, state.time,
        (run + 1) * width - to_column(state.x),
    )  # fmt: skip
    own = jnp.stack([jnp.asarray(number, jnp.float32) for number in numbers])
    return jnp.concatenate([own, state.tops[ahead].astype(jnp.float32)])


def to_column(x: jax.Array) -> jax.Array:
    return x.astype(jnp.int32)


def terminal(params: Params, state: State) -> jax.Array:
    return jnp.bool_(False)


def horizon(params: Params) -> int | jax.Array:
    return params.episode_length


def spaces_of_states(params: Run) -> dict:
    observation = Box(-np.inf, np.inf, (9 + AHEAD,))
    return {"action": Discrete(ACTIONS), "reward": Box(-np.inf, np.inf), "observation": observation}


def spaces_of_pixels(params: Run) -> dict:
    observation = Box(0, 255, (params.H, params.W, 3), "uint8")
    return {"action": Discrete(ACTIONS), "reward": Box(-np.inf, np.inf), "observation": observation}


def spaces_from(settings: Run, others: Mapping[str, Any]) -> dict:
    """The spaces of these settings, refused as `build` refuses them, without generating anything."""
    settings = settle_look(settings, others)
    check_settings(settings, others)
    return (spaces_of_pixels if settings.observation == "pixels" else spaces_of_states)(settings)


def build(settings: Run, others: Mapping[str, Any]) -> Env:
    """The env of these settings, refused where they do not fit each other."""
    params = make_params(settings, others)
    parts = (params, initial, transition, reward)
    if settings.observation == "pixels":
        return Env(*parts, observe_pixels, terminal, horizon, spaces_of_pixels, keep_low_bits, scene)
    return Env(*parts, observe_state, terminal, horizon, spaces_of_states, keep_low_bits)
