"""The settings of NPCs: characters in the world, sticky ones beside the agent, distractor shapes.

None of them collides with anything or changes the reward. No jax here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.envs.platformer.look_params import folder_of_skins, list_of_skins, shape_colors, shape_names
from assay.envs.platformer.setting_types import look, whole_numbers

NPCS = "npc.enabled=true"
STICKY = "npc.sticky_enabled=true"
EITHER = "npc.enabled=true|npc.sticky_enabled=true"
JUMPING = f"{STICKY} npc.sticky_can_jump=true"
SHAPES = "distractors.enabled=true"
MOVING = f"{SHAPES} distractors.can_move=true"
TURNING = f"{SHAPES} distractors.can_rotate=true"
FAR = 10_000  # pixels
# NPCs stand from column 200 on: in a short level, and near the start, they show.
AMONG_NPCS = "layout.length=512+start=[250,30]"


def npc_look(default: Any, means: str, levels: tuple, needs: str = "", **about: Any) -> Any:
    """A setting that shows only where NPCs stand."""
    return look(default, means, levels, needs, beside=AMONG_NPCS, **about)


@dataclass(frozen=True)
class Npc:
    """Characters that stand in the world, and sticky ones, which keep beside the agent."""

    enabled: bool = npc_look(False, "characters stand in the world", (True,), built=True)
    min_npc_count: int = npc_look(5, "fewest characters in an episode", (0, 20), NPCS, low=0, high=200)
    max_npc_count: int = npc_look(
        20, "most characters in an episode", (5, 40), NPCS, built=True, low=0, high=200
    )
    spawn_y_offset: int = npc_look(
        0, "pixels by which all of them stand higher", (10, 30), EITHER, low=-FAR, high=FAR
    )
    animation_fps: float = npc_look(
        12.0, "frames per second of all of them, at 60 steps a second", (6.0, 30.0), EITHER, low=0.1, high=60
    )
    sprite_dir: str = folder_of_skins("their skins", NPCS, beside=AMONG_NPCS)
    sprite_paths: Any = list_of_skins("their skins", NPCS, beside=AMONG_NPCS)
    sticky_enabled: bool = look(False, "characters keep beside the agent", (True,), built=True)
    min_sticky_count: int = look(1, "fewest sticky ones in an episode", (0, 5), STICKY, low=0, high=200)
    max_sticky_count: int = look(
        5, "most sticky ones in an episode", (1, 10), STICKY, built=True, low=0, high=200
    )
    sticky_sprite_dir: str = folder_of_skins("sticky skins", STICKY)
    sticky_sprite_dirs: Any = list_of_skins("sticky skins", STICKY)
    sticky_can_jump: bool = look(True, "sticky ones jump now and then", (False,), STICKY)
    sticky_jump_probability: float = look(
        0.01, "chance per step that a sticky one on the ground jumps", (0.0, 0.1, 1.0), JUMPING, low=0, high=1
    )
    sticky_y_min_offset: int = look(
        -40, "where sticky ones stand at the highest, pixels below height 0", (-60,), STICKY, low=-FAR,
        high=FAR,
    )  # fmt: skip
    sticky_y_max_offset: int = look(
        -10, "where sticky ones stand at the lowest, pixels below height 0", (10,),
        f"{STICKY} npc.sticky_y_randomize=true", low=-FAR, high=FAR,
    )  # fmt: skip
    sticky_y_randomize: bool = look(True, "each sticky one has a height of its own; else the highest",
                                    (False,), STICKY)  # fmt: skip
    sticky_x_offsets: Any = look(
        (), "where sticky ones stand beside the agent, in turn, in place of drawn places", ((-40, 40),),
        STICKY, built=True, type=whole_numbers, excludes=("npc.sticky_x_min", "npc.sticky_x_max"),
    )  # fmt: skip
    sticky_x_min: int = look(
        -60,
        "pixels beside the agent where sticky ones stand, at the left",
        (-20,),
        STICKY,
        low=-FAR,
        high=FAR,
    )
    sticky_x_max: int = look(
        60, "pixels beside the agent where sticky ones stand, at the right", (20,), STICKY, low=-FAR, high=FAR
    )


@dataclass(frozen=True)
class Distractors:
    """Shapes that move over the screen behind the level."""

    enabled: bool = look(False, "shapes move over the screen", (True,), built=True)
    count: int = look(5, "how many shapes", (1, 7, 11), SHAPES, built=True, low=0, high=200)
    shape_types: Any = look(
        ("circle", "star", "cross"), "their shapes, one drawn for each", (("circle",), ("square",)), SHAPES,
        built=True, type=shape_names,
    )  # fmt: skip
    shape_colors: Any = look(
        ("red", "green", "blue"), "their colours, one drawn for each", (("teal",),), SHAPES, built=True,
        type=shape_colors,
    )  # fmt: skip
    can_move: bool = look(True, "they move", (False,), SHAPES)
    min_speed: float = look(
        0.0, "slowest speed, pixels per step and axis", (0.5, 1.0), MOVING, low=0, high=100
    )
    max_speed: float = look(1.0, "top speed, pixels per step and axis", (0.1, 5.0), MOVING, low=0, high=100)
    can_rotate: bool = look(True, "they turn", (False,), SHAPES)
    min_rotation_speed: float = look(
        -0.3, "least turn, degrees per step", (-10.0,), TURNING, low=-360, high=360
    )
    max_rotation_speed: float = look(
        0.3, "largest turn, degrees per step", (10.0,), TURNING, low=-360, high=360
    )
    min_size: int = look(4, "smallest size in pixels", (8, 12), SHAPES, low=1, high=128)
    max_size: int = look(12, "largest size in pixels", (4, 30), SHAPES, built=True, low=1, high=128)
