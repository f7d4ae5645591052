"""Reads a game's rule file: named cells, then variations as rules. Errors name the line and the column.

    game: Pong
    cells: {enemy_y: 21, ball_x: 49, cars: 33..42, tentacle: "9, 19, 29"}
    variations:
      lazy_enemy:
        means: the opponent stands still while the ball flies towards you
        direction: simplification
        touches: [transition]
        memory: {last_x: 130, held: 127}
        frame:
          - {when: ball_x > last_x, set: {enemy_y: held}}
          - {keep: {held: held if ball_x > last_x else enemy_y, last_x: ball_x}}

`docs/atari-rules.md` explains every key.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, cast

import yaml

from assay.core.axis import COMPONENTS, DIRECTIONS, Stochasticity
from assay.core.taxonomy import TYPES
from assay.envs.atari.compiled_variation import compile_variation
from assay.envs.atari.decoding import Decoder
from assay.envs.atari.objects.reading import ObjectReader
from assay.envs.atari.rule_compiler import CELLS, Scope, values_of
from assay.envs.atari.rule_language import Item, Name, Node, mentions, parse_among, parse_loop
from assay.envs.atari.rule_records import HACKATARI, STORI, GameFile, Rule, Variation
from assay.envs.atari.rule_yaml import BadRules, position_of
from assay.errors import AssayError
from assay.positions import Unreadable

HOOKS = ("start", "before", "frame", "step", "action", "reward", "event", "hide")
ACTS = ("set", "keep", "pay", "owe", "become")
DECIDING = ("happens", "happens_once", "probability")  # names that stand for a variation's chance
MOST_SETTLING = 1000  # frames
TAKEN = ("ram", "frame", "action", "points", "here", "value", *DECIDING)
RULE_KEYS = {"for", "let", "when", *ACTS}
FILE_KEYS = {"game", "cells", "decoded", "regions", "colours", "objects", "variations"}
KEYS = {
    "means", "direction", "touches", "origin", "aliases", "values", "names", "restates", "asks", "memory",
    "screen", "detects", "settles", "keeps_lives", "button_up", "refuses", "unlists", "situation", "note",
    "type", "chance", "mask", "original", *HOOKS,
}  # fmt: skip


def read_utf8(path: str) -> str:
    """The text of a rule file, or AssayError where it is not UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise AssayError(f"{path} is not a text in UTF-8; write a rule file as YAML in UTF-8.") from None


def read_rules(text: str, source: str) -> GameFile:
    """The rule file with this text; `source` is its name in errors."""
    return FileReader(text, source).read_game()


