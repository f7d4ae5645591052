"""What a learner remembers of its steps: a ring of transitions, where the newest replaces the oldest.

The ring is a `Transition` of arrays with one row for each. Nothing here counts: the number of steps made so
far, which the learner has anyway, says where the next row goes and how many are filled.
"""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from assay.core.env import record
from assay.core.space import Space


@record
class Transition:
    """One step, or many of them along a first axis."""

    observation: Any
    action: Any  # its number, int32, or the value itself where actions are continuous
    reward: Any  # float32
    after: Any  # the true last observation at an end
    terminated: Any  # bool
    ended: Any  # bool; a time limit ends an episode too


def empty_replay(space: Space, action: jax.Array, length: int) -> Transition:
    """A ring for so many transitions with observations of this space and actions like this one."""
    observation = jnp.zeros(space.shape, jax.dtypes.canonicalize_dtype(space.dtype))
    row = Transition(observation, action, jnp.float32(0), observation, jnp.bool_(False), jnp.bool_(False))
    return jax.tree.map(lambda leaf: jnp.zeros((length, *leaf.shape), leaf.dtype), row)


Ring = TypeVar("Ring")  # arrays with a row for each step


def length_of(ring: Any) -> int:
    return len(jax.tree.leaves(ring)[0])


def remember(replay: Ring, step: jax.Array, transition: Ring) -> Ring:
    """The ring with one more row; `step` is the number of those before it."""
    row = step % length_of(replay)
    after: Ring = jax.tree.map(lambda all, one: all.at[row].set(one), replay, transition)
    return after


def remember_lanes(replay: Ring, step: jax.Array, rows: Ring) -> Ring:
    """The ring with a step of every lane; their number must divide that of the ring's rows."""
    row = step % length_of(replay)
    put = partial(jax.lax.dynamic_update_slice_in_dim, start_index=row, axis=0)
    after: Ring = jax.tree.map(lambda all, some: put(all, some.astype(all.dtype)), replay, rows)
    return after
