"""A pixel agent that comes trained: the policy of `ppo` on the plain platformer, with its weights shipped.

Config, weights, act, train: in that order. `benchmarks/ship_weights.py` makes the file and sets its digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import jax
import numpy as np

from assay.agents import ppo
from assay.agents.agent import Act, Agent, Trained, require_fit
from assay.agents.encoder import KERNELS, Layer
from assay.agents.shipped import FOLDER, Shipped
from assay.agents.tally import no_reports
from assay.core import step as loop
from assay.core.env import Task
from assay.core.space import Box, Discrete, Opaque, Space
from assay.errors import AssayError

NAME = "ppo-platformer"
PICTURE, ACTIONS = Box(0, 255, (128, 128, 3), "uint8"), Discrete(8)
DIGEST = "4c26a9de19f3ed555d075e0a1b2c64253e3925f95ff15f1b54884389a6177fed"
WEIGHTS = Shipped(FOLDER / "ppo_platformer.npz", DIGEST)


@dataclass(frozen=True)
class Config:
    steps: int = 0  # it comes trained, and learns nothing more
    greedy: bool = False  # whether it takes its most likely action instead of drawing one

    def __post_init__(self) -> None:
        if self.steps:
            raise AssayError(
                f"{NAME} comes trained and cannot be trained further, so steps is 0, not {self.steps}; "
                "ppo is the agent that learns."
            )


@cache
def load() -> ppo.Policy:
    """The weights, read once per process."""
    return policy_of(WEIGHTS.arrays())


def policy_of(arrays: Mapping[str, np.ndarray]) -> ppo.Policy:
    """A policy from its arrays, which are named by their paths."""

    def layer(name: str) -> Layer:
        return Layer(arrays[f".{name}.weights"], arrays[f".{name}.bias"])

    encoder = [layer(f"encoder[{i}]") for i in range(len(KERNELS) + 1)]
    return ppo.Policy(encoder, layer("actor"), layer("critic"))


def acts(config: Config) -> Act:
    return ppo.act_with(config.greedy)


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """The policy as it comes: there is nothing to learn."""
    require_fit(NAME, fits(loop.spaces(task)))
    return Trained(load(), no_reports())


def fits(spaces: dict[str, Space]) -> str:
    seen, actions = spaces["observation"], spaces["action"]
    if seen != PICTURE:
        return f"it was trained on pictures of {show_shape(PICTURE)} bytes, and {describe(seen)}"
    if actions != ACTIONS:
        return f"it chooses among the platformer's {ACTIONS.n} actions, and this task has others"
    return ""


def show_shape(space: Space) -> str:
    return " x ".join(map(str, space.shape))


def describe(space: Space) -> str:
    if isinstance(space, Box):
        return f"these observations are {show_shape(space) or 'one'} numbers of type {space.dtype}"
    return f"these observations are {'a ' + space.what if isinstance(space, Opaque) else 'whole numbers'}"


AGENT = Agent(
    Config,
    train,
    ppo.act,
    fits,
    acts,
    picture_act_s=ppo.ACT_S,
    load=load,
    shipped=WEIGHTS,
    alone=True,
    tells=ppo.tells,
)
