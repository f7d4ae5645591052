"""MuJoCo envs with another range of actions and another duration of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from assay.envs.gym.host import GymHost
from assay.errors import NotApplicable, WrongLevel


class MujocoHost(GymHost):
    """A MuJoCo env whose action bounds, frame skip and reward scale the task sets."""

    def __init__(self, env: gymnasium.Env, name: str, settings: Mapping[str, Any]):
        inner = env.unwrapped
        if not hasattr(inner, "frame_skip") or not hasattr(inner, "model"):
            first = next(iter(settings))
            raise NotApplicable(f"{first} is for MuJoCo envs, such as gym/HalfCheetah-v5, not for {name}.")
        widen_bounds(inner, settings.get("action_range", 1.0))
        time_unit = settings.get("time_unit", 1.0)
        lengthen_action(inner, time_unit, name)
        super().__init__(env)
        self._factor = time_unit if settings.get("reward_per_time", True) else 1.0
        if self._factor != 1.0:
            self.step = self.step_per_time

    def step_per_time(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        """Multiplies the reward by time_unit.

        MDP Playground multiplies both weights of HalfCheetah's reward, and all of Pusher's and Reacher's,
        which is the same factor in each.
        """
        outcome: tuple[Any, Any, bool, bool, dict] = self.env.step(action)
        observation, reward, terminated, truncated, info = outcome
        return observation, reward * self._factor, terminated, truncated, info


def widen_bounds(inner: Any, factor: float) -> None:
    """Multiplies the bounds and switches off the clamping of the physics; its other flags stay."""
    if factor == 1.0:
        return
    import mujoco

    space, single = inner.action_space, np.float32(factor)
    inner.action_space = spaces.Box(space.low * single, space.high * single, dtype=space.dtype.type)
    inner.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)


def lengthen_action(inner: Any, time_unit: float, name: str) -> None:
    """Multiplies the physics steps of an action; a result that is not a whole number above 0 is refused."""
    plain = inner.frame_skip
    steps = round(plain * time_unit)
    if steps < 1 or abs(plain * time_unit - steps) > 1e-6:
        raise WrongLevel(
            f"time_unit={time_unit:g} turns the {plain} physics steps of an action of {name} into "
            f"{plain * time_unit:g}, which is not a whole number; take a multiple of 1/{plain}."
        )
    inner.frame_skip = steps
    if "render_fps" in inner.metadata:
        inner.metadata = {**inner.metadata, "render_fps": round(1 / inner.dt)}
