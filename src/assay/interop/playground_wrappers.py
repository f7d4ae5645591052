"""Whole env configs of MDP Playground: an env by its name, a horizon, and an env_config, as its files have.

`RLToy-v0` is a toy env. The other names are its wrappers around Atari's games and MuJoCo's bodies, which are
tasks of `atari` and `gym` here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.catalogue import axis_of
from assay.core.axis import show_value
from assay.errors import NotApplicable
from assay.interop.playground_host import host_task
from assay.task_text import TaskText, suggest
from assay.tasks import task, to_plain

TOY, ATARI = "RLToy-v0", "GymEnvWrapper-Atari"
BODIES = {  # the wrapper's name: our task, and the steps after which it cuts an episode
    "HalfCheetahWrapper-v3": ("gym/HalfCheetah-v5", 1000),
    "HopperWrapper-v3": ("gym/Hopper-v5", 1000),
    "PusherWrapper-v2": ("gym/Pusher-v5", 100),
    "ReacherWrapper-v2": ("gym/Reacher-v5", 50),
}
ENVS = (TOY, ATARI, *BODIES)
AROUND = ("env", "horizon", "soft_horizon", "env_config")
SCREEN = 84  # pixels, the side of the only small screen there is
# What the arcade's own constructor takes: key -> our axis.
OF_ARCADE = {"repeat_action_probability": "sticky", "mode": "mode", "difficulty": "difficulty"}
OBSERVATIONS = {"image": "rgb", "rgb": "rgb", "grayscale": "gray", "ram": "ram"}
OF_PREPROCESSING = ("atari_preprocessing", "frame_skip", "grayscale_obs", "image_width", "AtariEnv")


def is_whole(config: Mapping[str, Any]) -> bool:
    """Whether a config names its env beside the env's own config."""
    return "env" in config or "env_config" in config


def split_config(config: Mapping[str, Any]) -> tuple[str, Mapping[str, Any], Any]:
    """The env's name, its own config and the horizon of a whole config."""
    name, own = config.get("env", TOY), config.get("env_config", {})
    if not isinstance(name, str) or name not in ENVS:
        near = suggest(str(name), ENVS)
        raise NotApplicable(
            f"env={show_value(name)} is none of {', '.join(ENVS)}{f'; did you mean {near}?' if near else '.'}"
        )
    if not isinstance(own, Mapping):
        raise NotApplicable(f"env_config is a dict of the env's keys, not {show_value(own)}.")
    for key in config:
        if key not in AROUND:
            raise NotApplicable(f"{key} stands beside env_config, where only {', '.join(AROUND)} are read.")
    if config.get("soft_horizon"):
        raise NotApplicable("soft_horizon=true goes on after the horizon, and an episode ends there here.")
    return name, own, config.get("horizon")


def wrapped_task(name: str, own: Mapping[str, Any], horizon: Any) -> tuple[TaskText, list[str]]:
    """The task of one of the wrappers, and the keys dropped."""
    if name == ATARI:
        base, rest, dropped = game_of(own)
    else:
        base, rest, dropped = body_of(name, own, horizon)
    text, more = host_task(rest, base)
    return text, [*dropped, *more]


def game_of(own: Mapping[str, Any]) -> tuple[str, dict[str, Any], list[str]]:
    """The game's task before it is varied, the keys that vary it, and the keys dropped."""
    arcade = own.get("AtariEnv")
    if not isinstance(arcade, Mapping) or not isinstance(arcade.get("game"), str):
        raise NotApplicable(f"{ATARI} needs AtariEnv, a dict with the game, such as {{'game': 'qbert'}}.")
    settings: dict[str, Any] = {"sticky": 0.0}
    for key, value in arcade.items():
        if key in OF_ARCADE:
            settings[OF_ARCADE[key]] = value
        elif key == "obs_type" and value in OBSERVATIONS:
            settings["observation"] = OBSERVATIONS[value]
        elif key == "full_action_space":
            settings["actions"] = "full" if value else "minimal"
        elif key not in ("game", "frameskip"):
            raise NotApplicable(f"AtariEnv[{key!r}]={show_value(value)} cannot be honoured; leave it out.")
    skip = arcade.get("frameskip", (2, 5))
    dropped = []
    if own.get("atari_preprocessing"):
        if skip != 1 or settings.get("observation", "rgb") != "rgb":
            raise NotApplicable(
                "atari_preprocessing needs AtariEnv with frameskip=1 and obs_type=image, as Gymnasium's does."
            )
        if own.get("image_width", SCREEN) != SCREEN:
            raise NotApplicable(
                f"image_width={show_value(own['image_width'])} cannot be honoured: small screens are "
                f"{SCREEN} x {SCREEN} pixels; leave it out."
            )
        skip, dropped = own.get("frame_skip", 4), ["atari_preprocessing", "image_width"]
        if not own.get("grayscale_obs", False):
            dropped.append("grayscale_obs")  # a screen of this size is gray here
        settings |= {"observation": "gray84", "stack": 1, "noops": 1}
    elif isinstance(skip, (tuple, list)):
        skip = (skip[0], skip[1] - 1)  # the arcade's own range leaves out its end
    settings["frameskip"] = skip
    game = "".join(part.capitalize() for part in arcade["game"].split("_"))
    rest = {key: value for key, value in own.items() if key not in OF_PREPROCESSING}
    return str(plain_task(f"atari/{game}", settings)), rest, [key for key in dropped if key in own]


def body_of(name: str, own: Mapping[str, Any], horizon: Any) -> tuple[str, dict[str, Any], list[str]]:
    """The same for a MuJoCo body; its episodes last as many seconds whatever the time_unit."""
    base, limit = BODIES[name]
    settings = {f"make.{key}": value for key, value in own.get("MujocoEnv", {}).items()}
    if horizon is not None:
        steps = int(horizon / own.get("time_unit", 1.0))
        if steps != limit:
            settings["make.max_episode_steps"] = steps
    rest = {key: value for key, value in own.items() if key != "MujocoEnv"}
    return str(plain_task(base, settings)), rest, []


def plain_task(base: str, settings: Mapping[str, Any]) -> TaskText:
    """The task without the settings that are plain."""
    away = {}
    for name, value in settings.items():
        axis = axis_of(base, name)
        if axis.neutral is None or to_plain(axis.to_level(to_plain(value))) != axis.neutral:
            away[name] = value
    return task(base, away)
