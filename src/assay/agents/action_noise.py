"""Noise on the actions of a policy that draws none itself: independent draws, or a drifting noise."""

from __future__ import annotations

import jax
import jax.numpy as jnp

GAUSSIAN, ORNSTEIN_UHLENBECK = KINDS = "gaussian", "ornstein_uhlenbeck"


def gaussian(key: jax.Array, like: jax.Array, scale: float) -> jax.Array:
    """Independent normal draws of this standard deviation."""
    return scale * jax.random.normal(key, like.shape)


def ornstein_uhlenbeck(
    key: jax.Array, before: jax.Array, fresh: jax.Array, scale: float, pull: float
) -> jax.Array:
    """A drifting noise that is pulled back to 0; where an episode is `fresh` it starts from 0.

    (Uhlenbeck and Ornstein 1930, in the discrete form of Lillicrap et al. 2015.)
    """
    kept = jnp.where(fresh[..., None], 0.0, (1 - pull) * before)
    return kept + scale * jax.random.normal(key, before.shape)
