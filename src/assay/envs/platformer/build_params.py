"""Turns settings into params: traced settings become arrays, and lists of names become tables of numbers.

Settings that change neither sizes nor the program (lists of colours, heights, the box) are taken out of the
structure once their tables are made: tasks that differ only in them share one program and can be stacked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from assay.core.env import record
from assay.core.pytree import register
from assay.core.variation import get, put, static
from assay.envs.platformer import assets
from assay.envs.platformer.level import count_runs
from assay.envs.platformer.look_params import Background, Character, Effects, Filters
from assay.envs.platformer.npc_params import Distractors, Npc
from assay.envs.platformer.palettes import (
    BACKGROUND_COLORS,
    LAYOUT_COLORS,
    LIGHT_COLORS,
    POP_FILTERS,
    SHAPE_COLORS,
    SHAPES,
)
from assay.envs.platformer.params import FASTEST, Camera, Layout, Physics, Run
from assay.envs.platformer.patches import add_margins
from assay.envs.platformer.shapes import agent_size, mask_shape
from assay.errors import NotApplicable, WrongLevel

for settings_group in (Background, Character, Npc, Distractors, Filters, Effects, Layout, Physics, Camera):
    register(settings_group)

TAKEN_OUT = (
    "preset", "start", "layout.heights", "layout.layout_colors", "background.color_names",
    "background.image_dir", "background.image_paths", "character.width", "character.height",
    "character.sprite_dir", "character.sprite_paths", "character.shape_types", "character.shape_colors",
    "npc.sprite_dir", "npc.sprite_paths", "npc.sticky_sprite_dir", "npc.sticky_sprite_dirs",
    "npc.sticky_x_offsets", "distractors.shape_types", "distractors.shape_colors",
    "distractors.max_size",
    "filters.radial_light_color", "filters.pop_filter_list", "effects.point_light_color_names",
)  # fmt: skip
LISTS = (
    "background.image_paths", "character.sprite_paths", "npc.sprite_paths", "npc.sticky_sprite_dirs",
)  # fmt: skip
ORDERED = (
    ("layout.min_step_height", "layout.max_step_height"), ("layout.min_height", "layout.max_height"),
    ("npc.min_npc_count", "npc.max_npc_count"), ("npc.min_sticky_count", "npc.max_sticky_count"),
    ("npc.sticky_y_min_offset", "npc.sticky_y_max_offset"), ("npc.sticky_x_min", "npc.sticky_x_max"),
    ("distractors.min_speed", "distractors.max_speed"), ("distractors.min_size", "distractors.max_size"),
    ("distractors.min_rotation_speed", "distractors.max_rotation_speed"),
)  # fmt: skip


@record
class Choices:
    """Numbers of which one is drawn."""

    numbers: Any  # (at least count,) int32, places in a palette or an atlas
    count: Any  # () int32


@record
class Tables:
    """Tables made from the settings; those of a look that is off are None."""

    width: Any  # () int32, of the agent
    height: Any  # () int32
    half_width: Any  # () int32, of its box to either side
    half_height: Any  # () int32
    heights: Any  # (runs,) int32 where the level is given, else None
    start: Any  # (4,) float32: x, y, vx, vy where the start is given, else None
    ground_colors: Choices
    shapes: Choices | None
    shape_colors: Choices | None
    skins: Choices | None
    atlas: Any  # (skins, idle and walk frames, 4, 3 height, 3 width) uint8, each with its margins
    idle_frames: Any  # (skins,) int32, of each skin
    frames: Any  # (skins,) int32, of each skin's walk
    shape_masks: Any  # (shapes, 3 side, 3 side) bool, with margins, where the agent's shape stands still
    backgrounds: Choices | None  # colours or pictures
    pictures: Any  # (pictures, 3, H, width + W) uint8, each followed by its own beginning
    presets: Choices | None
    npc_skins: Choices | None
    npc_atlas: Any  # idle frames: they stand
    npc_frames: Any
    sticky_skins: Choices | None
    sticky_atlas: Any  # walk frames: they keep up with the agent
    sticky_frames: Any
    sticky_offsets: Any  # (max_sticky_count,) int32 where they are given, else None
    distractor_shapes: Choices | None
    distractor_colors: Choices | None
    distractor_size: Any  # () int32, the largest
    light_colors: Any  # (lights,) int32, or None
    light_in_the_middle: Any  # (3,) float32
    once: Any  # () int32: 1, which the compiler does not know
    runs_met: int = static(3)  # by a step, at most
    runs_under: int = static(2)  # the box, at most
    walk_from: int = static(0)  # the place in the atlas of the first frame of a walk
    shape_reach: int = static(0)  # pixels from the agent's centre that its shape may cover
    distractor_reach: int = static(0)
    filters: tuple = static(())  # those that the program has, though perhaps at neutral


@record
class Params(Run):
    """The settings as the functions read them."""

    tables: Tables = None  # type: ignore[assignment]  # always set; a default, for those of Run have theirs


def make_params(settings: Run, others: Mapping[str, Any]) -> Params:
    """The params of these settings; `others` is all that the task's text sets, by name."""
    settings = settle_look(settings, others)
    check_settings(settings, others)
    tables = make_tables(settings, others)
    for path in TAKEN_OUT:
        settings = put(settings, path, None)
    values = {f.name: getattr(settings, f.name) for f in fields(Run)}
    return replace(as_arrays(Params(**values)), tables=tables)


