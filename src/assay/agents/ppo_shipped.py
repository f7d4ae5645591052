"""Policies of `ppo` that come trained: a file of weights, what they see and do, and nothing to learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

import jax
import numpy as np

from assay.agents.agent import Agent, Trained, require_fit
from assay.agents.encoder import Layer
from assay.agents.normalise import Running
from assay.agents.policy_network import ACT_S, Policy, act, acts, tells
from assay.agents.shipped import Shipped
from assay.agents.tally import no_reports
from assay.core import step as loop
from assay.core.env import Task
from assay.core.space import Box, Discrete, Opaque, Space
from assay.errors import AssayError


@dataclass(frozen=True)
class Config:
    steps: int = 0  # it comes trained, and learns nothing more
    greedy: bool = False  # whether it takes its most likely action instead of drawing one

    def __post_init__(self) -> None:
        if self.steps:
            raise AssayError(
                "an agent that comes trained cannot be trained further, so its steps are 0, "
                f"not {self.steps}; ppo is the agent that learns."
            )


@dataclass(frozen=True)
class GreedyConfig(Config):
    greedy: bool = True


def policy_of(arrays: Mapping[str, np.ndarray]) -> Policy:
    """A policy from its arrays, which are named by their paths, in float32 however they are stored."""

    def read(name: str) -> np.ndarray:
        return arrays[f".{name}"].astype(np.float32)

    def layer(name: str) -> Layer:
        return Layer(read(f"{name}.weights"), read(f"{name}.bias"))

    count = sum(name.startswith(".encoder[") and name.endswith(".bias") for name in arrays)
    seen = Running(*(read(f"seen.{each}") for each in Running._fields)) if ".seen.mean" in arrays else None
    return Policy([layer(f"encoder[{i}]") for i in range(count)], layer("actor"), layer("critic"), seen=seen)


def trained_agent(
    name: str, weights: Shipped, seen: Box, actions: Discrete, hosted: bool = False,
    config: type[Config] = Config,
) -> Agent:  # fmt: skip
    """The agent of a file of weights, for observations of this space and so many actions."""
    fits = partial(why_unfit, weights, seen, actions)

    @cache
    def load() -> Policy:
        return policy_of(weights.arrays())

    def train(key: jax.Array, task: Task, settings: Config = config()) -> Trained:
        """The policy as it comes: there is nothing to learn."""
        require_fit(name, fits(loop.spaces(task)))
        return Trained(load(), no_reports())

    return Agent(
        config, train, act, fits, acts, picture_act_s=ACT_S, load=load, shipped=weights, alone=True,
        tells=tells, hosted=hosted,
    )  # fmt: skip


def why_unfit(weights: Shipped, seen: Box, actions: Discrete, spaces: dict[str, Space]) -> str:
    why = ""
    if spaces["observation"] != seen:
        why = f"it was trained on {show_shape(seen)} bytes, and {describe(spaces['observation'])}"
    elif spaces["action"] != actions:
        why = f"it chooses among {actions.n} actions, and this task has others"
    if not why:
        return ""
    home = weights.provenance().task
    objects = " (a suite of that game takes --with observation=objects)" if "=objects" in home else ""
    return f"{why}; it plays {home}{objects}"


def show_shape(space: Space) -> str:
    return " x ".join(map(str, space.shape))


def describe(space: Space) -> str:
    if isinstance(space, Box):
        return f"these observations are {show_shape(space) or 'one'} numbers of type {space.dtype}"
    return f"these observations are {'a ' + space.what if isinstance(space, Opaque) else 'whole numbers'}"
