"""What may befall the agent by chance: a gust of wind, and a slip on the ground."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp

from assay.core.keys import stream
from assay.core.variation import Inner
from assay.envs.platformer.agent_motion import JUMP

PUSH, LIFT = 5.0, 4.0  # pixels per step that a gust adds to the speed, to the side and up


def blow(function: Any, level: Any, key: jax.Array, params: Any, state: Any, action: Any) -> Any:
    """With chance `level` the step begins with a push to the left or to the right, and up."""
    comes, side = draw_gust(level, key)
    vx = jnp.where(comes, state.vx + side, state.vx)
    vy = jnp.where(comes, state.vy - LIFT, state.vy)
    return function(key, params, replace(state, vx=vx, vy=vy), action)


def draw_gust(level: Any, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Whether a gust comes, and its push to the side."""
    whether, which = jax.random.uniform(stream(key, "gust"), (2,))
    return whether < level, jnp.where(which < 0.5, -PUSH, PUSH)


def report_gust(level: Any, key: jax.Array, params: Any, state: Any, action: Any, after: Any) -> tuple:
    """It may come at every step. The detail is its push to the side, of whichever gust was drawn."""
    comes, side = draw_gust(level, key)
    return True, comes, jnp.where(comes, side, 0.0)


def lose_grip(function: Any, level: Any, key: jax.Array, params: Any, state: Any, action: Any) -> Any:
    """With chance `level` a step that begins on the ground is made as if neither side were pressed."""
    return function(key, params, state, jnp.where(slips(level, key, state), action & JUMP, action))


def slips(level: Any, key: jax.Array, state: Any) -> jax.Array:
    return (jax.random.uniform(stream(key, "slip")) < level) & state.grounded


def report_slip(level: Any, key: jax.Array, params: Any, state: Any, action: Any, after: Any) -> tuple:
    """It may act where the agent stands on the ground."""
    return state.grounded, slips(level, key, state), None


GUST = Inner(0.0, "gust", ("transition",), blow, report=report_gust)
SLIP = Inner(0.0, "slip", ("transition",), lose_grip, report=report_slip)
