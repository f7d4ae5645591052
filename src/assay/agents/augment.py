"""Pictures changed at random before a learner sees them, so that it depends less on how they look.

A shift by a few pixels, its edges repeated (Kostrikov et al. 2020, Yarats et al. 2021), and a jitter of
brightness, contrast, saturation and hue (Laskin et al. 2020). The policy acts on the changed picture and
learns from the same one, so what PPO compares is one policy's doing.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.encoder import is_picture
from assay.core.keys import stream
from assay.core.space import Space

WHITE = 255
# Luma and two axes of colour (the YIQ of television): hue turns the two, saturation scales them.
TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]], np.float32)
FROM_YIQ = np.linalg.inv(TO_YIQ).astype(np.float32)


def augment(key: jax.Array, picture: jax.Array, shift: int, jitter: float) -> jax.Array:
    """One picture, (H, W, channels) or (H, W) uint8, changed; nothing is drawn for what is off."""
    if shift:
        picture = move(stream(key, "shift"), picture, shift)
    if jitter:
        picture = recolor(stream(key, "jitter"), picture, jitter)
    return picture


def without_pictures(config: Any, spaces: dict[str, Space]) -> str:
    """The reason why observations cannot be changed as the settings `shift` and `jitter` ask, or ""."""
    if (config.shift or config.jitter) and not is_picture(spaces["observation"]):
        return "shift and jitter change pictures, and these observations are none; set both to 0"
    return ""


def move(key: jax.Array, picture: jax.Array, most: int) -> jax.Array:
    """By up to `most` pixels down or up and right or left; beyond its edge the last pixels go on."""
    down, right = jax.random.randint(key, (2,), -most, most + 1)
    height, width = picture.shape[:2]
    rows = jnp.clip(jnp.arange(height) + down, 0, height - 1)
    columns = jnp.clip(jnp.arange(width) + right, 0, width - 1)
    return picture[rows][:, columns]


def recolor(key: jax.Array, picture: jax.Array, most: float) -> jax.Array:
    """Brightness, contrast and saturation times 1 - most to 1 + most; hue turned by up to most * pi.

    A picture of one channel has neither saturation nor hue.
    """
    brightness, contrast, saturation, turn = jax.random.uniform(key, (4,), minval=-most, maxval=most)
    pixels = picture.astype(jnp.float32) * (1 + brightness)
    if picture.ndim == 3 and picture.shape[-1] == 3:
        pixels = pixels @ turn_colors(1 + saturation, turn * jnp.pi).T
    middle = pixels.mean()
    pixels = middle + (pixels - middle) * (1 + contrast)
    return jnp.clip(jnp.round(pixels), 0, WHITE).astype(jnp.uint8)


def turn_colors(saturation: jax.Array, angle: jax.Array) -> jax.Array:
    """The matrix on red, green and blue that scales colours and turns them by an angle."""
    cosine, sine = saturation * jnp.cos(angle), saturation * jnp.sin(angle)
    zero, one = jnp.float32(0), jnp.float32(1)
    turned = jnp.array([[one, zero, zero], [zero, cosine, -sine], [zero, sine, cosine]])
    return jnp.asarray(FROM_YIQ) @ turned @ jnp.asarray(TO_YIQ)
