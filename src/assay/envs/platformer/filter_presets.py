"""Ready-made filters: each is a chain of single filters, and one is drawn for each episode."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.platformer import filters
from assay.envs.platformer.palettes import POP_FILTERS


class Look(NamedTuple):
    """Strengths in the order in which they act; noir darkens its corners last, the others before."""

    saturation: float = 1.0
    hue: float = 0.0
    temperature: float = 0.0
    brightness: float = 0.0
    vignette: float = 0.0
    contrast: float = 1.0
    late_vignette: float = 0.0
    sharpen: float = 0.0


LOOKS = {
    "vintage": Look(saturation=0.7, temperature=0.3, vignette=0.3, contrast=1.1),
    "horror": Look(saturation=0.3, temperature=-0.4, brightness=-0.2, vignette=0.6, contrast=1.4),
    "retro": Look(saturation=1.5, hue=15.0, brightness=0.1, contrast=0.9),
    "cyberpunk": Look(saturation=1.8, temperature=-0.2, contrast=1.3, sharpen=0.5),
    "noir": Look(saturation=0.0, contrast=1.6, late_vignette=0.4),
    "none": Look(),
}


def apply_preset(frame: jax.Array, which: jax.Array) -> jax.Array:
    """The frame under the filter of this number, uint8 in and out."""
    table = np.array([LOOKS[name] for name in POP_FILTERS], np.float32)
    look = Look(*jnp.asarray(table)[which])
    v = filters.recolor(frame.astype(jnp.float32), look.saturation, 0.0)
    v = filters.recolor(v, 1.0, look.hue)
    v = filters.adjust_brightness(filters.adjust_temperature(v, look.temperature), look.brightness)
    v = filters.adjust_contrast(filters.add_vignette(v, look.vignette), look.contrast)
    v = filters.sharpen(filters.add_vignette(v, look.late_vignette), look.sharpen)
    return jnp.where(which == POP_FILTERS.index("none"), frame, filters.as_bytes(v))
