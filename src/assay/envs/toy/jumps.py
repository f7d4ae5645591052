"""A variation of any toy env: the state jumps to one in which an episode could begin.

The jump comes after the step itself and its noise. Time goes on, and so do the hidden mode and all that waits
to be paid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.core.keys import stream
from assay.core.variation import Inner
from assay.envs.toy import continuous, discrete, grid

NAME = "state_jump"


def jump(
    land: Callable[..., Any], function: Any, level: Any, key: jax.Array, params: Any, state: Any, action: Any
) -> Any:
    """With chance `level` the step ends in a state drawn as that of a new episode."""
    after = function(key, params, state, action)
    whether, where = split_stream(key)
    landed = land(where, params, state, after)
    return jax.tree.map(partial(jnp.where, jax.random.uniform(whether) < level), landed, after)


def split_stream(key: jax.Array) -> jax.Array:
    """A key for whether the state jumps, and one for where it lands."""
    return jax.random.split(stream(key, NAME))


def land_in_state(key: jax.Array, params: Any, state: Any, after: Any) -> Any:
    """toy/discrete: the state reached is part of the trail that sequences are read from."""
    start = discrete.initial(key, params)
    return replace(discrete.arrive(params, state, start.current, start.irrelevant), mode=after.mode)


def land_in_cell(key: jax.Array, params: Any, state: Any, after: Any) -> Any:
    start = grid.initial(key, params)
    return replace(after, cell=start.cell, beside=start.beside)


def land_at_point(key: jax.Array, params: Any, state: Any, after: Any) -> Any:
    """toy/continuous: at rest, as an episode begins."""
    start = continuous.initial(key, params)
    past = continuous.shift_past(state, start.shown)
    return replace(after, derivatives=start.derivatives, shown=start.shown, past=past)


def report_jump(level: Any, key: jax.Array, params: Any, state: Any, action: Any, after: Any) -> tuple:
    """It may act at every step, and acts where the state jumps."""
    return True, jax.random.uniform(split_stream(key)[0]) < level, None


# Partial functions are compared by identity, so each is made once.
jump_of_discrete, jump_of_grid, jump_of_continuous = (
    partial(jump, land) for land in (land_in_state, land_in_cell, land_at_point)
)
DISCRETE = Inner(0.0, NAME, ("transition",), jump_of_discrete, report=report_jump)
GRID = Inner(0.0, NAME, ("transition",), jump_of_grid, report=report_jump)
CONTINUOUS = Inner(0.0, NAME, ("transition",), jump_of_continuous, report=report_jump)
