"""All 128 scenes in the order of the atlas, and the painting of one.

A scene is painted from a seed made of its name and its take; odd takes are mirrored, and as scenes wrap
around, a take also moves them sideways. Takes other than 0 were picked by `python -m tools.art.choose`, which
tries several and keeps those farthest from their neighbours.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np

from tools.art import inside, land, pattern, sky
from tools.art.canvas import Canvas
from tools.art.scenes_made import INSIDE, TOWN
from tools.art.scenes_nature import LAND, WATER, WOODS
from tools.art.scenes_other import PATTERN, SKY

TAKES = Path(__file__).with_name("takes.json")
SCENES = {name: (paint, how) for name, paint, how in LAND + WOODS + WATER + TOWN + INSIDE + SKY + PATTERN}
NAMES = tuple(SCENES)
STRIDE = 37  # columns for each take: no divisor of 128, so takes fall all over the width
# What meets its edge less well, or belongs in the middle, stays where it was painted.
UNMOVED = {land.fields, pattern.blocks, inside.dungeon, inside.deck, sky.nebula}


def takes() -> dict[str, int]:
    return json.loads(TAKES.read_text()) if TAKES.exists() else {}


def scene(name: str, take: int) -> np.ndarray:
    """uint8 (128, 128, 3)."""
    paint, how = SCENES[name]
    canvas = Canvas(zlib.crc32(f"{name} {take}".encode()))
    paint(canvas, **how)
    flipped = canvas.pixels[:, ::-1] if take % 2 else canvas.pixels
    return np.roll(flipped, 0 if paint in UNMOVED else take * STRIDE, axis=1)


def all_scenes() -> np.ndarray:
    """uint8 (128, 128, 128, 3): each in the take chosen for it."""
    chosen = takes()
    return np.stack([scene(name, chosen.get(name, 0)) for name in NAMES])
