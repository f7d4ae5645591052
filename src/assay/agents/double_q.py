"""Tabular double Q-learning (van Hasselt 2010): two tables, each judging what the other would choose.

A coin says at every step which one learns; the agent acts by their sum. The largest of noisy values is too
large on average, and the value that another table gives to the same action is not. The defaults are those of
MDP Playground's tabular experiments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from assay.agents.tabular import Moved, Rule, Settings, agent_of, best
from assay.core.keys import stream


@dataclass(frozen=True)
class Config(Settings):
    name: ClassVar[str] = "double_q"

    learning_rate: float = 0.5  # share of the error that an update takes away


def update(tables: jax.Array, moved: Moved, config: Settings, key: jax.Array) -> jax.Array:
    one = jax.random.bernoulli(stream(key, "coin")).astype(jnp.int32)  # the table that learns
    chosen = best(tables[one, moved.after], stream(key, "ties"))
    # A time limit is not an ending: only termination stops the bootstrap.
    future = jnp.where(moved.out.terminated, 0.0, tables[1 - one, moved.after, chosen])
    error = moved.out.reward + config.discount * future - tables[one, moved.row, moved.action]
    return tables.at[one, moved.row, moved.action].add(config.learning_rate * error)


AGENT = agent_of(Config, Rule(update, tables=2))
