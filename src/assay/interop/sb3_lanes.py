"""The class behind `make_sb3`; importing it imports Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from assay.errors import NotApplicable
from assay.interop.sb3_vec_env import rejoin


class Sb3Lanes(VecEnv):
    """A vector env of Gymnasium's, whose lanes begin anew in the step in which an episode ends."""

    def __init__(self, venv: gymnasium.vector.VectorEnv):
        self.venv = venv
        super().__init__(venv.num_envs, venv.single_observation_space, venv.single_action_space)

    def reset(self) -> Any:
        if any(self._options):
            raise NotApplicable("a task takes no options of reset; write what varies into its text.")
        # Lane i has the seed of lane 0 plus i, in Stable-Baselines3 as here.
        observations, _ = self.venv.reset(seed=self._seeds[0])
        self._reset_seeds()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        return rejoin(self.venv, self.actions)

    def close(self) -> None:
        self.venv.close()

    def places(self, indices: Any) -> int:
        """How many lanes Stable-Baselines3 means."""
        return len(list(self._get_indices(indices)))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute that all lanes share."""
        return [getattr(self.venv, attr_name)] * self.places(indices)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotApplicable(f"{attr_name} of a task cannot be set; write what varies into its text.")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **named: Any) -> list[Any]:
        raise NotApplicable(f"lanes of a task have no method {method_name} of their own; use assay.make.")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.places(indices)
