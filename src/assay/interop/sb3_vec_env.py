"""Lanes of a task in the form in which Stable-Baselines3 trains: `make_sb3(text, num_envs)`.

Stable-Baselines3 has vector envs of a form of its own. Gymnasium's with an autoreset in the same step hold
all that it asks for: the last observation of an episode, and whether a limit cut it, since it then learns
from the value of what would have come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from assay.errors import NotApplicable
from assay.interop.vector import make_vec
from assay.task_text import TaskText

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import VecEnv


def make_sb3(
    text: str | TaskText, num_envs: int, config: Mapping[str, Any] | None = None, workers: int | None = None
) -> VecEnv:
    """Lanes of a task as a `VecEnv` of Stable-Baselines3; `config` and `workers` are those of `make_vec`.

    An info has, beside what the task tells of a step, `terminal_observation` and `TimeLimit.truncated` where
    an episode ended. `VecMonitor` around it logs returns.
    """
    try:
        from assay.interop.sb3_lanes import Sb3Lanes
    except ImportError:
        raise NotApplicable(
            "make_sb3 needs PyTorch and Stable-Baselines3, which are not installed; "
            'pip install "rl-assay[sb3]".'
        ) from None
    return Sb3Lanes(make_vec(text, num_envs, config, autoreset="same-step", workers=workers))


def infos_by_lane(infos: Mapping[str, Any], over: np.ndarray) -> list[dict[str, Any]]:
    """Gymnasium's one record of arrays as a record for each lane, of the last step where an episode ended."""
    found = [of_lane(infos, lane) for lane in range(len(over))]
    for lane in np.flatnonzero(over).tolist():
        last = infos.get("final_info", {})
        found[lane] |= of_lane(last, lane)
    return found


def of_lane(infos: Mapping[str, Any], lane: int) -> dict[str, Any]:
    """What holds for this lane; a mask `_name` beside a value says where it does."""
    return {
        name: value[lane]
        for name, value in infos.items()
        if f"_{name}" in infos and infos[f"_{name}"][lane] and isinstance(value, np.ndarray)
    }


def rejoin(venv: gymnasium.vector.VectorEnv, actions: np.ndarray) -> tuple[Any, ...]:
    """A step as Stable-Baselines3 counts it: observations, rewards, whether episodes ended, infos."""
    observations, rewards, terminated, truncated, infos = venv.step(actions)
    over = terminated | truncated
    told = infos_by_lane(infos, over)
    for lane in np.flatnonzero(over).tolist():
        told[lane]["terminal_observation"] = told[lane].pop("final_obs")
        told[lane]["TimeLimit.truncated"] = bool(truncated[lane] and not terminated[lane])
    return observations, rewards.astype(np.float32), over, told
