"""Variations of any toy env that hide part of its state: a mode that flips, and states that look alike.

Each replaces a component only in tasks that name it: a mode that never flips would cost a draw at every step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax

from assay.core.keys import stream
from assay.core.variation import Inner


def flip_mode(function: Any, level: Any, key: jax.Array, params: Any, state: Any, action: Any) -> Any:
    """With chance `level` the mode flips; the step is then made in the new mode."""
    flips = draw_flip(level, key)
    return function(key, params, replace(state, mode=state.mode ^ flips), action)


def draw_flip(level: Any, key: jax.Array) -> jax.Array:
    return jax.random.uniform(stream(key, "hidden_mode")) < level


def report_flip(level: Any, key: jax.Array, params: Any, state: Any, action: Any, after: Any) -> tuple:
    """It may act at every step, and acts where the mode flips. The detail is the mode that is on."""
    return True, draw_flip(level, key), after.mode


def show_first_alike(function: Any, level: Any, key: jax.Array, params: Any, state: Any) -> Any:
    """The observation of the first among `level` neighbouring states."""
    return function(key, params, state.first_alike(level))


HIDDEN_MODE = Inner(0.0, "hidden_mode", ("transition",), flip_mode, report=report_flip)
ALIASED = Inner(1, "aliased", ("observation",), show_first_alike, neutral=1)
