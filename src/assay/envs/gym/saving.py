"""Saving and restoring the state of the Gymnasium envs that are known well: not that of their generators."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import gymnasium

from assay.core.host import Powers

# Attributes that hold the state of an episode, by the beginning of the module.
ATTRIBUTES = {
    "gymnasium.envs.classic_control.": ("state", "steps_beyond_terminated", "last_u"),
    "gymnasium.envs.toy_text.": ("s", "lastaction", "player", "dealer"),
}
MUJOCO = "gymnasium.envs.mujoco."


def saving_powers(env: gymnasium.Env) -> Powers:
    """The powers of a host of this env: to save and restore where its state is known, else none."""
    inner: Any = env.unwrapped
    module = type(inner).__module__
    if env is not inner:
        return Powers()
    if module.startswith(MUJOCO):
        return Powers(save=lambda: save_physics(inner), restore=lambda saved: restore_physics(inner, saved))
    for beginning, names in ATTRIBUTES.items():
        if module.startswith(beginning):
            return Powers(save=saver(inner, names), restore=lambda saved: vars(inner).update(deepcopy(saved)))
    return Powers()


def saver(inner: Any, names: tuple[str, ...]) -> Callable[[], dict[str, Any]]:
    def save() -> dict[str, Any]:
        present = vars(inner)
        return {name: deepcopy(present[name]) for name in names if name in present}

    return save


def save_physics(inner: Any) -> tuple[Any, ...]:
    data = inner.data
    return data.time, data.qpos.copy(), data.qvel.copy(), data.qacc_warmstart.copy()


def restore_physics(inner: Any, saved: tuple[Any, ...]) -> None:
    time, position, velocity, warmstart = saved
    inner.set_state(position, velocity)
    inner.data.time = time
    inner.data.qacc_warmstart[:] = warmstart
