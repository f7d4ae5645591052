"""What the agent cannot see, on any toy env: a mode that flips, and states that look alike.

Both stand in for a component only where they are asked for: a mode that never flips would cost a draw a step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax

from assay.core.keys import stream
from assay.core.variation import Inner


def flipping(function: Any, level: Any, key: jax.Array, params: Any, state: Any, action: Any) -> Any:
    """With chance `level` the mode flips, then the step is made in the mode that is on."""
    flips = flips_now(level, key)
    return function(key, params, replace(state, mode=state.mode ^ flips), action)


def flips_now(level: Any, key: jax.Array) -> jax.Array:
    return jax.random.uniform(stream(key, "hidden_mode")) < level


def report_flip(level: Any, key: jax.Array, params: Any, state: Any, action: Any, after: Any) -> tuple:
    """At every step; the mode flips. The detail is the mode that is on."""
    return True, flips_now(level, key), after.mode


def alike(function: Any, level: Any, key: jax.Array, params: Any, state: Any) -> Any:
    """What is seen of the first among `level` neighbours."""
    return function(key, params, state.looking_like(level))


HIDDEN_MODE = Inner(0.0, "hidden_mode", ("transition",), flipping, report=report_flip)
ALIASED = Inner(1, "aliased", ("observation",), alike, neutral=1)
