"""Dimensions beside a host that do not matter: the point of toy/continuous, moved by actions of its own.

As MDP Playground's wrapper has it: observation and action grow by the point's place and its push, the host's
own first; what the point earns is ignored, and where it reaches its target it begins anew without a word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from assay.core.host import Powers
from assay.core.streams import Renewable, digest_number
from assay.envs.gym.host import space_of
from assay.errors import NotApplicable

EDGE, PUSH, RADIUS = np.float32(10.0), np.float32(1.0), 0.05  # of the vanilla toy/continuous


class HostWithIrrelevantDims:
    """A host with `size` dimensions beside it; its own start and draws stay as they were."""

    powers = Powers()

    def __init__(self, host: Any, size: int, name: str):
        for kind, space in (("actions", host.action_space), ("observations", host.observation_space)):
            if not isinstance(space, spaces.Box) or len(space.shape) != 1:
                raise NotApplicable(
                    f"irrelevant_dims stands beside {kind} that are a row of numbers, and those of {name} "
                    f"are {space}; observation.process goes beside any Box observation."
                )
        self.inner, self.size = host, size
        self.env, self.limit, self.fresh, self.ends_itself = host.env, host.limit, True, host.ends_itself
        self.action_space = widen_space(host.action_space, size, PUSH)
        self.observation_space = widen_space(host.observation_space, size, EDGE)
        self.spaces = host.spaces | {
            "action": space_of(self.action_space),
            "observation": space_of(self.observation_space),
        }
        self._stream, self._place = Renewable(), np.zeros(size, "float32")

    def reset(self, seed: int) -> tuple[np.ndarray, dict]:
        self._stream.renew(digest_number(seed, "irrelevant_dims"))
        observation, info = self.inner.reset(seed)
        self._begin()
        return self._seen(observation), info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        observation, *rest = self.inner.step(action[: -self.size])
        push = np.clip(action[-self.size :], -PUSH, PUSH)
        self._place = np.clip(self._place + push, -EDGE, EDGE).astype("float32")
        if np.linalg.norm(self._place) < RADIUS:
            self._begin()
        return (self._seen(observation), *rest)

    def latent(self) -> np.ndarray | None:
        hidden = self.inner.latent()
        return None if hidden is None else np.concatenate([hidden, self._place])

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        push = rng.uniform(-PUSH, PUSH, self.size).astype(self.action_space.dtype)
        return np.concatenate([self.inner.sample(rng), push])

    def close(self) -> None:
        self.inner.close()

    def _begin(self) -> None:
        self._place = self._stream.rng.uniform(-EDGE, EDGE, self.size).astype("float32")

    def _seen(self, observation: np.ndarray) -> np.ndarray:
        return np.concatenate([observation, self._place.astype(observation.dtype)])


def widen_space(space: spaces.Box, size: int, edge: np.float32) -> spaces.Box:
    more = np.full(size, edge, space.dtype)
    return spaces.Box(
        np.concatenate([space.low, -more]), np.concatenate([space.high, more]), dtype=space.dtype.type
    )
