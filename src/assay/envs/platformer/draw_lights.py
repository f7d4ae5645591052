"""Draws point lights: they stand still on the screen and only add light."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_background import color_array
from assay.envs.platformer.filters import as_bytes
from assay.envs.platformer.palettes import LIGHT_COLORS


def add_lights(frame: jax.Array, params: Params, scene: Any) -> jax.Array:
    """The frame, uint8, under the lights of this episode."""
    height, width, effects = params.H, params.W, params.effects
    reach = (height**2 + width**2) * effects.point_light_radius**2  # squared, as all distances here
    colors = jnp.asarray(color_array(LIGHT_COLORS))[params.tables.light_colors].astype(jnp.float32)
    rows, columns = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)
    v = frame.astype(jnp.float32)
    for number in range(effects.point_light_count):
        across, down = columns - scene.lights[number, 0] * width, rows - scene.lights[number, 1] * height
        away = (across**2 + down**2) / reach
        light = 1 / (1 + jnp.exp(effects.point_light_falloff / 2 * jnp.log(away)))  # at 0 the power is 0
        v = v + light * (colors[number] * effects.point_light_intensity)[:, None, None]
    return as_bytes(v)