class FileReader(ObjectReader):
    """Reads one rule file."""

    def read_game(self) -> GameFile:
        if self.root is None:
            raise BadRules(f"{self.source} is empty; write the keys game, cells and variations.")
        parts = self.read_mapping(self.root, FILE_KEYS, needs=("game", "variations"))
        game = self.read_scalar(parts["game"])
        self.regions = self.read_optional(parts, "regions", partial(self.read_regions, game), {})
        self.colours = self.read_optional(parts, "colours", self.read_colours, {})
        cells = {}
        for key, node in self.read_pairs(parts["cells"]) if "cells" in parts else ():
            cells[self.read_name(key)] = self.read_cells(node)
        self.cells = cells
        objects = self.read_optional(parts, "objects", partial(self.read_objects, game), ())
        self.classes = list(dict.fromkeys(group.name for group in objects))
        variations: dict[str, Variation] = {}
        for key, node in self.read_pairs(parts["variations"]):
            if self.read_name(key) in variations:
                self.refuse(key, f"the variation {key.value!r} appears twice")
            variations[key.value] = self.read_variation(self.read_name(key), key, node)
        decoded = self.read_optional(parts, "decoded", self.read_decoded, ())
        try:
            Decoder(decoded, cells)
        except Unreadable as error:
            self.refuse_at(error.at, error.says)
        return GameFile(game, cells, variations, decoded, objects)

    # Cells and names

    def read_name(self, node: Any) -> str:
        name = self.read_scalar(node)
        if not isinstance(name, str) or not name.isidentifier():
            self.refuse(node, f"{name!r} is not a name; use letters, digits and underscores")
        if name in TAKEN:
            self.refuse(node, f"{name!r} already means something in every rule; use another name")
        return name

    def read_cells(self, node: Any) -> tuple[int, ...] | int:
        written = self.read_scalar(node)
        if isinstance(written, int) and not isinstance(written, bool):
            cells: tuple[int, ...] = (written,)
        else:
            included, _, excluded = str(written).partition(" except ")
            at = position_of(node)
            try:
                left_out = values_of(parse_among(excluded, at), Scope({}, {})) if excluded else []
                every = values_of(parse_among(included, at), Scope({}, {}))
            except Unreadable as error:
                self.refuse_at(error.at, error.says)
            cells = tuple(n for n in every if n not in left_out)
        outside = [cell for cell in cells if not 0 <= cell < CELLS]
        if outside:
            self.refuse(node, f"cell {outside[0]} does not exist; a game has the cells 0 to {CELLS - 1}")
        return cells[0] if isinstance(written, int) else cells

    # One variation

    def read_variation(self, name: str, key: Any, node: Any) -> Variation:
        parts = self.read_mapping(node, KEYS, needs=("means", "touches", "direction"))
        values: dict[Any, Any] = self.read_optional(parts, "values", self.read_table, {})
        touches = self.read_scalars(parts["touches"])
        for each in touches:
            if each not in COMPONENTS:
                known = ", ".join(COMPONENTS)
                self.refuse(parts["touches"], f"{each!r} is not a component; write one of {known}")
        direction, directions = self.read_directions(parts["direction"], values)
        memory = self.read_optional(parts, "memory", self.read_memory, ())
        situation, after = self.read_optional(parts, "situation", self.read_situation, ((), 0))
        screen = self.read_sequence(parts["screen"]) if "screen" in parts else []
        patches = [self.read_patch(each) for each in screen]
        unnamed = STORI if "type" in parts else HACKATARI
        variation = Variation(
            name, self.read_text(parts["means"]), touches, direction, directions,
            origin=self.read_optional(parts, "origin", self.read_text, unnamed),
            stochasticity=self.read_optional(parts, "type", self.read_type, ""),
            values=values,
            names=self.read_names(parts, name, values),
            aliases=self.read_optional(parts, "aliases", self.read_aliases, {}),
            restates=self.read_optional(parts, "restates", partial(self.read_restates, values), ()),
            asks=self.read_optional(parts, "asks", self.read_flag, False),
            memory=memory,
            hooks=self.read_hooks(parts),
            original=self.read_optional(parts, "original", self.read_original, {}),
            masks=self.read_optional(parts, "mask", self.read_masks, ()),
            chances=self.read_optional(parts, "chance", self.read_chances, ()),
            patches=tuple(each for each in patches if each is not None),
            brighter_of_two=None in patches,
            detects=self.read_optional(parts, "detects", self.read_flag, False),
            keeps_lives=self.read_optional(parts, "keeps_lives", self.read_flag, False),
            settles=self.read_optional(parts, "settles", self.read_count, 0),
            button_up=self.read_optional(parts, "button_up", self.read_flag, False),
            unlists=self.read_optional(parts, "unlists", self.read_unlisted, ()),
            refuses=self.read_optional(parts, "refuses", self.read_text, ""),
            note=self.read_optional(parts, "note", self.read_text, ""),
            situation=situation, after=after,
        )  # fmt: skip
        if not (variation.hooks or screen or variation.masks or variation.refuses):
            self.refuse(key, f"{name} has no rule; give it one of {', '.join(HOOKS)}, mask or screen")
        self.check_chance(variation, key)
        self.lint(variation)
        return variation

    def read_type(self, node: Any) -> Stochasticity:
        """Its type in STORI's taxonomy of chance."""
        written = self.read_text(node)
        if written not in TYPES:
            self.refuse(node, f"{written!r} is no type of chance; write one of {', '.join(TYPES)}")
        return cast(Stochasticity, written)

    def read_chances(self, node: Any) -> tuple[float, ...]:
        chances = tuple(float(each) for each in self.read_scalars(node))
        if not chances or not all(0.0 < each <= 1.0 for each in chances):
            self.refuse(node, "chance lists the probabilities to try, each above 0 and at most 1")
        return chances

    def read_original(self, node: Any) -> dict[str, tuple[Rule, ...]]:
        return self.read_hooks(self.read_mapping(node, set(HOOKS)))

    def read_hooks(self, parts: dict) -> dict[str, tuple[Rule, ...]]:
        return {hook: self.read_rules(parts[hook]) for hook in HOOKS if hook in parts}

    def check_chance(self, variation: Variation, key: Any) -> None:
        """Refuses a chance that decides nothing, and masks and hides without one."""
        shows = bool(variation.masks) or "hide" in variation.hooks
        if variation.chances and variation.values:
            self.refuse(key, f"{variation.name} has values and a chance; a level is one or the other")
        if shows and not variation.chances:
            self.refuse(key, f"{variation.name} hides a part of the picture; say with which chance")
        if variation.chances and not shows and not mentions(variation.hooks, DECIDING):
            self.refuse(
                key, f"the chance of {variation.name} decides nothing; write `happens` in a condition"
            )

    def read_directions(self, node: Any, values: dict) -> tuple[str, dict]:
        if isinstance(node, yaml.MappingNode):
            directions = self.read_table(node)
        else:
            directions = {"other": self.read_scalar(node)}
        for value, each in directions.items():
            if each not in DIRECTIONS:
                self.refuse(node, f"{each!r} is not a direction; write one of {', '.join(DIRECTIONS)}")
            if value != "other" and value not in values:
                self.refuse(node, f"{value!r} is not one of the values {', '.join(map(str, values))}")
        return directions.pop("other", "unknown"), directions

    def read_names(self, parts: dict, name: str, values: dict) -> dict[str, Any]:
        """Full name -> value, such as `color_player_red` -> red; the key `names` sets the pattern."""
        if "names" not in parts:
            return {f"{name}_{value}": value for value in values}
        node = parts["names"]
        if isinstance(node, yaml.MappingNode):
            return self.read_table(node)
        pattern = self.read_text(node)
        if "{}" not in pattern:
            self.refuse(node, "names must be a pattern with {} for the value, such as all_{}_cars")
        return {pattern.replace("{}", str(value)): value for value in values}

    def read_aliases(self, node: Any) -> dict[str, Any]:
        """Other spelling -> value, True for a switch."""
        if isinstance(node, yaml.MappingNode):
            return self.read_table(node)
        return dict.fromkeys(self.read_scalars(node), True)

    def read_restates(self, values: dict, node: Any) -> tuple:
        """The values that only restate the game."""
        restated = self.read_scalars(node)
        for each in restated:
            if each is not True and each not in values:
                self.refuse(node, f"{each!r} is not one of the values {', '.join(map(str, values))}")
        return restated

    def read_memory(self, node: Any) -> tuple[tuple[str, Node | tuple[Node, ...]], ...]:
        """Name -> the value that an episode begins with, or a list of values."""
        return tuple((self.read_name(k), self.read_initial(v)) for k, v in self.read_pairs(node))

    def read_initial(self, node: Any) -> Node | tuple[Node, ...]:
        return self.read_values(node) if isinstance(node, yaml.SequenceNode) else self.read_expression(node)

    def read_count(self, node: Any) -> int:
        count = self.read_scalar(node)
        if type(count) is not int or not 0 < count <= MOST_SETTLING:
            self.refuse(node, f"{count!r} is not a number of frames from 1 to {MOST_SETTLING}")
        return count

    def read_situation(self, node: Any) -> tuple[tuple[Rule, ...], int]:
        parts = self.read_mapping(node, {"after", "rules"}, needs=("rules",))
        after = int(self.read_optional(parts, "after", self.read_scalar, 0))
        return self.read_rules(parts["rules"]), after

    # Rules

    def read_rules(self, node: Any) -> tuple[Rule, ...]:
        return tuple(self.read_rule(each) for each in self.read_sequence(node))

    def read_rule(self, node: Any) -> Rule:
        parts = self.read_mapping(node, RULE_KEYS)
        if not set(ACTS) & set(parts):
            self.refuse(node, f"a rule needs one of the keys {', '.join(ACTS[:-1])} and {ACTS[-1]}")
        return Rule(
            loop=self.read_optional(parts, "for", partial(self.parse_node, parse_loop), None),
            let=self.read_optional(parts, "let", self.read_lets, ()),
            when=self.read_optional(parts, "when", self.read_expression, None),
            sets=self.read_optional(parts, "set", self.read_sets, ()),
            keeps=self.read_optional(parts, "keep", self.read_keeps, ()),
            pays=self.read_optional(parts, "pay", self.read_expression, None),
            becomes=self.read_optional(parts, "become", self.read_expression, None),
            owes=self.read_optional(parts, "owe", self.read_expression, None),
        )

    def read_lets(self, node: Any) -> tuple[tuple[str, Node], ...]:
        return tuple((self.read_name(k), self.read_expression(v)) for k, v in self.read_pairs(node))

    def read_sets(self, node: Any) -> tuple[tuple[Node, tuple[Node, ...]], ...]:
        return tuple((self.read_target(k), self.read_values(v)) for k, v in self.read_pairs(node))

    def read_keeps(self, node: Any) -> tuple[tuple[Node, Node], ...]:
        return tuple((self.read_target(k), self.read_expression(v)) for k, v in self.read_pairs(node))

    def read_target(self, node: Any) -> Node:
        target = self.read_expression(node)
        if not isinstance(target, (Name, Item)):
            self.refuse(node, "a target is the name of a cell, one cell of a range (cars[i]) or ram[number]")
        return target

    def read_values(self, node: Any) -> tuple[Node, ...]:
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.read_expression(each) for each in node.value)
        return (self.read_expression(node),)

    def lint(self, variation: Variation) -> None:
        """Compiles the variation for every value, so that reading a file finds wrong names and cells."""
        try:
            for value in variation.values.values() or (True,):
                compile_variation(variation, value, self.cells)
                compile_variation(variation, value, self.cells, original=True)
        except Unreadable as error:
            self.refuse_at(error.at, error.says)
