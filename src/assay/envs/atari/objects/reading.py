"""Reads the key `objects` of a rule file: what is on the screen, class by class, from the game's cells.

    objects:
      ball: {box: [ball_x - 49, ball_y - 14, 2, 4], when: ball_y > 0, drawn: [236]}
      car:
        - {for: i in 0..9, box: [cars[i], 27 + 16 * i, 8, 10], drawn: [26, 66]}

Every value of a loop is a slot of its own, which its object keeps as long as it exists.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import yaml

from assay.envs.atari.decoding import DecodingReader
from assay.envs.atari.game_table import rows_of
from assay.envs.atari.objects.finding import ObjectFinder
from assay.envs.atari.rule_language import parse_loop
from assay.envs.atari.rule_records import ObjectGroup
from assay.positions import Unreadable

KEYS = {"for", "let", "when", "box", "drawn", "within"}


class ObjectReader(DecodingReader):
    """Reads the objects of a rule file."""

    cells: dict[str, Any]
    classes: list[str]

    def read_objects(self, game: str, node: Any) -> tuple[ObjectGroup, ...]:
        groups: list[ObjectGroup] = []
        for key, value in self.read_pairs(node):
            name = self.read_scalar(key)
            if not isinstance(name, str) or not name.isidentifier():
                self.refuse(key, f"{name!r} is not a name; use letters, digits and underscores")
            if any(group.name == name for group in groups):
                self.refuse(key, f"the class {name!r} appears twice; give it a list of groups")
            groups += [self.read_group(game, name, each) for each in self.read_sequence(value)]
        try:
            ObjectFinder(tuple(groups), self.cells, rows_of(game))
        except Unreadable as error:
            self.refuse_at(error.at, error.says)
        return tuple(groups)

    def read_group(self, game: str, name: str, node: Any) -> ObjectGroup:
        parts = self.read_mapping(node, KEYS, needs=("box",))
        box = tuple(self.read_expression(each) for each in self.read_sequence(parts["box"]))
        if len(box) != 4:
            self.refuse(parts["box"], "a box is [x, y, width, height]")
        drawn = self.read_optional(parts, "drawn", self.read_scalars, ())
        for colour in drawn:
            if type(colour) is not int or colour not in range(0, 256, 2):
                self.refuse(parts["drawn"], f"{colour} is no colour: they are the even numbers 0 to 254")
        return ObjectGroup(
            name, box,
            loop=self.parse_node(parse_loop, parts["for"]) if "for" in parts else None,
            let=self.read_optional(parts, "let", self.read_values_by_name, ()),
            when=self.read_optional(parts, "when", self.read_expression, None),
            drawn=drawn,
            within=self.read_optional(parts, "within", partial(self.read_within, game), ()),
        )  # fmt: skip

    def read_values_by_name(self, node: Any) -> tuple:
        return tuple((self.read_scalar(k), self.read_expression(v)) for k, v in self.read_pairs(node))

    def read_within(self, game: str, node: Any) -> tuple[tuple[int, int, int, int], ...]:
        """One region, or a list of them."""
        several = isinstance(node, yaml.SequenceNode) and not any(
            each.tag.endswith(":int") for each in node.value
        )
        return tuple(self.read_region(game, each) for each in (node.value if several else [node]))

    def read_region(self, game: str, node: Any) -> tuple[int, int, int, int]:
        """A region by its name, or [left, right, top, bottom]."""
        if isinstance(node, yaml.ScalarNode):
            name = self.read_scalar(node)
            if name not in self.regions:
                known = ", ".join(self.regions) or "(none)"
                self.refuse(node, f"{name!r} is not one of the regions {known}")
            return self.regions[name]
        return self.check_region(game, node, "within")

    def read_unlisted(self, node: Any) -> tuple[str, ...]:
        """The classes that a variation takes out of the list of objects."""
        names = self.read_scalars(node)
        for name in names:
            if name not in self.classes:
                known = ", ".join(self.classes) or "(none)"
                self.refuse(node, f"{name!r} is not one of the classes of objects {known}")
        return names
