"""KAGE-Env's configuration files as tasks, and tasks as such files.

`from_kage` takes a YAML file or a dict, and checks every key. A key that is left out has its value in the
shipped configuration, or with `omitted="code"` the one in KAGE-Env's code, which KAGE-Env really plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from assay.catalogue import axis_of, env_entry
from assay.core.axis import show_value
from assay.errors import AssayError, NotApplicable, UnknownName, WrongLevel
from assay.strict_json import Json
from assay.task_text import Setting, TaskText, suggest
from assay.tasks import resolve, task, to_plain

ENV = "platformer/run"
GROUPS = (
    "background",
    "character",
    "npc",
    "distractors",
    "filters",
    "effects",
    "layout",
    "physics",
    "camera",
)
# Axes of ours that no file can hold; the settings of a `preset` are written out.
NOT_IN_FILES = ("preset", "observation", "compat", "start", "layout.heights", "gust", "slip")
# Keys that KAGE-Env reads and that have no effect there.
WITHOUT_EFFECT = ("filters.jpeg_quality", "filters.seed", "character.fallback_color")
INTERNAL = {
    "physics.max_speed_x": "physics.move_speed", "physics.jump_velocity": "physics.jump_force",
    "physics.terminal_velocity": "physics.max_fall_speed",
}  # fmt: skip
SINGLE = {
    "background.image_path": "background.image_paths", "character.sprite_path": "character.sprite_paths",
    "npc.sprite_path": "npc.sprite_paths", "npc.sticky_sprite_path": "npc.sticky_sprite_dirs",
}  # fmt: skip
FOLDERS = ("background.image_dir", "character.sprite_dir", "npc.sprite_dir", "npc.sticky_sprite_dir")
LISTS = tuple(SINGLE.values())
# The defaults in KAGE-Env's code that differ from the shipped values.
IN_ITS_CODE = {
    "background.mode": "black", "background.color_names": ["black"], "character.use_sprites": False,
    "character.animation_fps": 10.0, "character.shape_types": ["circle"], "character.shape_colors": ["red"],
    "character.shape_rotate": False, "character.shape_rotation_speed": 2.0, "npc.enabled": False,
    "npc.min_npc_count": 2, "npc.max_npc_count": 5, "npc.animation_fps": 8.0, "npc.max_sticky_count": 3,
    "npc.sticky_can_jump": False, "npc.sticky_y_min_offset": -30, "npc.sticky_y_max_offset": 0,
    "npc.sticky_x_offsets": [-40, 40], "distractors.enabled": False, "distractors.count": 3,
    "distractors.shape_types": ["circle"], "distractors.shape_colors": ["red"], "distractors.min_speed": 0.5,
    "distractors.max_speed": 2.0, "distractors.min_rotation_speed": -10.0,
    "distractors.max_rotation_speed": 10.0, "distractors.min_size": 3, "distractors.max_size": 8,
    "effects.point_light_intensity": 3.0, "effects.point_light_count": 1,
    "effects.point_light_color_names": ["warm_white"], "layout.run_width": 20, "layout.p_change": 0.5,
    "layout.max_step_height": 10, "layout.layout_colors": ["gray"], "physics.gravity": 0.5,
    "physics.move_speed": 3, "physics.jump_force": -6.0, "physics.air_resistance": 0.98,
}  # fmt: skip


def from_kage(source: Any, omitted: str = "shipped", assets: str | Path | None = None) -> TaskText:
    """The task of a KAGE-Env configuration: the path of a YAML file, or a dict.

    Relative paths to pictures and skins mean ours, or those in the folder `assets`. Keys that have nothing to
    act on in this configuration are left out of the task: configurations that play alike are one task.
    """
    if omitted not in ("shipped", "code"):
        raise WrongLevel(f"omitted is 'shipped' or 'code', not {show_value(omitted)}.")
    written = flatten(load_file(source))
    settings = dict(env_entry(ENV).presets["kage-default"])
    if omitted == "code":
        settings |= IN_ITS_CODE | (
            {"layout.length": 128} if any(k.startswith("layout.") for k in written) else {}
        )
    settings |= {name: translate_value(name, value, assets) for name, value in translate(written).items()}
    settings = {name: axis_of(ENV, name).to_level(to_plain(value)) for name, value in settings.items()}
    settings = {name: value for name, value in settings.items() if value != axis_of(ENV, name).neutral}
    return task(TaskText(ENV, effective_settings(settings)))


def load_file(source: Any) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    try:
        text = Path(source).read_text(encoding="utf-8")
    except (OSError, TypeError, ValueError) as error:  # no such file, no path, or no text
        raise AssayError(
            f"a KAGE-Env configuration is a YAML file or a dict; {show_value(source)}: {one_line(error)}."
        ) from None
    try:
        settings = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise AssayError(f"{source} is no YAML: {one_line(error)}.") from None
    if not isinstance(settings, Mapping):
        raise AssayError(
            f"{source} holds {show_value(settings)}; a KAGE-Env configuration is keys with their values."
        )
    return settings


def one_line(error: Exception) -> str:
    return " ".join(str(error).encode("utf-8", "backslashreplace").decode().split())


def flatten(config: Mapping[str, Any]) -> dict[str, Any]:
    """Keys as paths, `layout.length`; a group that is empty has none."""
    settings: dict[str, Any] = {}
    for name, value in config.items():
        if name not in GROUPS:
            settings[str(name)] = value
        elif isinstance(value, Mapping):
            settings |= {f"{name}.{key}": inner for key, inner in value.items()}
        elif value is not None:
            raise WrongLevel(f"{name} is a group of keys, not {show_value(value)}.")
    return settings


def translate(written: Mapping[str, Any]) -> dict[str, Any]:
    """The file's keys by our names, those without effect left out, and unknown ones refused."""
    ours = [axis.name for axis in env_entry(ENV).axes if axis.name not in NOT_IN_FILES]
    known = (*ours, *INTERNAL, *SINGLE, *WITHOUT_EFFECT, "filters.pop_filter")
    settings: dict[str, Any] = {}
    for name, value in written.items():
        if name not in known:
            near = suggest(name, known)
            hint = f"did you mean {near}?" if near else "drop it."
            raise UnknownName(f"no key of a KAGE-Env configuration is called {name!r}; {hint}")
        if name == "filters.pop_filter" and value not in (None, "none"):
            raise NotApplicable(
                "filters.pop_filter is not offered; write filters.pop_filter_list with one name."
            )
        if value is None or name in (*WITHOUT_EFFECT, "filters.pop_filter"):
            continue
        target = INTERNAL.get(name, SINGLE.get(name, name))
        if target in settings:
            raise NotApplicable(f"{name} and {target} say the same twice; keep one of them.")
        settings[target] = [value] if name in SINGLE else value
    for folder, given in zip(FOLDERS, LISTS):
        if settings.get(folder) and settings.get(given):
            raise NotApplicable(f"{folder} and {given} name two sources of the same; keep one of them.")
    return merge_look_switches(settings)


