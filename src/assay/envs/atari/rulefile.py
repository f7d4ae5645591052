"""Reads a game's rule file: named cells, then variations as rules. What is wrong is said with its place.

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

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import yaml

from assay.core.axis import COMPONENTS, DIRECTIONS
from assay.envs.atari.compile import CELLS, Rule, Scope, values_of
from assay.envs.atari.language import Item, Name, Node, parse, parse_among, parse_loop
from assay.errors import AssayError
from assay.positions import Unreadable, place, tell_in_file

HOOKS = ("start", "frame", "step", "action", "reward")
RULE_KEYS = {"for", "let", "when", "set", "keep", "pay", "become"}
SCREEN_KEYS = {"when", "box", "only", "like", "brighter_of_two"}
KEYS = {
    "means", "direction", "touches", "origin", "aliases", "values", "names", "restates", "asks", "memory",
    "screen", "detects", "refuses", "situation", "note", *HOOKS,
}  # fmt: skip
HackAtari = "HackAtari"


class BadRules(AssayError):
    """A rule file that cannot be used, with line and column."""


@dataclass(frozen=True)
class Patch:
    """Paints over a part of the screen: its pixels of some colours take the colour of one pixel."""

    when: Node | None
    box: tuple[Node, Node, Node, Node]  # x, y, width, height
    only: tuple[int, ...]  # palette colours; none: all pixels of the box
    like: tuple[int, int]  # x, y of the pixel whose colour it takes


@dataclass(frozen=True)
class Variation:
    """One entry of a rule file: a switch, or with `values` a family."""

    name: str
    means: str
    touches: tuple[str, ...]
    direction: str
    directions: dict[Any, str] = field(default_factory=dict)  # of single values, where they differ
    origin: str = HackAtari
    values: dict[Any, Any] = field(default_factory=dict)  # written value -> what `value` stands for
    names: dict[str, Any] = field(default_factory=dict)  # full name -> written value
    aliases: dict[str, Any] = field(default_factory=dict)  # other spelling -> written value, True of a switch
    restates: tuple = ()  # values that only restate the game; (True,) for a switch
    asks: bool = False
    memory: tuple[tuple[str, Node | tuple[Node, ...]], ...] = ()
    hooks: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    patches: tuple[Patch, ...] = ()
    brighter_of_two: bool = False
    detects: bool = False  # the original ran it once more after its object detection
    refuses: str = ""  # why it cannot be done
    note: str = ""
    situation: tuple[Rule, ...] = ()  # brings about, in plain and varied alike, where it can be felt
    after: int = 0  # frames before that

    def direction_of(self, value: Any) -> str:
        return self.directions.get(value, self.direction)


@dataclass(frozen=True)
class GameFile:
    game: str
    cells: dict[str, tuple[int, ...] | int]
    variations: dict[str, Variation]


def text_of(path: str) -> str:
    """The text of a rule file, or AssayError where it is none."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise AssayError(f"{path} is no text in UTF-8, so it is no rule file; write it as YAML.") from None


def read(text: str, source: str) -> GameFile:
    """The rule file with this text; `source` is what errors call it."""
    return Reading(text, source).game()


def place_of(node: Any) -> int:
    """Where a node's text begins, line and column in one number."""
    quoted = getattr(node, "style", None) in ("'", '"')
    return place(node.start_mark.line, node.start_mark.column + quoted)


