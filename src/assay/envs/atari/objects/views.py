"""Observations made of objects: the vector of their boxes, masks of one picture, a plane for each class.

The vector has five numbers for each slot in the order of the rule file: whether something is there, then x,
y, width and height of its box, all 0 where nothing is. Masks are drawn in the full size of the screen and
then shrunk to 84 x 84, as pictures are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.envs.atari.game_table import WIDTH
from assay.envs.atari.objects.finding import Box, ObjectFinder
from assay.envs.atari.resize import shrink_picture

PARTS = ("there", "x", "y", "width", "height")
OF_BOXES = ("objects", "binary_masks", "class_masks", "planes")  # these show nothing of the picture itself
CUT_OUT = "object_masks"  # this shows the picture where objects are
MODES = ("objects", CUT_OUT, *OF_BOXES[1:])
SIZE = (84, 84)


def vector_names(finder: ObjectFinder) -> list[str]:
    """The name of every number of the vector: ball.there, ball.x, ..., car[2].height."""
    return [f"{slot}.{part}" for slot in finder.slot_names() for part in PARTS]


class ObjectView:
    """Observations of one mode."""

    def __init__(self, mode: str, finder: ObjectFinder, rows: int):
        self.mode, self.finder, self.screen = mode, finder, (rows, WIDTH)
        self.unlisted: frozenset[int] = frozenset()  # the numbers of classes left out
        kinds = len(finder.classes)
        self.grays = [255 * (kind + 1) // kinds for kind in range(kinds)]  # of class masks

    def leave_out(self, names: Iterable[str]) -> None:
        """Leaves out the objects of these classes from now on."""
        self.unlisted = frozenset(self.finder.classes.index(name) for name in names)

    def find(self, ram: Any, old: Any) -> list[Box | None]:
        boxes = self.finder.find(ram, old)
        if self.unlisted:
            kinds = self.finder.class_of
            boxes = [None if kind in self.unlisted else box for kind, box in zip(kinds, boxes)]
        return boxes

    def see(self, ram: Any, old: Any) -> np.ndarray:
        """One observation that shows nothing of the picture."""
        boxes = self.find(ram, old)
        if self.mode == "objects":
            return np.array(
                [part for box in boxes for part in ((1, *box) if box else (0, 0, 0, 0, 0))], "uint8"
            )
        if self.mode == "planes":
            planes = np.zeros((*SIZE, len(self.finder.classes)), "uint8")
            for kind in set(self.finder.class_of):
                own = [box for box, other in zip(boxes, self.finder.class_of) if box and other == kind]
                if own:
                    planes[..., kind] = shrink_picture(self.draw(own, [255] * len(own)), *SIZE)
            return planes
        there = [(box, kind) for box, kind in zip(boxes, self.finder.class_of) if box]
        inks = [self.grays[kind] if self.mode == "class_masks" else 255 for _, kind in there]
        return shrink_picture(self.draw([box for box, _ in there], inks), *SIZE)

    def cut_out(self, screen: np.ndarray, ram: Any, old: Any) -> np.ndarray:
        """A gray picture with nothing but its objects."""
        shown = np.zeros_like(screen)
        for box in self.find(ram, old):
            if box:
                x, y, width, height = box
                shown[y : y + height, x : x + width] = screen[y : y + height, x : x + width]
        return shown

    def draw(self, boxes: list[Box], inks: list[int]) -> np.ndarray:
        """Boxes in the size of the screen; later ones lie over earlier ones."""
        picture = np.zeros(self.screen, "uint8")
        for (x, y, width, height), ink in zip(boxes, inks):
            picture[y : y + height, x : x + width] = ink
        return picture