def as_arrays(settings: Any) -> Any:
    """The same record with every traced field as an array of its type."""
    changed = {}
    for f in fields(settings):
        value = getattr(settings, f.name)
        if is_dataclass(value):
            changed[f.name] = as_arrays(value)
        elif "axis" in f.metadata and not f.metadata["static"]:
            changed[f.name] = jnp.asarray(
                value, {bool: jnp.bool_, int: jnp.int32}.get(type(value), jnp.float32)
            )
    return replace(settings, **changed)


def settle_look(settings: Run, others: Mapping[str, Any]) -> Run:
    """The settings with the agent as a sprite or as a shape: naming one of the two switches off the other."""
    sprites = settings.character.use_sprites
    both = sprites and settings.character.use_shape
    if both and {"character.use_sprites", "character.use_shape"} <= set(others):
        raise NotApplicable(
            "the agent is a sprite or a shape, not both: drop character.use_sprites or character.use_shape."
        )
    if "character.use_shape" in others:
        sprites = not settings.character.use_shape
    for name in ("shape_types", "shape_colors", "shape_rotate", "shape_rotation_speed"):
        if sprites and f"character.{name}" in others:
            raise NotApplicable(f"the agent is a sprite, so character.{name} has no effect; drop it.")
    return replace(
        settings, character=replace(settings.character, use_sprites=sprites, use_shape=not sprites)
    )


def check_settings(settings: Run, others: Mapping[str, Any]) -> None:
    """Refuses settings that do not fit each other."""

    def value(name: str) -> Any:
        return others[name].value if name in others else get(settings, name)

    for name in LISTS:
        if name in others and not value(name):
            raise WrongLevel(f"{name} is empty; name at least one, or leave it out for the whole folder.")
    for low, high in ORDERED:
        if value(low) > value(high):
            raise WrongLevel(f"{low} is {value(low)}, which is above {high}={value(high)}; set both.")
    layout, character = settings.layout, settings.character
    if layout.length < settings.W:
        raise WrongLevel(
            f"W={settings.W} exceeds the world's {layout.length} columns; set layout.length too."
        )
    if settings.distractors.enabled and min(settings.W, settings.H) < 32:
        raise WrongLevel(
            "distractors keep 15 pixels from every edge, so they need W and H of at least 32; set both."
        )
    if not all(0 <= height <= 23 for height in layout.heights):
        raise WrongLevel(f"layout.heights takes numbers from 0 to 23, not {list(layout.heights)}.")
    if len(layout.heights) > count_runs(layout):
        raise WrongLevel(
            f"layout.heights has {len(layout.heights)} runs, and the level {count_runs(layout)}; drop some."
        )
    if settings.start:
        x, y, *speeds = settings.start
        wide, tall = character.width // 2, character.height // 2
        if not (wide <= x < layout.length - wide and tall <= y < layout.height_px - tall):
            raise WrongLevel(
                f"start puts the agent at {x:g}, {y:g}; its box is within the world for columns {wide} to "
                f"{layout.length - 1 - wide} and rows {tall} to {layout.height_px - 1 - tall}."
            )
        if speeds and not (abs(speeds[0]) <= FASTEST and abs(speeds[1]) <= 100):
            raise WrongLevel(
                f"start has speeds up to {FASTEST} to the side and 100 up or down, not {speeds}."
            )


