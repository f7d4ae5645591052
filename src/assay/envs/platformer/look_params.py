"""The settings of how the platformer looks: background, character, filters, lights. No jax here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.envs.platformer.palettes import BACKGROUND_COLORS, LIGHT_COLORS, POP_FILTERS, SHAPE_COLORS, SHAPES
from assay.envs.platformer.setting_types import built_number, look, names_from, paths, rgb

IN_IMAGES = "background.mode=image"
CHANGING = "background.mode=image|background.mode=color|background.mode=noise"
SPRITES = "character.use_sprites=true|character.use_shape=false"
SHAPE = "character.use_sprites=false"
ROTATES = "character.shape_rotate=true"
BOX = "initial transition observation"  # what the agent's box decides
LIT = "effects.point_light_enabled=true"

A_PICTURE = "background.mode=image+background.image_paths=[bg-1]"

background_colors = names_from(tuple(BACKGROUND_COLORS), "background colours")
shape_names = names_from(SHAPES, "shapes")
shape_colors = names_from(tuple(SHAPE_COLORS), "shape colours")
light_colors = names_from(tuple(LIGHT_COLORS), "light colours")


def folder_of_skins(which: str, needs: str, **about: Any) -> Any:
    """The setting of a folder; `which` says what its skins are for."""
    means, levels = f"the folder of {which}; assets/ is our own", ("assets/sprites/odd",)
    return look("assets/sprites", means, levels, needs, built=True, **about)


def list_of_skins(which: str, needs: str, **about: Any) -> Any:
    """The setting of single skins, which replaces that of the folder."""
    means, levels = f"{which}, in place of a folder", (("skeleton",), ("clown",))
    return look((), means, levels, needs, built=True, type=paths, **about)


@dataclass(frozen=True)
class Background:
    """What is behind everything."""

    mode: str = look(
        "black", "what is behind everything", ("color", "noise", "image"), built=True,
        choices=("black", "color", "noise", "image"),
    )  # fmt: skip
    image_dir: str = look(
        "assets/backgrounds", "the folder of pictures, one drawn for each episode; assets/ is our own",
        ("assets/backgrounds/odd",), IN_IMAGES, built=True,
    )  # fmt: skip
    image_paths: Any = look(
        (), "the pictures, one drawn for each episode, in place of a folder", (("bg-1",), ("bg-128",)),
        IN_IMAGES, built=True, type=paths,
    )  # fmt: skip
    parallax_factor: float = look(
        0.5, "how far a picture scrolls for each pixel of the camera", (0.0, 1.0), IN_IMAGES, low=0, high=10,
    )  # fmt: skip
    tile_horizontal: bool = look(
        True, "pictures repeat to the right; else their last column does", (False,), IN_IMAGES
    )
    switch_frequency: float = look(
        0.0, "chance per step that the background is drawn anew", (0.01, 0.1, 1.0), CHANGING, low=0, high=1
    )
    color_names: Any = look(
        ("purple", "teal", "indigo"), "the colours, one drawn for each episode",
        (("purple",), ("purple", "lime", "indigo"), ("black",)), "background.mode=color", built=True,
        type=background_colors,
    )  # fmt: skip


@dataclass(frozen=True)
class Character:
    """The agent: its box, which is of the world, and its look."""

    width: int = built_number(
        BOX, 16, "pixels; the box reaches half of it to either side", (8, 24), low=2, high=64
    )
    height: int = built_number(
        BOX, 24, "pixels; the box reaches half of it up and down", (12, 32), low=2, high=64
    )
    use_sprites: bool = look(
        False, "the agent is drawn as a sprite, in place of a shape", (True,), built=True
    )
    sprite_dir: str = folder_of_skins("skins, one drawn for each episode", SPRITES)
    sprite_paths: Any = list_of_skins("the skins, one drawn for each episode", SPRITES)
    enable_animation: bool = look(True, "a moving agent shows its frames in turn", (False,), SPRITES)
    animation_fps: float = look(
        12.0, "frames per second of the agent, at 60 steps a second", (6.0, 30.0), SPRITES, low=0.1, high=60
    )
    idle_sprite_idx: int = look(0, "the frame of an agent that does not move", (1,), SPRITES, low=0, high=2)
    use_shape: bool = look(
        True, "the agent is drawn as a shape, in place of a sprite", (False,), built=True,
        excludes=("character.use_sprites",),
    )  # fmt: skip
    shape_types: Any = look(
        ("circle",), "the agent's shapes, one drawn for each episode", (("line",), ("circle", "star")), SHAPE,
        built=True, type=shape_names,
    )  # fmt: skip
    shape_colors: Any = look(
        ("teal",), "the agent's colours, one drawn for each episode", (("pink",), ("teal", "indigo")), SHAPE,
        built=True, type=shape_colors,
    )  # fmt: skip
    shape_rotate: bool = look(False, "the agent's shape turns", (True,), f"{SHAPE} character.shape_types",
                              built=True)  # fmt: skip
    shape_rotation_speed: float = look(
        5.0, "degrees per step by which the agent's shape turns", (1.0, 30.0),
        f"{SHAPE} character.shape_types {ROTATES}", low=-360, high=360,
    )  # fmt: skip


def filter_look(default: Any, means: str, levels: tuple, needs: str = "", **about: Any) -> Any:
    """The setting of a filter, checked over a picture: plain black would hide the effect of many."""
    return look(default, means, levels, needs, beside=A_PICTURE, **about)


@dataclass(frozen=True)
class Filters:
    """Filters over the whole frame, in this order of acting."""

    brightness: float = filter_look(
        0.0, "added to every pixel, in units of 100", (-1.0, 0.5, 1.0), low=-1, high=1
    )
    contrast: float = filter_look(
        1.0, "factor on the distance from mid gray", (0.1, 0.5, 2.0, 128.0), low=0.001, high=1000
    )
    gamma: float = filter_look(
        1.0, "power to which a pixel's share of white is raised", (0.5, 2.0), low=0.5, high=2
    )
    saturation: float = filter_look(
        1.0, "factor on the saturation; 0 is gray", (0.0, 0.5, 2.0), low=0, high=2
    )
    hue_shift: float = filter_look(
        0.0, "degrees by which every hue is turned", (45.0, 90.0, 180.0), low=-180, high=180
    )
    color_temp: float = filter_look(0.0, "warmer above 0, cooler below", (-1.0, 1.0), low=-1, high=1)
    color_jitter_std: float = filter_look(
        0.0, "spread of the random mixing of channels, new in every frame", (0.5, 2.0), low=0, high=1000
    )
    gaussian_noise_std: float = filter_look(
        0.0, "spread of the noise on every pixel, of 255", (15.0, 50.0, 100.0), low=0, high=1000
    )
    poisson_noise_scale: float = filter_look(
        0.0, "photons per unit of light; fewer are noisier", (1.0, 0.1), low=0, high=1
    )
    blur_sigma: float = filter_look(
        0.0, "how much of the neighbours' mean is mixed in, all from 2.5 on", (1.0, 2.5), low=0, high=1000
    )
    sharpen_amount: float = filter_look(
        0.0, "how much of what blurring takes is added", (1.0, 4.0), low=0, high=1000
    )
    pixelate_factor: int = filter_look(
        1, "side of the squares that share a colour", (2, 3, 8), built=True, low=1, high=64
    )
    vignette_strength: float = filter_look(0.0, "how dark the corners are", (1.0, 10.0), low=0, high=1000)
    radial_light_strength: float = filter_look(
        0.0, "how bright the light in the middle is", (0.25, 0.5, 0.75, 1.0), low=0, high=1000
    )
    radial_light_color: Any = filter_look(
        (255, 255, 200),
        "the colour of the light in the middle",
        ((255, 0, 0),),
        "filters.radial_light_strength",
        built=True,
        type=rgb,
    )
    pop_filter_list: Any = filter_look(
        (),
        "ready-made filters, one drawn for each episode",
        (("noir",), ("vintage", "horror")),
        built=True,
        type=names_from(POP_FILTERS, "filters", may_be_empty=True),
    )


@dataclass(frozen=True)
class Effects:
    """Lights on the screen."""

    point_light_enabled: bool = look(False, "lights shine on the screen", (True,), built=True)
    point_light_intensity: float = look(1.0, "how bright a light is", (0.5, 3.0), LIT, low=0.1, high=5)
    point_light_radius: float = look(
        0.1, "reach of a light, as a share of the screen's diagonal", (0.01, 0.5), LIT, low=0.01, high=1
    )
    point_light_falloff: float = look(2.0, "how sharply a light ends", (1.0, 4.0), LIT, low=1, high=4)
    point_light_count: int = look(4, "how many lights", (1, 5), LIT, built=True, low=1, high=5)
    point_light_color_names: Any = look(
        ("blue", "pink", "gold"), "the lights' colours, in turn", (("warm_white",), ("fire",)), LIT,
        built=True, type=light_colors,
    )  # fmt: skip
