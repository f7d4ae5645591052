"""Adds irrelevant dimensions to a host: the point of toy/continuous, moved by actions of its own.

As in MDP Playground's wrapper, the point's position is appended to the observation and its push to the
action. The point's reward is ignored, and a point that reaches its target starts again at another position.
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
    """A host with `size` irrelevant dimensions; the host's own starts and draws do not change."""

    powers = Powers()

    def __init__(self, host: Any, size: int, name: str):
        for kind, space in (("actions", host.action_space), ("observations", host.observation_space)):
            if not isinstance(space, spaces.Box) or len(space.shape) != 1:
                raise NotApplicable(
                    f"irrelevant_dims needs {kind} that are a vector of numbers, and those of {name} are "
                    f"{space}; observation.process adds entries to any Box observation."
                )
        self.inner, self.size = host, size
        self.env, self.limit, self.fresh, self.ends_itself = host.env, host.limit, True, host.ends_itself
        self.action_space = widen_space(host.action_space, size, PUSH)
        self.observation_space = widen_space(host.observation_space, size, EDGE)
        self.spaces = host.spaces | {
            "action": space_of(self.action_space),
            "observation": space_of(self.observation_space),
        }
        self._stream, self._position = Renewable(), np.zeros(size, "float32")

    def reset(self, seed: int) -> tuple[np.ndarray, dict]:
        self._stream.renew(digest_number(seed, "irrelevant_dims"))
        observation, info = self.inner.reset(seed)
        self._draw_position()
        return self._append_position(observation), info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        observation, *rest = self.inner.step(action[: -self.size])
        push = np.clip(action[-self.size :], -PUSH, PUSH)
        self._position = np.clip(self._position + push, -EDGE, EDGE).astype("float32")
        if np.linalg.norm(self._position) < RADIUS:
            self._draw_position()
        return (self._append_position(observation), *rest)

    def latent(self) -> np.ndarray | None:
        hidden = self.inner.latent()
        return None if hidden is None else np.concatenate([hidden, self._position])

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        push = rng.uniform(-PUSH, PUSH, self.size).astype(self.action_space.dtype)
        return np.concatenate([self.inner.sample(rng), push])

    def close(self) -> None:
        self.inner.close()

    def _draw_position(self) -> None:
        self._position = self._stream.rng.uniform(-EDGE, EDGE, self.size).astype("float32")

    def _append_position(self, observation: np.ndarray) -> np.ndarray:
        return np.concatenate([observation, self._position.astype(observation.dtype)])


def widen_space(space: spaces.Box, size: int, edge: np.float32) -> spaces.Box:
    """A Box with `size` more entries, each from -edge to edge."""
    more = np.full(size, edge, space.dtype)
    return spaces.Box(
        np.concatenate([space.low, -more]), np.concatenate([space.high, more]), dtype=space.dtype.type
    )
