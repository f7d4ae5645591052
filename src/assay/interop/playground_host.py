"""MDP Playground's wrapper: a config's keys as variations of a hosted env, by our channels' names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from assay.catalogue import env_entry
from assay.core.axis import as_plain_number, show_value
from assay.core.space import Discrete, Space
from assay.errors import NotApplicable, WrongLevel
from assay.hosted import build_hosted
from assay.task_text import TaskText
from assay.tasks import resolve, task

# Keys that do not concern the task: those that the original ignores, and seeds, which reset(seed=) takes.
WITHOUT_EFFECT = (
    "state_space_type", "action_space_type", "log_level", "log_filename", "dtype_s", "dtype_o", "render_mode",
    "seed",
)  # fmt: skip
# In the order in which they act. The terminal reward comes before the scale that multiplies it.
SAME_EFFECT = {
    "action_space_max": "action_range",
    "time_unit": "time_unit",
    "delay": "reward.delay",
    "reward_noise": "reward.noise",
    "term_state_reward": "reward.terminal",
    "reward_scale": "reward.scale",
    "reward_shift": "reward.shift",
}
# Keys of the process of irrelevant features that only its reward or its storage would ask for.
OF_NO_REWARD = (
    "reward_function",
    "action_loss_weight",
    "dtype",
    "dtype_s",
    "dtype_o",
    "target_point",
    "seed",
)
# The values that the process has here.
PROCESS = {"state_space_max": 10, "action_space_max": 1, "time_unit": 1.0, "transition_dynamics_order": 1}
OF_TRANSFORMS = {
    "image_padding": 20,
    "image_sh_quant": 1,
    "image_ro_quant": 1,
    "image_scale_range": (0.5, 1.5),
}


def host_task(config: Mapping[str, Any], env: str) -> tuple[TaskText, list[str]]:
    """The hosted env `env` varied as MDP Playground's wrapper varies one, and the keys dropped."""
    resolved = resolve(env)
    if resolved.entry.native:
        raise NotApplicable(f"env names a hosted env to be varied, such as gym/CartPole-v1, not {env!r}.")
    spaces = spaces_of(str(resolved.text))
    require_kind(config, spaces["action"], env)
    own = {axis.name for axis in env_entry(resolved.text.env).axes}
    settings: dict[str, Any] = {}
    dropped: list[str] = []
    for key in sorted(config, key=lambda key: list(SAME_EFFECT).index(key) if key in SAME_EFFECT else -1):
        value = config[key]
        if key == "irr_state_space_dim" and config.get("irrelevant_features"):
            continue  # read with it
        if value is None or key in WITHOUT_EFFECT or key in OF_TRANSFORMS:
            dropped += [] if key in OF_TRANSFORMS and config.get("image_transforms") else [key]
        elif key in SPECIAL:
            settings |= SPECIAL[key](value, spaces, config)
        elif key in SAME_EFFECT and ("." in SAME_EFFECT[key] or SAME_EFFECT[key] in own):
            settings[SAME_EFFECT[key]] = number(key, value)
        else:
            raise refusal(key, value, f"{env} is a hosted env, and this cannot be set from outside")
    varied = resolve(resolved.text, settings)
    kept = {
        axis.name: setting.value
        for axis, setting in zip(varied.axes, varied.text.settings)
        if setting.value != axis.neutral and axis.name in settings
    }
    return task(resolved.text, kept), dropped


@cache
def spaces_of(env: str) -> dict[str, Space]:
    built = build_hosted(resolve(env))
    built.host.close()
    return built.spaces


def require_kind(config: Mapping[str, Any], action: Space, env: str) -> None:
    """Refuses a state_space_type that contradicts the action space; the key itself is not needed."""
    kind = config.get("state_space_type")
    actual = "discrete" if isinstance(action, Discrete) else "continuous"
    if kind is not None and (not isinstance(kind, str) or kind.lower() != actual):
        raise refusal("state_space_type", kind, f"the actions of {env} are {actual}")


def transition_noise(value: Any, spaces: dict[str, Space], config: Mapping[str, Any]) -> dict[str, Any]:
    """Another action, or where actions are continuous normal noise on the observation."""
    name = "action.other" if isinstance(spaces["action"], Discrete) else "observation.normal"
    return {name: number("transition_noise", value)}


def irrelevant_features(value: Any, spaces: dict[str, Space], config: Mapping[str, Any]) -> dict[str, Any]:
    if value is False:
        return {}
    if not isinstance(value, Mapping):
        raise refusal("irrelevant_features", value, "on a host it is the config of a toy env, a dict")
    kind = str(value.get("state_space_type", "continuous")).lower()
    size = config.get("irr_state_space_dim")  # beside it, where the original reads it
    for key, each in value.items():
        if key in ("state_space_dim", "irr_state_space_dim"):
            size = each
        elif key not in ("state_space_type", *OF_NO_REWARD) and PROCESS.get(key, ...) != each:
            raise refusal(
                f"irrelevant_features[{key!r}]", each, "the process beside a host has a size and nothing else"
            )
    if kind != "continuous" or size is None:
        raise refusal("irrelevant_features", dict(value), "it is a continuous env of some state_space_dim")
    # Numbered actions leave no room for a push, so there the point walks by itself.
    return {"observation.process" if isinstance(spaces["action"], Discrete) else "irrelevant_dims": size}


def image_transforms(value: Any, spaces: dict[str, Space], config: Mapping[str, Any]) -> dict[str, Any]:
    known = [word for word in TRANSFORMS if isinstance(value, str) and word in value]
    if not known and value not in ("none", ""):
        raise refusal("image_transforms", value, f"it names any of {', '.join(TRANSFORMS)}, or none")
    wanted = {key: config.get(key, plain) for key, plain in OF_TRANSFORMS.items()}
    return {f"observation.{word}": TRANSFORMS[word](wanted) for word in known}


TRANSFORMS: dict[str, Callable] = {
    "scale": lambda wanted: wanted["image_scale_range"],
    "shift": lambda wanted: (wanted["image_padding"] - 1, wanted["image_sh_quant"]),
    "rotate": lambda wanted: wanted["image_ro_quant"],
    "flip": lambda wanted: True,
}
SPECIAL: dict[str, Callable] = {
    "transition_noise": transition_noise,
    "irrelevant_features": irrelevant_features,
    "image_transforms": image_transforms,
}


def number(key: str, value: Any) -> Any:
    if as_plain_number(value) is None:
        raise WrongLevel(f"{key} takes a number on a host, not {show_value(value)}.")
    return value


def refusal(key: str, value: Any, why: str) -> NotApplicable:
    return NotApplicable(f"{key}={show_value(value)} cannot be honoured: {why}.")