def merge_look_switches(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with one switch for sprite or shape, where KAGE-Env has two."""
    sprites, shape = settings.get("character.use_sprites"), settings.pop("character.use_shape", None)
    if sprites is None and shape is not None:
        return settings | {"character.use_sprites": not shape}
    if None not in (sprites, shape) and sprites == shape:
        raise NotApplicable(f"exactly one of character.use_sprites and use_shape is on, not both {sprites}.")
    return settings


def translate_value(name: str, value: Any, assets: str | Path | None) -> Any:
    if name in FOLDERS:
        return place_path(name, value, assets)
    if name in LISTS:
        if not isinstance(value, (str, list, tuple)):
            raise WrongLevel(f"{name} takes a path or a list of paths, not {show_value(value)}.")
        return [place_path(name, each, assets) for each in ([value] if isinstance(value, str) else value)]
    return value


def place_path(name: str, path: Any, assets: str | Path | None) -> str:
    """A path of KAGE-Env's as ours: its part after `assets/`, in the given folder or among our own."""
    if not isinstance(path, str):
        raise WrongLevel(f"{name} takes a path, not {show_value(path)}.")
    where = PurePosixPath(path)
    if where.is_absolute():
        return path
    parts = where.parts
    rest = parts[parts.index("assets") + 1 :] if "assets" in parts else parts
    if assets is not None:
        return str(Path(assets).joinpath(*rest))
    return "/".join(("assets", *rest)) if name in FOLDERS else where.stem


def effective_settings(settings: Mapping[str, Any]) -> tuple[Setting, ...]:
    """The settings that have an effect beside the others; the rest is dropped one by one."""
    kept = dict(settings)
    while True:
        idle = next((name for name in kept if is_idle(name, kept)), None)
        if idle is None:
            return tuple(Setting(name, value) for name, value in kept.items())
        del kept[idle]


def is_idle(name: str, settings: Mapping[str, Any]) -> bool:
    def holds(need: str) -> bool:
        other, _, wanted = need.partition("=")
        neutral = axis_of(ENV, other).neutral
        value = "pixels" if other == "observation" else settings.get(other, neutral)
        return value != neutral if not wanted else str(value).lower() == wanted

    needs = axis_of(ENV, name).needs
    replaced = any(name in axis_of(ENV, other).excludes for other in settings)
    return replaced or not all(any(holds(each) for each in need.split("|")) for need in needs)


def to_kage(text: str | TaskText, path: str | Path | None = None) -> dict[str, Json]:
    """The whole KAGE-Env configuration of a task, every key written; with `path`, as a YAML file too."""
    settings = resolve(text)
    if settings.text.env != ENV:
        raise NotApplicable(f"{settings.text.env} is no platformer; to_kage takes {ENV} and its settings.")
    own = {axis.name: axis for axis in settings.entry.axes}
    for setting in settings.text.settings:
        if setting.name not in own or setting.schedule is not None:
            raise NotApplicable(f"a KAGE-Env configuration cannot hold {setting}; drop it.")
        if setting.name in ("start", "compat", "layout.heights"):
            raise NotApplicable(f"KAGE-Env has no key for {setting.name}; drop it.")
    config: dict[str, Any] = {}
    for name, axis in own.items():
        if name in NOT_IN_FILES:
            continue
        value = as_written(name, settings.value(name, axis.neutral))
        group, _, key = name.rpartition(".")
        (config.setdefault(group, {}) if group else config)[key or name] = value
    remove_alternatives(config)
    if path is not None:
        Path(path).write_text(yaml.safe_dump(config, sort_keys=False))
    return config


def as_written(name: str, value: Any) -> Any:
    if name in LISTS:
        kind, suffix = ("backgrounds", ".jpeg") if name.startswith("background") else ("sprites", "")
        return [each if "/" in each else f"assets/{kind}/{each}{suffix}" for each in value]
    return list(value) if isinstance(value, tuple) else value


def remove_alternatives(config: dict[str, Any]) -> None:
    """Leaves one look and one source for each set of pictures, as KAGE-Env requires."""
    config["character"]["use_shape"] = not config["character"]["use_sprites"]
    for folder, given in zip(FOLDERS, ("image_paths", "sprite_paths", "sprite_paths", "sticky_sprite_dirs")):
        group, _, key = folder.partition(".")
        del config[group][given if not config[group][given] else key]
