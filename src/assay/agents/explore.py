"""Epsilon-greedy choice among numbered actions."""

from __future__ import annotations

from typing import Any, Protocol

import jax
import jax.numpy as jnp

from assay.core.keys import stream


class Schedule(Protocol):
    """The settings that say how exploration falls."""

    @property
    def steps(self) -> int: ...

    @property
    def explore_until(self) -> float: ...

    @property
    def explore_last(self) -> float: ...


def best(values: jax.Array) -> jax.Array:
    """The number of the best action, () int32."""
    return jnp.argmax(values).astype(jnp.int32)


def explore(config: Schedule, key: jax.Array, step: jax.Array, values: jax.Array) -> jax.Array:
    """The number of an action, epsilon-greedy: epsilon falls in a straight line, then stays."""
    share = jnp.clip(step / (config.explore_until * config.steps), 0.0, 1.0)
    return stray(key, 1.0 + share * (config.explore_last - 1.0), values)


def stray(key: jax.Array, epsilon: Any, values: jax.Array) -> jax.Array:
    """The number of the best action, or with chance `epsilon` of any."""
    any_action = jax.random.randint(stream(key, "any action"), (), 0, values.shape[-1])
    return jnp.where(jax.random.uniform(stream(key, "explore")) < epsilon, any_action, best(values))
