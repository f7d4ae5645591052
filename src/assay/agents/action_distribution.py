"""What a policy draws its actions from, for every kind of action space.

One whole number is drawn by the softmax of the network's outputs; of several numbers each by a softmax of its
own, so that no output stands for a combination; an array of a Box from a Gaussian around the outputs, whose
spread is a parameter that no observation changes.

A draw is what likelihoods are asked about: numbers counted from 0, or a flat array that knows no bounds. The
action that an env gets is cut to the bounds, and its likelihood is that of the draw, as in Stable-Baselines3.
An entry of a Box without a bound is not cut there.
"""

from __future__ import annotations

from math import log, pi, prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.agent import MOST_ACTIONS, how_many
from assay.core.space import Box, Discrete, Opaque, Space
from assay.errors import NotApplicable


def why_no_distribution(space: Space) -> str:
    """The reason why no actions of this space can be drawn, or ""."""
    if isinstance(space, Opaque):
        return f"it draws numbers, and these actions are a {space.what}"
    if isinstance(space, Box):
        if np.issubdtype(np.dtype(space.dtype), np.floating):
            return ""
        return f"its Gaussian draws fractions, and these actions are a Box of type {space.dtype}"
    if max(choices(space)) > MOST_ACTIONS:
        return f"it would choose among {max(choices(space)):,} actions, and {MOST_ACTIONS:,} is the most"
    return ""


def choices(space: Discrete) -> tuple[int, ...]:
    """The number of values of each entry."""
    return space.n if isinstance(space.n, tuple) else (space.n,)


def count_outputs(space: Space) -> int:
    """How many outputs a network needs for these actions."""
    return sum(choices(space)) if isinstance(space, Discrete) else prod(space.shape)


def first_spread(space: Space) -> Any:
    """The logarithm of a Gaussian's spread before any training, (outputs,); None where none is drawn from."""
    return None if isinstance(space, Discrete) else jnp.zeros(count_outputs(space))


def entries(space: Discrete, outputs: jax.Array) -> list[jax.Array]:
    """The outputs of each entry, (..., choices)."""
    return jnp.split(outputs, np.cumsum(choices(space))[:-1], -1)


def draw(key: jax.Array, space: Space, outputs: jax.Array, spread: Any) -> jax.Array:
    """A draw for each row of outputs, (...) or (..., entries)."""
    if not isinstance(space, Discrete):
        return outputs + jnp.exp(spread) * jax.random.normal(key, outputs.shape)
    if not isinstance(space.n, tuple):
        return jax.random.categorical(key, outputs).astype(jnp.int32)
    parts = entries(space, outputs)
    drawn = [jax.random.categorical(jax.random.fold_in(key, i), part) for i, part in enumerate(parts)]
    return jnp.stack(drawn, -1).astype(jnp.int32)


def likeliest(space: Space, outputs: jax.Array) -> jax.Array:
    """The most likely draw for each row of outputs."""
    if not isinstance(space, Discrete):
        return outputs
    if not isinstance(space.n, tuple):
        return jnp.argmax(outputs, -1).astype(jnp.int32)
    return jnp.stack([jnp.argmax(part, -1) for part in entries(space, outputs)], -1).astype(jnp.int32)


def likelihoods(space: Space, outputs: jax.Array, spread: Any, drawn: jax.Array) -> jax.Array:
    """The logarithm of each draw's probability, or of its density in a Box, (...)."""
    if not isinstance(space, Discrete):
        far = (drawn - outputs) / jnp.exp(spread)
        dense: jax.Array = -(0.5 * far**2 + spread + 0.5 * log(2 * pi)).sum(-1)
        return dense
    if not isinstance(space.n, tuple):
        return of_number(outputs, drawn)
    parts = enumerate(entries(space, outputs))
    return jnp.stack([of_number(part, drawn[..., i]) for i, part in parts]).sum(0)


def of_number(outputs: jax.Array, numbers: jax.Array) -> jax.Array:
    chosen: jax.Array = jnp.take_along_axis(jax.nn.log_softmax(outputs), numbers[..., None], -1)[..., 0]
    return chosen


def entropies(space: Space, outputs: jax.Array, spread: Any) -> jax.Array:
    """The entropy of each row's distribution, in nats, (...)."""
    if not isinstance(space, Discrete):
        every: jax.Array = (spread + 0.5 * log(2 * pi) + 0.5).sum()
        return jnp.broadcast_to(every, outputs.shape[:-1])
    if not isinstance(space.n, tuple):
        return of_shares(outputs)
    return jnp.stack([of_shares(part) for part in entries(space, outputs)]).sum(0)


def of_shares(outputs: jax.Array) -> jax.Array:
    shares = jax.nn.log_softmax(outputs)
    return -(jnp.exp(shares) * shares).sum(-1)


def as_action(space: Space, drawn: jax.Array) -> jax.Array:
    """The action that an env gets for one draw."""
    if isinstance(space, Discrete):
        return space.start + drawn
    assert isinstance(space, Box), "other values are not drawn"
    inside = jnp.clip(drawn.reshape(space.shape), jnp.asarray(space.low), jnp.asarray(space.high))
    return inside.astype(jax.dtypes.canonicalize_dtype(space.dtype))


def numbers_drawn(space: Discrete, action: jax.Array) -> jax.Array:
    """The draw behind an action of whole numbers; the inverse of `as_action`."""
    return (action - space.start).astype(jnp.int32)


def probabilities(space: Space, outputs: jax.Array) -> jax.Array:
    """How likely each numbered action is, (actions,), for one row of outputs; the last entry runs fastest."""
    if not isinstance(space, Discrete):
        raise NotApplicable("these actions are drawn from a Gaussian, and none has a probability.")
    if how_many(space) > MOST_ACTIONS:
        raise NotApplicable(
            f"these actions have {how_many(space):,} combinations, and probabilities are told of "
            f"{MOST_ACTIONS:,} at the most."
        )
    first, *others = (jax.nn.softmax(part) for part in entries(space, outputs))
    for other in others:
        first = (first[:, None] * other).reshape(-1)
    return first
