"""Tabular SARSA (Rummery and Niranjan 1994): the value of the action that is taken next, even if it explores.

The next action is chosen before the update and then taken. The defaults are those of MDP Playground's tabular
experiments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from assay.agents.tabular import Moved, Rule, Settings, agent_of


@dataclass(frozen=True)
class Config(Settings):
    name: ClassVar[str] = "sarsa"

    learning_rate: float = 0.1  # share of the error that an update takes away


def update(table: jax.Array, moved: Moved, config: Settings, key: jax.Array) -> jax.Array:
    # A time limit is not an ending: only termination stops the bootstrap.
    future = jnp.where(moved.out.terminated, 0.0, table[moved.after, moved.following])
    error = moved.out.reward + config.discount * future - table[moved.row, moved.action]
    return table.at[moved.row, moved.action].add(config.learning_rate * error)


AGENT = agent_of(Config, Rule(update, looks_ahead=True))
