"""gym/<id>: any registered Gymnasium env as a host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from assay.core.space import Box, Discrete, Opaque, Space
from assay.errors import NotApplicable, UnknownName
from assay.names import suggest


class GymHost:
    """A Gymnasium env behind the host's five methods."""

    def __init__(self, env: gymnasium.Env):
        self.env = env
        self.spaces = {
            "action": space_of(env.action_space),
            "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": space_of(env.observation_space),
        }

    def reset(self, seed: int) -> tuple[Any, dict]:
        return self.env.reset(seed=seed)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        return self.env.step(action)

    def latent(self) -> np.ndarray | None:
        """MuJoCo's positions and velocities, else the state that classic control and toy text envs carry."""
        inner = self.env.unwrapped
        if hasattr(inner, "data") and hasattr(inner.data, "qpos"):
            return np.concatenate([inner.data.qpos, inner.data.qvel])
        if isinstance(getattr(inner, "state", None), (np.ndarray, tuple, list)):
            return np.asarray(inner.state, "float64")
        if isinstance(getattr(inner, "s", None), (int, np.integer)):
            return np.asarray(inner.s)
        return None

    def sample(self, rng: np.random.Generator) -> Any:
        """A random action, whatever the space is."""
        self.env.action_space.seed(int(rng.integers(2**31)))
        return self.env.action_space.sample()

    def close(self) -> None:
        self.env.close()


def space_of(space: spaces.Space) -> Space:
    """A Gymnasium space as ours."""
    if isinstance(space, spaces.Discrete):
        return Discrete(int(space.n), int(space.start))
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1 and not np.any(space.start):
        return Discrete(tuple(int(n) for n in space.nvec))
    if isinstance(space, spaces.Box):
        return Box(space.low, space.high, space.shape, str(space.dtype))
    return Opaque(type(space).__name__)


def build(name: str, settings: Mapping[str, Any], render_mode: str | None = None) -> GymHost:
    """The host of `gym/<id>`; it has no settings of its own."""
    id = name.removeprefix("gym/")
    # Not every env takes the argument, so it is passed only when asked for.
    wanted = {} if render_mode is None else {"render_mode": render_mode}
    try:
        env = gymnasium.make(id, **wanted)
    except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
        near = suggest(id, list(gymnasium.registry))
        hint = f"did you mean {near}? " if near else ""
        raise UnknownName(
            f"Gymnasium has no env called {id!r}; {hint}gymnasium.registry lists all."
        ) from error
    except (gymnasium.error.Error, ModuleNotFoundError) as error:
        raise UnknownName(f"Gymnasium cannot make {id!r}: {' '.join(str(error).split())}") from error
    modes = env.metadata.get("render_modes", [])
    if render_mode is not None and render_mode not in modes:
        env.close()
        raise NotApplicable(f"{name} renders as {', '.join(modes) or 'nothing'}, not as {render_mode!r}.")
    return GymHost(env)
