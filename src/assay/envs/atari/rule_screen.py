"""Reads the parts of a rule file that speak of the picture: patches, regions, colours and masks."""

from __future__ import annotations

from typing import Any

from assay.envs.atari.game_table import WIDTH, rows_of
from assay.envs.atari.rule_language import Node, parse
from assay.envs.atari.rule_records import Mask, Patch
from assay.envs.atari.rule_yaml import YamlReader, position_of
from assay.positions import Unreadable

SCREEN_KEYS = {"when", "box", "only", "like", "brighter_of_two"}
Region = tuple[int, int, int, int]  # left, right, top, bottom, both ends included


class ScreenReader(YamlReader):
    """Reads what a rule file says of the picture."""

    regions: dict[str, Region]
    colours: dict[str, int]

    def read_patch(self, node: Any) -> Patch | None:
        """A patch; None for `brighter_of_two`, which acts on the whole screen."""
        parts = self.read_mapping(node, SCREEN_KEYS)
        if "brighter_of_two" in parts:
            return None
        if "box" not in parts or "like" not in parts:
            self.refuse(
                node, "a patch needs a box [x, y, width, height] and like, the pixel [x, y] of its colour"
            )
        box = tuple(self.read_expression(each) for each in self.read_sequence(parts["box"]))
        like = self.read_scalars(parts["like"])
        if len(box) != 4 or len(like) != 2:
            self.refuse(node, "a box is [x, y, width, height], and like is a pixel [x, y]")
        only = self.read_optional(parts, "only", self.read_scalars, ())
        return Patch(self.read_optional(parts, "when", self.read_expression, None), box, only, like)

    def read_regions(self, game: str, node: Any) -> dict[str, Region]:
        """Name -> [left, right, top, bottom]; a region outside the picture is refused."""
        regions: dict[str, Region] = {}
        for key, each in self.read_pairs(node):
            regions[self.read_scalar(key)] = self.check_region(game, each, key.value)
        return regions

    def check_region(self, game: str, node: Any, name: str) -> Region:
        """[left, right, top, bottom] inside the game's picture."""
        edges = self.read_scalars(node)
        if len(edges) != 4 or not all(type(edge) is int for edge in edges):
            self.refuse(node, "a region is [left, right, top, bottom] in whole pixels")
        left, right, top, bottom = edges
        rows = rows_of(game)
        if not (0 <= left <= right < WIDTH and 0 <= top <= bottom < rows):
            self.refuse(
                node,
                f"{name} is not inside the picture, which has the columns 0 to {WIDTH - 1} and the "
                f"rows 0 to {rows - 1}",
            )
        return (left, right, top, bottom)

    def read_colours(self, node: Any) -> dict[str, int]:
        """Name -> the console's number of a colour."""
        colours = self.read_table(node)
        for name, number in colours.items():
            if type(number) is not int or number not in range(0, 256, 2):
                self.refuse(node, f"{name} is no colour: the console's colours are the even numbers 0 to 254")
        return colours

    def read_masks(self, node: Any) -> tuple[Mask, ...]:
        """Region -> colour, by the names that the file gives them; later masks lie over earlier ones."""
        masks = []
        for key, value in self.read_pairs(node):
            region, colour = self.read_scalar(key), self.read_scalar(value)
            if region not in self.regions:
                self.refuse(
                    key, f"{region!r} is not one of the regions {', '.join(self.regions) or '(none)'}"
                )
            if colour not in self.colours:
                self.refuse(
                    value, f"{colour!r} is not one of the colours {', '.join(self.colours) or '(none)'}"
                )
            masks.append(Mask(*self.regions[region], self.colours[colour]))
        return tuple(masks)

    def read_expression(self, node: Any) -> Node:
        return self.parse_node(parse, self.require_scalar(node, "expected an expression here"))

    def parse_node(self, parser: Any, node: Any) -> Any:
        try:
            return parser(node.value, position_of(node))
        except Unreadable as error:
            self.refuse_at(error.at, error.says)
