"""Uniformly random actions, against which every agent is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.agent import Agent, Trained, how_many
from assay.agents.tally import no_reports
from assay.core import step as loop
from assay.core.env import Task
from assay.core.space import Box, Discrete


@dataclass(frozen=True)
class Config:
    steps: int = 0  # nothing is learned


def act(task: Task, params: Any, memory: Any, key: jax.Array, observation: Any) -> tuple[jax.Array, Any]:
    space = loop.spaces(task)["action"]
    if isinstance(space, Discrete):
        return space.start + jax.random.randint(key, space.shape, 0, jnp.asarray(space.n)), memory
    assert isinstance(space, Box), "a native action is a number or an array"
    return jax.random.uniform(key, space.shape, minval=space.low, maxval=space.high), memory


def chances(task: Task, params: Any, memory: Any, observation: Any) -> jax.Array:
    """Every numbered action is as likely as the others."""
    count = how_many(loop.spaces(task)["action"])
    return jnp.full(count, 1 / count)


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    return Trained((), no_reports())


AGENT = Agent(Config, train, act, sees=False, chances=chances)
