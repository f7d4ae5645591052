"""The settings of `platformer/run`. Their names are those of KAGE-Env's files; no jax here.

The plain task is the base of KAGE-Bench's pairs: its shipped configuration with a black background, a teal
circle as the agent, and no NPCs. `preset=kage-default` is the shipped configuration. One program serves all
levels of a traced setting; a structure is read when the env is built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.axis import Axis, axis, group, stochastic_tags, structure
from assay.envs.platformer.look_params import Background, Character, Effects, Filters
from assay.envs.platformer.npc_params import Distractors, Npc
from assay.envs.platformer.palettes import BACKGROUND_COLORS
from assay.envs.platformer.setting_types import (
    KAGE,
    OURS,
    PIXELS,
    STATE,
    built_number,
    look,
    names_from,
    number,
    start_state,
    whole_numbers,
)

FASTEST = 32  # pixels per step to the side; sets how many segments a step may meet


@dataclass(frozen=True)
class Layout:
    """The level: flat runs joined by steps. Heights are units of `pix_per_unit` pixels."""

    length: int = built_number(
        "initial transition", 2048, "columns of the world", (512, 4096), low=128, high=10**5, context=STATE
    )
    # This and ground_thickness change the agent's motion only where `start` puts it into or below the ground.
    height_px: int = built_number(
        "transition observation", 128, "rows of the world; below them nothing is drawn", (160,), low=128,
        high=1024, needs=(PIXELS,),
        context="H=160+layout.base_ground_y=127+layout.ground_thickness=10+layout.pix_per_unit=0",
    )  # fmt: skip
    base_ground_y: int = number("initial", 96, "the row of ground at height 0", (70, 110), 70, 127)
    pix_per_unit: int = number("initial", 2, "pixels to a unit of height; 0 is flat", (0, 1, 3), 0, 3)
    ground_thickness: int = axis(
        "transition observation", 2, low=1, high=10, levels=(1, 10), origin=KAGE, needs=(PIXELS,),
        context="start=[100,92]", means="rows of the ground that are solid and drawn",
    )  # fmt: skip
    run_width: int = built_number(
        "initial transition", 25, "columns of a flat run", (10, 60), low=1, high=1024, context=STATE
    )
    p_change: float = number("initial", 0.7, "chance of a step after a run", (0.0, 0.3, 1.0), 0, 1)
    p_up_given_change: float = number("initial", 0.5, "chance that a step goes up", (0.0, 1.0), 0, 1)
    min_step_height: int = number("initial", 5, "smallest step drawn, in units", (1, 17), 1, 17)
    max_step_height: int = number("initial", 17, "largest step drawn, in units", (5, 10), 1, 17)
    layout_colors: Any = look(
        ("cyan",), "the ground's colours, one drawn for each episode", (("red",), ("cyan", "lime")),
        built=True, type=names_from(tuple(BACKGROUND_COLORS), "background colours"),
    )  # fmt: skip
    min_height: int = number("initial", 0, "lowest ground, in units", (8,), 0, 20)
    max_height: int = number("initial", 20, "highest ground, in units", (12,), 0, 23)
    heights: Any = structure(
        "initial", (), type=whole_numbers, levels=((10,), (10, 10, 10, 5, 15)), origin=OURS, context=STATE,
        means="the heights of the runs in units, the last one going on to the end, in place of drawn ones",
        excludes=("layout.p_change", "layout.p_up_given_change", "layout.min_step_height",
                  "layout.max_step_height", "layout.min_height", "layout.max_height"),
    )  # fmt: skip


@dataclass(frozen=True)
class Physics:
    """How the agent moves; pixels and steps. Positions are whole: what a step leaves over is lost."""

    gravity: float = number("transition", 0.75, "added to the fall at each step", (0.5, 1.0), 0.1, 1)
    move_speed: int = number("transition", 1, "top speed to the side", (2, 3), 1, FASTEST)
    jump_force: float = number("transition", -7.5, "speed at which a jump begins; up is negative",
                               (-5.0, -10.0), -10, 0)  # fmt: skip
    ground_friction: float = number("transition", 0.8, "what a step on the ground leaves of the speed",
                                    (0.1, 0.5, 1.0), 0.1, 1)  # fmt: skip
    air_resistance: float = number("transition", 0.95, "what a step in the air leaves of the speed",
                                   (0.5, 1.0), 0.1, 1)  # fmt: skip
    max_fall_speed: float = number("transition", 8.0, "top speed of a fall", (1.0, 4.0), 0.1, 10)
    coyote_time: int = number("transition", 3, "steps after leaving the ground in which a jump still works",
                              (0, 10), 0, 1000)  # fmt: skip
    ground_accel: float = number("transition", 1.0, "gain of speed on the ground", (0.5, 0.7), 0, 100)
    air_accel: float = number("transition", 0.4, "gain of speed in the air", (0.0, 1.0), 0, 100)
    ground_snap_dist: int = number(
        "transition", 2, "rows below the feet that count as ground", (1, 6), 1, 100
    )


@dataclass(frozen=True)
class Camera:
    """Follows the agent where it leaves the middle of the screen."""

    left_margin: int = number(
        "transition", 40, "columns at the left that the agent stays out of", (80,), 0, 1024
    )
    right_margin: int = number("transition", 40, "columns at the right that the agent stays out of", (20, 60),
                               0, 1024)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """platformer/run: run right over steps; every press of JUMP costs."""

    preset: str = structure(
        "observation", "base", choices=("base", "kage-default"), levels=("kage-default",), origin=KAGE,
        needs=(PIXELS,), means="a set of looks to begin with; other settings go before it",
    )  # fmt: skip
    observation: str = structure(
        "observation", "pixels", choices=("pixels", "state"), levels=("state",), origin=OURS,
        stochasticity="0",
        means="what the agent sees: the picture, or the true state as numbers",
    )  # fmt: skip
    compat: str = structure(
        "observation", "none", choices=("none", "kage"), levels=("kage",), origin=OURS, needs=(PIXELS,),
        context="npc.sticky_enabled",
        means="draw as KAGE-Env does where it errs: frames counted for the first skin, sticky characters at "
        "whole rows, the last layout colour",
    )  # fmt: skip
    start: Any = structure(
        "initial", (), type=start_state, levels=((300, 30), (64, 60, 1, -3)), origin=OURS, context=STATE,
        means="where an episode begins and how fast the agent is, in place of the first free place",
    )  # fmt: skip
    H: int = built_number(
        "observation", 128, "rows of the picture", (64,), low=16, high=1024, needs=(PIXELS,)
    )
    W: int = built_number(
        "initial transition observation", 128,
        "columns of the picture, which the camera moves over the world", (64, 96), low=16, high=1024,
    )  # fmt: skip
    episode_length: int = axis(
        "terminal", 500, low=1, high=10**9, levels=(200, 100, 50), origin=KAGE, context=STATE,
        means="steps after which an episode is cut (a truncation)",
    )  # fmt: skip
    forward_reward_scale: float = number("reward", 0.2, "paid for each pixel further right than ever before",
                                         (0.0, 1.0), -1000, 1000, asks=True)  # fmt: skip
    jump_penalty: float = number("reward", 10.0, "cost of each press of JUMP, in the air too", (0.0, 1.0),
                                 -1000, 1000, asks=True)  # fmt: skip
    timestep_penalty: float = number("reward", 0.1, "cost of each step", (0.0, 1.0), -1000, 1000, asks=True)
    idle_penalty: float = number("reward", 5.0, "cost of a step that leaves the column as it was", (0.0, 1.0),
                                 -1000, 1000, asks=True)  # fmt: skip
    dist_to_success: float = number(
        "transition", 490.0, "pixels to run for a success; told beside the rewards, not paid", (100.0, 1000.0)
    )
    background: Background = group(Background)
    character: Character = group(Character)
    npc: Npc = group(Npc)
    distractors: Distractors = group(Distractors)
    filters: Filters = group(Filters)
    effects: Effects = group(Effects)
    layout: Layout = group(Layout)
    physics: Physics = group(Physics)
    camera: Camera = group(Camera)


def disturbance(name: str, acts: str, levels: tuple[float, ...], means: str) -> Axis:
    """Something that befalls the agent with a chance at every step."""
    return Axis(
        name, ("transition",), "dose", float, 0.0, levels, low=0, high=1, means=means, origin="STORI",
        context=STATE, acts=acts,
        tags=stochastic_tags("transition"), stochasticity="2.1",
    )  # fmt: skip


INNER = (
    disturbance(
        "gust",
        "assay.envs.platformer.disturbances:GUST",
        (0.05, 0.2),
        "chance per step that a gust lifts the agent and pushes it to a side",
    ),
    disturbance(
        "slip",
        "assay.envs.platformer.disturbances:SLIP",
        (0.1, 0.5),
        "chance per step on the ground that LEFT and RIGHT have no effect",
    ),
)


PRESETS = {
    "base": {},
    "kage-default": {
        "background.mode": "image",
        "character.use_sprites": True,
        "character.shape_types": ("circle", "star"),
        "character.shape_colors": ("teal", "indigo"),
        "character.shape_rotate": True,
        "npc.enabled": True,
        "distractors.enabled": True,
    },
}