class Reading:
    """One file being read."""

    def __init__(self, text: str, source: str):
        self.source = source
        try:
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            self.root = yaml.compose(text, Loader=loader)
        except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            says = getattr(error, "problem", None) or getattr(error, "reason", None) or error
            words = " ".join(str(says).split())
            if mark:
                raise BadRules(tell_in_file(source, place(mark.line, mark.column), words)) from None
            raise BadRules(f"{source}: {words}.") from None

    def wrong(self, node: Any, says: str) -> NoReturn:
        self.wrong_at(place_of(node), says)

    def wrong_at(self, at: int, says: str) -> NoReturn:
        raise BadRules(tell_in_file(self.source, at, says)) from None

    def game(self) -> GameFile:
        if self.root is None:
            raise BadRules(f"{self.source} is empty; it names a game, its cells and its variations.")
        parts = self.mapping(self.root, {"game", "cells", "variations"}, needs=("game", "variations"))
        cells = {}
        for key, node in self.pairs(parts["cells"]) if "cells" in parts else ():
            cells[self.name(key)] = self.cell(node)
        self.cells = cells
        variations: dict[str, Variation] = {}
        for key, node in self.pairs(parts["variations"]):
            if self.name(key) in variations:
                self.wrong(key, f"the variation {key.value!r} stands here twice")
            variations[key.value] = self.variation(self.name(key), key, node)
        return GameFile(self.scalar(parts["game"]), cells, variations)

    # Cells and names

    def name(self, node: Any) -> str:
        name = self.scalar(node)
        if not isinstance(name, str) or not name.isidentifier():
            self.wrong(node, f"{name!r} is no name; use letters, digits and underscores")
        if name in ("ram", "frame", "action", "points", "here", "value"):
            self.wrong(node, f"{name!r} already means something in every rule")
        return name

    def cell(self, node: Any) -> tuple[int, ...] | int:
        written = self.scalar(node)
        if isinstance(written, int) and not isinstance(written, bool):
            found: tuple[int, ...] = (written,)
        else:
            words, _, but = str(written).partition(" except ")
            at = place_of(node)
            try:
                left_out = values_of(parse_among(but, at), Scope({}, {})) if but else []
                every = values_of(parse_among(words, at), Scope({}, {}))
            except Unreadable as error:
                self.wrong_at(error.at, error.says)
            found = tuple(n for n in every if n not in left_out)
        outside = [cell for cell in found if not 0 <= cell < CELLS]
        if outside:
            self.wrong(node, f"cell {outside[0]} does not exist; a game has the cells 0 to {CELLS - 1}")
        return found[0] if isinstance(written, int) else found

    # One variation

    def variation(self, name: str, key: Any, node: Any) -> Variation:
        parts = self.mapping(node, KEYS, needs=("means", "touches", "direction"))
        values = (
            {self.scalar(k): self.scalar(v) for k, v in self.pairs(parts["values"])}
            if "values" in parts
            else {}
        )
        touches = tuple(self.scalar(each) for each in self.sequence(parts["touches"]))
        for each in touches:
            if each not in COMPONENTS:
                self.wrong(parts["touches"], f"{each!r} is no component; there are {', '.join(COMPONENTS)}")
        direction, directions = self.directions(parts["direction"], values)
        memory = (
            tuple(self.remembered(k, v) for k, v in self.pairs(parts["memory"])) if "memory" in parts else ()
        )
        situation, after = self.situation(parts["situation"]) if "situation" in parts else ((), 0)
        screen = self.sequence(parts["screen"]) if "screen" in parts else []
        patches = [self.patch(each) for each in screen]
        found = Variation(
            name, str(self.scalar(parts["means"])), touches, direction, directions,
            origin=self.text(parts, "origin", HackAtari),
            values=values,
            names=self.names(parts, name, values),
            aliases=self.aliases(parts, values),
            restates=self.restates(parts, values),
            asks=bool(self.scalar(parts["asks"])) if "asks" in parts else False,
            memory=memory,
            hooks={hook: self.rules(parts[hook]) for hook in HOOKS if hook in parts},
            patches=tuple(each for each in patches if each is not None),
            brighter_of_two=None in patches,
            detects=bool(self.scalar(parts["detects"])) if "detects" in parts else False,
            refuses=self.text(parts, "refuses", ""),
            note=self.text(parts, "note", ""),
            situation=situation, after=after,
        )  # fmt: skip
        if not (found.hooks or screen or found.refuses):
            self.wrong(key, f"{name} has no rule; give it one of {', '.join(HOOKS)} or screen")
        self.lint(found)
        return found

    def text(self, parts: dict, key: str, default: str) -> str:
        return str(self.scalar(parts[key])) if key in parts else default

    def directions(self, node: Any, values: dict) -> tuple[str, dict]:
        if isinstance(node, yaml.MappingNode):
            found = {self.scalar(k): self.scalar(v) for k, v in self.pairs(node)}
        else:
            found = {"other": self.scalar(node)}
        for value, each in found.items():
            if each not in DIRECTIONS:
                self.wrong(node, f"{each!r} is no direction; there are {', '.join(DIRECTIONS)}")
            if value != "other" and value not in values:
                self.wrong(node, f"{value!r} is none of the values {', '.join(map(str, values))}")
        return found.pop("other", "unknown"), found

    def names(self, parts: dict, name: str, values: dict) -> dict[str, Any]:
        """The full name of every value: `color_player_red`; `names` says how they are written."""
        if "names" not in parts:
            return {f"{name}_{value}": value for value in values}
        node = parts["names"]
        if isinstance(node, yaml.MappingNode):
            return {self.scalar(k): self.scalar(v) for k, v in self.pairs(node)}
        pattern = str(self.scalar(node))
        if "{}" not in pattern:
            self.wrong(node, "names is a pattern with {} for the value, such as all_{}_cars")
        return {pattern.replace("{}", str(value)): value for value in values}

    def aliases(self, parts: dict, values: dict) -> dict[str, Any]:
        if "aliases" not in parts:
            return {}
        node = parts["aliases"]
        if isinstance(node, yaml.MappingNode):
            return {self.scalar(k): self.scalar(v) for k, v in self.pairs(node)}
        return {self.scalar(each): True for each in self.sequence(node)}

    def restates(self, parts: dict, values: dict) -> tuple:
        if "restates" not in parts:
            return ()
        node = parts["restates"]
        found = [self.scalar(each) for each in self.sequence(node)]
        for each in found:
            if each is not True and each not in values:
                self.wrong(node, f"{each!r} is none of the values {', '.join(map(str, values))}")
        return tuple(found)

    def remembered(self, key: Any, node: Any) -> tuple[str, Node | tuple[Node, ...]]:
        if isinstance(node, yaml.SequenceNode):
            return self.name(key), tuple(self.expression(each) for each in node.value)
        return self.name(key), self.expression(node)

    def situation(self, node: Any) -> tuple[tuple[Rule, ...], int]:
        parts = self.mapping(node, {"after", "rules"}, needs=("rules",))
        return self.rules(parts["rules"]), int(self.scalar(parts["after"])) if "after" in parts else 0

    # Rules

    def rules(self, node: Any) -> tuple[Rule, ...]:
        return tuple(self.rule(each) for each in self.sequence(node))

    def rule(self, node: Any) -> Rule:
        parts = self.mapping(node, RULE_KEYS)
        if not {"set", "keep", "pay", "become"} & set(parts):
            self.wrong(node, "a rule does something: set, keep, pay or become")
        loop = self.parsed(parse_loop, parts["for"]) if "for" in parts else None
        return replace(
            Rule(
                loop,
                tuple((self.name(k), self.expression(v)) for k, v in self.pairs(parts["let"]))
                if "let" in parts
                else (),
                self.expression(parts["when"]) if "when" in parts else None,
                tuple((self.target(k), self.assigned(v)) for k, v in self.pairs(parts["set"]))
                if "set" in parts
                else (),
                tuple((self.target(k), self.expression(v)) for k, v in self.pairs(parts["keep"]))
                if "keep" in parts
                else (),
            ),
            pays=self.expression(parts["pay"]) if "pay" in parts else None,
            becomes=self.expression(parts["become"]) if "become" in parts else None,
        )

    def target(self, node: Any) -> Node:
        found = self.expression(node)
        if not isinstance(found, (Name, Item)):
            self.wrong(node, "a target is a cell by its name, one of a range (cars[i]) or ram[number]")
        return found

    def assigned(self, node: Any) -> tuple[Node, ...]:
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.expression(each) for each in node.value)
        return (self.expression(node),)

    def expression(self, node: Any) -> Node:
        if not isinstance(node, yaml.ScalarNode):
            self.wrong(node, "expected an expression here")
        return self.parsed(parse, node)

    def parsed(self, reader: Any, node: Any) -> Any:
        try:
            return reader(node.value, place_of(node))
        except Unreadable as error:
            self.wrong_at(error.at, error.says)

    def patch(self, node: Any) -> Patch | None:
        """A patch; None for `brighter_of_two`, which is about the whole screen."""
        parts = self.mapping(node, SCREEN_KEYS)
        if "brighter_of_two" in parts:
            return None
        if "box" not in parts or "like" not in parts:
            self.wrong(node, "a patch has a box [x, y, width, height] and the pixel [x, y] that it is like")
        box = tuple(self.expression(each) for each in self.sequence(parts["box"]))
        like = tuple(self.scalar(each) for each in self.sequence(parts["like"]))
        if len(box) != 4 or len(like) != 2:
            self.wrong(node, "a box is [x, y, width, height], and like is a pixel [x, y]")
        only = tuple(self.scalar(each) for each in self.sequence(parts["only"])) if "only" in parts else ()
        return Patch(self.expression(parts["when"]) if "when" in parts else None, box, only, like)

    def lint(self, variation: Variation) -> None:
        """Compiles it once, so that a wrong name or cell is found when the file is read."""
        from assay.envs.atari.variation import compile_variation

        try:
            for value in variation.values.values() or (True,):
                compile_variation(variation, value, self.cells)
        except Unreadable as error:
            self.wrong_at(error.at, error.says)

    # YAML

    def mapping(self, node: Any, known: set[str], needs: tuple[str, ...] = ()) -> dict[str, Any]:
        found = {}
        for key, value in self.pairs(node):
            if not isinstance(key, yaml.ScalarNode):
                self.wrong(key, "a key is a word")
            if key.value not in known:
                self.wrong(key, f"{key.value!r} is no key here; there are {', '.join(sorted(known))}")
            if key.value in found:
                self.wrong(key, f"{key.value!r} stands here twice")
            found[key.value] = value
        for key in needs:
            if key not in found:
                self.wrong(node, f"{key} is missing")
        return found

    def pairs(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if not isinstance(node, yaml.MappingNode):
            self.wrong(node, "expected keys with values here")
        return iter(node.value)

    def sequence(self, node: Any) -> list[Any]:
        return node.value if isinstance(node, yaml.SequenceNode) else [node]

    def number(self, node: Any) -> int | float:
        """As Python writes it: what YAML takes for a number beside that, 07 or 1:30 or .inf, misleads."""
        try:
            found = int(node.value, 0) if node.tag.endswith(":int") else float(node.value)
        except ValueError:
            found = math.inf
        if not math.isfinite(found):
            self.wrong(node, f"{node.value} is no plain number; write it in digits, such as 7 or 0.5")
        return found

    def scalar(self, node: Any) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            self.wrong(node, "expected one value here")
        if node.tag.endswith((":int", ":float")):
            return self.number(node)
        if node.tag.endswith(":bool"):
            return node.value.lower() in ("true", "yes", "on")
        return node.value
