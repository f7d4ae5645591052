"""The pictures of a native episode, from one compiled scan."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import episode_key, root, seed_words, step_key
from assay.core.space import require_numbers
from assay.interop.native_env import as_a_lane
from assay.native import build_native
from assay.tasks import Resolved


def play_film(resolved: Resolved, seed: int, actions: Any) -> tuple[np.ndarray, np.ndarray]:
    """Observations (moments, ...) of episode 0 of a seed, and whether it is over, (moments,) bool.

    There is one moment more than there are actions; what comes after the end means nothing.
    """
    task = build_native(resolved).task
    space = require_numbers(loop.spaces(task)["action"])
    chosen = np.asarray(actions, space.dtype).reshape(-1, *space.shape)
    chosen = np.concatenate([chosen, np.full((1, *space.shape), space.zero, space.dtype)])
    pictures, over = episode(task, seed_words(seed), chosen)
    return np.asarray(pictures), np.asarray(over)


@jax.jit
def episode(task: Task, words: jax.Array, actions: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The observations and ends of `play_film`; the outcome of the last action is not observed."""
    return as_a_lane(episode_of_lane)(task, words, actions)


def episode_of_lane(task: Task, words: jax.Array, actions: jax.Array) -> tuple[jax.Array, jax.Array]:
    key = episode_key(root(words), 0)

    # First look, then act: so the program draws pictures in one place, not in a second one for the reset.
    def moment(before: tuple, chosen: jax.Array) -> tuple:
        world, ends = before
        time = world.time
        observation, world = loop.look(task, step_key(key, time), world, ends)
        out = loop.advance(task, step_key(key, time + 1), world, chosen)
        return (out.state, (out.terminated, out.truncated)), (observation, ends[0] | ends[1])

    not_yet = jnp.bool_(False), jnp.bool_(False)
    first = loop.start(task, step_key(key, 0))
    return jax.lax.scan(moment, (first, not_yet), actions)[1]
