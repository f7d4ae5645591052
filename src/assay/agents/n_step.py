"""Returns of several steps, read off the replay: the rewards that followed, then one value.

Rows of one lane lie `lanes` apart in the ring, so the steps after a row are found there when it is drawn, and
nothing is stored beside the ring. A return ends early where the episode did, and at the newest row: what
comes after that has not happened yet.
"""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp

from assay.agents.replay import Transition, rows_at


def look_ahead(
    replay: Transition, rows: jax.Array, step: jax.Array, count: int, discount: float, lanes: int = 1
) -> tuple[Transition, jax.Array]:
    """The transitions in these rows with up to `count` rewards in one, and what is still worth what follows.

    The reward is discounted, observation after and ending are those of the last step that was added. `step`
    is the number of transitions made so far. What follows is worth discount^steps, or 0 after a termination.
    """
    length = len(replay.reward)
    first = last = rows_at(replay, rows)
    newer = (step - 1 - rows) % length  # rows of the ring that were filled after these
    reward, worth = first.reward, jnp.full(rows.shape, discount)
    going = ~first.ended
    for k in range(1, count):
        now = rows_at(replay, (rows + k * lanes) % length)
        going = going & (newer >= k * lanes)
        reward = reward + jnp.where(going, worth * now.reward, 0.0)
        worth = jnp.where(going, worth * discount, worth)
        last = jax.tree.map(lambda new, old, going=going: choose(going, new, old), now, last)
        going = going & ~now.ended
    summed = replace(first, reward=reward, after=last.after, terminated=last.terminated, ended=last.ended)
    return summed, jnp.where(last.terminated, 0.0, worth)


def choose(which: jax.Array, new: jax.Array, old: jax.Array) -> jax.Array:
    return jnp.where(which.reshape(which.shape + (1,) * (new.ndim - 1)), new, old)