def make_tables(settings: Run, others: Mapping[str, Any]) -> Tables:
    character, layout, npc, shapes = settings.character, settings.layout, settings.npc, settings.distractors
    wide = character.width // 2
    skins = npc_skins = sticky_skins = None
    if character.use_sprites:
        skins = assets.load_sprites(settings, "character.sprite_dir", "character.sprite_paths")
    if npc.enabled:
        npc_skins = assets.load_sprites(settings, "npc.sprite_dir", "npc.sprite_paths")
    if npc.sticky_enabled:
        sticky_skins = assets.load_sprites(settings, "npc.sticky_sprite_dir", "npc.sticky_sprite_dirs")
    pictures = load_pictures(settings)
    return Tables(
        width=jnp.int32(character.width),
        height=jnp.int32(character.height),
        half_width=jnp.int32(wide),
        half_height=jnp.int32(character.height // 2),
        heights=repeat_heights(layout),
        start=jnp.asarray((*settings.start, 0.0, 0.0)[:4], jnp.float32) if settings.start else None,
        ground_colors=index_names(layout.layout_colors, tuple(LAYOUT_COLORS)),
        shapes=choose_by_name(character.shape_types, SHAPES) if character.use_shape else None,
        shape_colors=choose_by_name(character.shape_colors, tuple(SHAPE_COLORS))
        if character.use_shape
        else None,
        skins=choose_by_number(skins and skins.idle),
        atlas=skins and add_margins(np.concatenate([skins.idle, skins.walk], 1)),
        idle_frames=skins and jnp.asarray(skins.idle_frames),
        frames=skins and jnp.asarray(skins.walk_frames),
        shape_masks=mask_standing_shapes(character) if character.use_shape else None,
        backgrounds=choose_by_number(pictures) or choose_colors(settings.background),
        pictures=pictures,
        presets=choose_by_name(settings.filters.pop_filter_list, POP_FILTERS),
        npc_skins=choose_by_number(npc_skins and npc_skins.idle),
        npc_atlas=npc_skins and add_margins(npc_skins.idle),
        npc_frames=npc_skins and jnp.asarray(npc_skins.idle_frames),
        sticky_skins=choose_by_number(sticky_skins and sticky_skins.walk),
        sticky_atlas=sticky_skins and add_margins(sticky_skins.walk),
        sticky_frames=sticky_skins and jnp.asarray(sticky_skins.walk_frames),
        sticky_offsets=repeat_in_turn(npc.sticky_x_offsets, npc.max_sticky_count)
        if npc.sticky_enabled
        else None,
        distractor_shapes=choose_by_name(shapes.shape_types, SHAPES) if shapes.enabled else None,
        distractor_colors=choose_by_name(shapes.shape_colors, tuple(SHAPE_COLORS))
        if shapes.enabled
        else None,
        distractor_size=jnp.int32(shapes.max_size) if shapes.enabled else None,
        light_colors=index_light_colors(settings.effects),
        light_in_the_middle=jnp.asarray(settings.filters.radial_light_color, jnp.float32),
        once=jnp.int32(1),
        runs_met=(2 * wide + FASTEST - 1) // layout.run_width + 2,
        runs_under=(2 * wide - 1) // layout.run_width + 2,
        walk_from=skins.idle.shape[1] if skins else 0,
        shape_reach=find_shape_reach(character),
        distractor_reach=round_up_reach(shapes.max_size),
        filters=tuple(name for name in traced_names(Filters) if f"filters.{name}" in others),
    )


def traced_names(group: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(group) if not f.metadata["static"])


def repeat_heights(layout: Layout) -> Any:
    if not layout.heights:
        return None
    runs = count_runs(layout)
    return jnp.asarray((layout.heights + layout.heights[-1:] * runs)[:runs], jnp.int32)


def choose_by_name(names: tuple[str, ...], palette: tuple[str, ...]) -> Choices | None:
    """The positions of names in their palette. The array has a fixed size, so all lists share a program."""
    return index_names(names, palette) if names else None


def index_names(names: tuple[str, ...], palette: tuple[str, ...]) -> Choices:
    positions = np.zeros(max(len(palette), len(names)), np.int32)
    positions[: len(names)] = [palette.index(name) for name in names]
    return Choices(jnp.asarray(positions), jnp.int32(len(names)))


def choose_by_number(things: Any) -> Choices | None:
    """All positions of an array that holds just these things."""
    return (
        None if things is None else Choices(jnp.arange(len(things), dtype=jnp.int32), jnp.int32(len(things)))
    )


def load_pictures(settings: Run) -> Any:
    background = settings.background
    if background.mode != "image":
        return None
    pictures = assets.load_pictures(background.image_dir, background.image_paths, settings.H)
    times = -(-settings.W // pictures.shape[2])  # a picture may be narrower than the screen
    return jnp.asarray(np.concatenate([pictures, np.tile(pictures, (1, 1, times, 1))[:, :, : settings.W]], 2)
                       .transpose(0, 3, 1, 2))  # fmt: skip


def choose_colors(background: Background) -> Choices | None:
    return (
        choose_by_name(background.color_names, tuple(BACKGROUND_COLORS))
        if background.mode == "color"
        else None
    )


def round_up_reach(pixels: float) -> int:
    """The next of a few fixed reaches, so that tasks of many sizes share a program."""
    return next(reach for reach in (16, 32, 64, 128) if reach >= pixels)


def find_shape_reach(character: Character) -> int:
    """How far the agent's shape comes from its centre, however it is turned."""
    corner = min(character.width, character.height) / 2 * 2**0.5
    return round_up_reach(max(corner, character.width / 2, character.height / 2))


def mask_standing_shapes(character: Character) -> Any:
    """Every shape of the agent as a mask, computed once for an agent that does not turn."""
    reach = find_shape_reach(character)
    offsets = np.arange(-reach, reach + 1)
    least = min(character.width, character.height)
    size = agent_size(np.float32(character.width), np.float32(character.height), np.float32(least))
    every = [
        mask_shape(np, k, offsets[None], offsets[:, None], size, np.float32(0)) for k in range(len(SHAPES))
    ]
    return add_margins(np.stack(every))


def repeat_in_turn(numbers: tuple[int, ...], count: int) -> Any:
    return jnp.asarray(np.resize(numbers, count), jnp.int32) if numbers else None


def index_light_colors(effects: Effects) -> Any:
    if not effects.point_light_enabled:
        return None
    positions = [tuple(LIGHT_COLORS).index(name) for name in effects.point_light_color_names]
    return jnp.asarray(np.resize(positions, effects.point_light_count), jnp.int32)
