"""How every random stream of the native path is derived and named.

seed -> root key -> one key per episode -> one per step (0 is the reset) -> one per stream, by name. So
episode 7 starts alike in a plain and a varied run however long episodes 0 to 6 were, and no variation
shifts another's draws.

Where a noise seed is given beside the seed, a moment has two keys (`Keys`): the env draws from the one of its
seed, the variations and their clocks from the other.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.typing import ArrayLike

from assay.core.streams import number_of


class Keys(NamedTuple):
    """The keys of one moment, where noise has a seed of its own."""

    game: jax.Array  # for the env
    noise: jax.Array  # for variations and their clocks


Key = jax.Array | Keys


def of_game(key: Key) -> jax.Array:
    return key.game if isinstance(key, Keys) else key


def of_noise(key: Key) -> jax.Array:
    return key.noise if isinstance(key, Keys) else key


def seed_words(seed: int) -> npt.NDArray[np.uint32]:
    """A seed of up to 64 bits as the two words of a key, (2,) uint32."""
    return np.array([seed >> 32, seed & 0xFFFFFFFF], np.uint32)


def root(words: ArrayLike) -> jax.Array:
    """The key of a seed, from its words."""
    key: jax.Array = jax.random.wrap_key_data(jnp.asarray(words, jnp.uint32), impl="threefry2x32")
    return key


def root_of(seed: int) -> jax.Array:
    return root(seed_words(seed))


def episode_key(root_key: jax.Array, episode: ArrayLike) -> jax.Array:
    return jax.random.fold_in(root_key, episode)


def step_key(of_episode: jax.Array, step: ArrayLike) -> jax.Array:
    """The key of step `step`; the reset is step 0, the first action belongs to step 1."""
    return jax.random.fold_in(of_episode, step)


def stream(key: jax.Array, name: str) -> jax.Array:
    return jax.random.fold_in(key, number_of(name))
