"""Tabular Q-learning (Watkins 1989). Its settings and its update; `tabular.py` has what tables share.

The defaults are those of MDP Playground's tabular experiments, with the standard update: a terminal step
drops the bootstrap and subtracts the old value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from assay.agents.tabular import Moved, Rule, Settings, agent_of


@dataclass(frozen=True)
class Config(Settings):
    name: ClassVar[str] = "tabular_q"


def update(table: jax.Array, moved: Moved, config: Settings, key: jax.Array) -> jax.Array:
    # A time limit is not an ending: only termination stops the bootstrap.
    future = jnp.where(moved.out.terminated, 0.0, table[moved.after].max())
    error = moved.out.reward + config.discount * future - table[moved.row, moved.action]
    return table.at[moved.row, moved.action].add(config.learning_rate * error)


AGENT = agent_of(Config, Rule(update))
