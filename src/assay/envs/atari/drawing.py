"""Observations of objects, masks and planes as pictures for people, and in words what they show.

They are drawn from what the agent is given, so that variations of the observation are in the picture too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from assay.core.family import Drawing
from assay.envs.atari.games import Game, game_of
from assay.envs.atari.objects.views import MODES, PARTS, ObjectView
from assay.envs.atari.settings import Preprocessing, read_preprocessing

COLOURS = {
    "red": (255, 60, 50), "cyan": (60, 230, 255), "yellow": (255, 235, 60), "pink": (255, 160, 210),
    "blue": (90, 130, 255), "orange": (255, 160, 40), "white": (255, 255, 255), "purple": (170, 90, 230),
    "lime": (150, 255, 80), "gray": (150, 150, 150),
}  # fmt: skip


def drawing_of(env: str, settings: Mapping[str, Any]) -> Drawing | None:
    """How observations of objects are drawn; None for others, which are pictures or numbers."""
    options = read_preprocessing(settings)
    if options.observation not in MODES:
        return None
    game = game_of(env)
    if options.observation == "objects":
        says = f"the newest frame's boxes over the screen: {legend(game)}"
        return Drawing(partial(draw_boxes, options, game), says)
    shown = "the newest of its frames" if options.depth > 1 else "its frame"
    if options.observation == "planes":
        return Drawing(
            partial(draw_planes, options, game), f"{shown}, a colour for each class: {legend(game)}"
        )
    return Drawing(partial(draw_mask, options), f"{shown}{describe_grays(options.observation, game)}")


def colour_of(kind: int) -> tuple[str, tuple[int, int, int]]:
    """The name and the numbers of a class's colour; with more classes than colours these come again."""
    return list(COLOURS.items())[kind % len(COLOURS)]


def legend(game: Game) -> str:
    """`player red, ball green`."""
    return ", ".join(f"{name} {colour_of(kind)[0]}" for kind, name in enumerate(game.finder.classes))


def describe_grays(mode: str, game: Game) -> str:
    if mode != "class_masks":
        return ""
    grays = ObjectView(mode, game.finder, game.rows).grays
    return f", a gray for each class: {', '.join(map('{} {}'.format, game.finder.classes, grays))}"


def newest(options: Preprocessing, observation: np.ndarray, width: int = 0) -> np.ndarray:
    """The newest frame of a stack; `width` is the size of a frame's own last axis, where it has one."""
    if options.depth == 1:
        return observation
    if options.channels == "first":
        return observation[-1]
    return observation[..., -width:] if width else observation[..., -1]


def draw_boxes(
    options: Preprocessing, game: Game, observation: np.ndarray, screen: Callable[[], np.ndarray]
) -> np.ndarray:
    """The screen with a line around every object that the observation lists."""
    picture = screen().copy()
    rows = np.rint(newest(options, observation)).astype(int).reshape(-1, len(PARTS))
    for (there, x, y, width, height), kind in zip(rows, game.finder.class_of):
        if there:
            _, colour = colour_of(kind)
            top, left = max(y - 1, 0), max(x - 1, 0)
            box = picture[top : y + height + 1, left : x + width + 1]  # a view, cut at the picture's edges
            box[[0, -1]] = colour
            box[:, [0, -1]] = colour
    return picture


def draw_planes(
    options: Preprocessing, game: Game, observation: np.ndarray, screen: Callable[[], np.ndarray]
) -> np.ndarray:
    """The masks of all classes in one picture; later classes lie over earlier ones, as in class masks."""
    planes = newest(options, observation, len(game.finder.classes))
    picture = np.zeros((*planes.shape[:2], 3), "uint8")
    for kind in range(planes.shape[-1]):
        share = planes[..., kind, None] / 255  # a pixel at a box's edge is only partly covered
        picture[...] = picture * (1 - share) + share * np.array(colour_of(kind)[1])
    return picture


def draw_mask(
    options: Preprocessing, observation: np.ndarray, screen: Callable[[], np.ndarray]
) -> np.ndarray:
    return np.repeat(newest(options, observation)[..., None], 3, -1)
