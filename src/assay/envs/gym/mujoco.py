"""MuJoCo envs from inside: the range of actions and how long one lasts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from assay.envs.gym.host import GymHost
from assay.errors import NotApplicable, WrongLevel


class MujocoHost(GymHost):
    """A MuJoCo env with its action bounds, its frame skip and its reward set by the task."""

    def __init__(self, env: gymnasium.Env, name: str, settings: Mapping[str, Any]):
        inner = env.unwrapped
        if not hasattr(inner, "frame_skip") or not hasattr(inner, "model"):
            first = next(iter(settings))
            raise NotApplicable(f"{first} is for MuJoCo envs, such as gym/HalfCheetah-v5, not {name}.")
        widen(inner, settings.get("action_range", 1.0))
        time_unit = settings.get("time_unit", 1.0)
        prolong(inner, time_unit, name)
        super().__init__(env)
        self._factor = time_unit if settings.get("reward_per_time", True) else 1.0
        if self._factor != 1.0:
            self.step = self.step_per_time

    def step_per_time(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        """HalfCheetah's two weights, and the whole reward of Pusher and Reacher: in each the same factor."""
        outcome: tuple[Any, Any, bool, bool, dict] = self.env.step(action)
        observation, reward, terminated, truncated, info = outcome
        return observation, reward * self._factor, terminated, truncated, info


def widen(inner: Any, factor: float) -> None:
    """Multiplies the bounds, and switches off the physics' own clamping beside the flags that are set."""
    if factor == 1.0:
        return
    import mujoco

    space, single = inner.action_space, np.float32(factor)
    inner.action_space = spaces.Box(space.low * single, space.high * single, dtype=space.dtype.type)
    inner.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)


def prolong(inner: Any, time_unit: float, name: str) -> None:
    """Multiplies the physics steps of an action; what is not a whole number above 0 is refused."""
    plain = inner.frame_skip
    steps = round(plain * time_unit)
    if steps < 1 or abs(plain * time_unit - steps) > 1e-6:
        raise WrongLevel(
            f"time_unit={time_unit:g} makes {plain * time_unit:g} of the {plain} physics steps of an action "
            f"of {name}; take a multiple of 1/{plain}."
        )
    inner.frame_skip = steps
    if "render_fps" in inner.metadata:
        inner.metadata = {**inner.metadata, "render_fps": round(1 / inner.dt)}
