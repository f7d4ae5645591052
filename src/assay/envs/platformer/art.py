"""The platformer's pictures: 128 backgrounds and 27 animated skins of our own, or a user's folders.

All of it is plain numpy, read once and never changed; `python -m tools.art.make` paints the shipped art.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from assay.envs.platformer import png
from assay.envs.platformer.folders import (
    Skin,
    folder_of_images,
    folder_of_skins,
    list_of_images,
    list_of_skins,
)

__all__ = [
    "Skin",
    "background_names",
    "backgrounds",
    "folder_of_images",
    "folder_of_skins",
    "list_of_images",
    "list_of_skins",
    "skin_names",
    "skins",
]

ART = Path(__file__).with_name("art")


@cache
def read_index() -> dict:
    """What the atlases hold: names, digests and sizes."""
    return json.loads((ART / "index.json").read_text())


def cut_tiles(atlas: np.ndarray, height: int, width: int) -> np.ndarray:
    """One picture cut into a grid, row after row: (n, height, width, channels)."""
    down, across = atlas.shape[0] // height, atlas.shape[1] // width
    grid = atlas.reshape(down, height, across, width, -1).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(grid.reshape(down * across, height, width, -1))


def make_read_only(array: np.ndarray) -> np.ndarray:
    """The same array, read-only, since all envs share it."""
    array.flags.writeable = False
    return array


def background_names() -> tuple[str, ...]:
    return tuple(read_index()["scenes"])


def skin_names() -> tuple[str, ...]:
    """Sorted, as the sub-folders of a folder of skins would be."""
    return tuple(read_index()["skins"])


@cache
def backgrounds() -> np.ndarray:
    """The shipped scenes, uint8 (128, 128, 128, 3), as in `background_names`; each wraps sideways."""
    return make_read_only(cut_tiles(png.read(ART / "backgrounds.png"), *read_index()["size"]))


@cache
def skins() -> dict[str, Skin]:
    """The shipped skins by name; every frame is RGBA uint8 (24, 16, 4), its feet on the last row."""
    idle, walk = read_index()["idle"], read_index()["walk"]
    frames = cut_tiles(png.read(ART / "skins.png"), *read_index()["frame"])
    sets = frames.reshape(-1, idle + walk, *frames.shape[1:])
    return {
        name: Skin(make_read_only(one[:idle]), make_read_only(one[idle:]))
        for name, one in zip(skin_names(), sets)
    }
