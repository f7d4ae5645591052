"""Finds the objects of a game in its cells: the groups of a rule file compiled to one function.

A finder has a fixed number of slots, one for each group or for each value of its loop. Boxes are cut at the
edges of the picture; an object wholly outside it is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from assay.envs.atari.game_table import WIDTH
from assay.envs.atari.rule_compiler import Scope, values_of, write_expression
from assay.envs.atari.rule_functions import HELPERS
from assay.envs.atari.rule_language import DRAWING, Call, Name
from assay.envs.atari.rule_records import ObjectGroup
from assay.positions import Unreadable

Box = tuple[int, int, int, int]  # x, y, width, height


class Seen(NamedTuple):
    """One object on the screen."""

    name: str  # of its class
    slot: int  # its number within the class
    x: int
    y: int
    width: int
    height: int


class ObjectFinder:
    """Finds the objects of one game."""

    def __init__(self, groups: tuple[ObjectGroup, ...], cells: Mapping[str, Any], rows: int):
        self.groups = groups
        self.classes = list(dict.fromkeys(group.name for group in groups))
        self.group_of: list[int] = []  # slot -> the number of its group
        lines: list[str] = []
        for number, group in enumerate(groups):
            refuse_what_has_no_meaning(group)
            for constants in constants_of(group, Scope(cells, {}, hook="objects")):
                lines += self.write_slot(group, Scope(cells, {}, constants=constants, hook="objects"))
                self.group_of.append(number)
        slots = ", ".join(f"s{slot}" for slot in range(len(self.group_of)))
        body = "\n    ".join([*lines, f"return [{slots}]"])
        space: dict[str, Any] = {"__builtins__": {}, **HELPERS, "cut": cutter(rows)}
        # The source is written from parsed nodes alone: no text of a file reaches it.
        exec(compile(f"def find(ram, old):\n    {body}\n", "<objects>", "exec"), space)
        # Of the cells now and before the step's last frame: a box for each slot, None where nothing is.
        self.find: Callable[[Any, Any], list[Box | None]] = space["find"]
        self.looks_back = any("old[" in line for line in lines)  # whether it needs the cells before
        self.class_of = [self.classes.index(groups[number].name) for number in self.group_of]
        self.number_of = [self.class_of[:slot].count(kind) for slot, kind in enumerate(self.class_of)]

    def write_slot(self, group: ObjectGroup, scope: Scope) -> list[str]:
        lines = []
        for name, node in group.let:
            if name in scope.names():
                raise Unreadable(f"{name!r} already means something else", node.at)
            lines.append(f"v_{name} = {write_expression(node, scope)}")
            scope = replace(scope, locals=scope.locals | {name})
        box = ", ".join(write_expression(edge, scope) for edge in group.box)
        end = "" if group.when is None else f" if {write_expression(group.when, scope)} else None"
        return [*lines, f"s{len(self.group_of)} = cut({box}){end}"]

    def list_objects(self, ram: Any, old: Any) -> list[Seen]:
        """What is on the screen, by class and slot."""
        return [
            Seen(self.classes[self.class_of[slot]], self.number_of[slot], *box)
            for slot, box in enumerate(self.find(ram, old))
            if box is not None
        ]

    def slot_names(self) -> list[str]:
        """`ball` where a class has one slot, else `car[0]`, `car[1]`."""
        return [
            self.classes[kind] if self.class_of.count(kind) == 1 else f"{self.classes[kind]}[{number}]"
            for kind, number in zip(self.class_of, self.number_of)
        ]


def constants_of(group: ObjectGroup, scope: Scope) -> list[dict[str, int]]:
    """For each slot of a group the meaning of its loop's name."""
    if group.loop is None:
        return [{}]
    name, among = group.loop
    if name in scope.names():
        raise Unreadable(f"the loop's name {name!r} already means something else", among.at)
    return [{name: value} for value in values_of(among, scope)]


def cutter(rows: int) -> Callable[[int, int, int, int], Box | None]:
    """Cuts a box at the edges of a picture with so many rows; None where nothing is left of it."""

    def cut(x: int, y: int, width: int, height: int) -> Box | None:
        left, top = x if x > 0 else 0, y if y > 0 else 0
        wide = min(x + width, WIDTH) - left
        high = min(y + height, rows) - top
        return (left, top, wide, high) if wide > 0 and high > 0 else None

    return cut


def refuse_what_has_no_meaning(tree: Any) -> None:
    """Objects are read from cells: they draw no numbers, and know no frame."""
    if isinstance(tree, Call) and tree.name in DRAWING:
        raise Unreadable(f"{tree.name} draws a number, and objects are read from cells alone", tree.at)
    if isinstance(tree, Name) and tree.name == "frame":
        raise Unreadable("objects know no frame; read a cell that counts", tree.at)
    parts = tree if isinstance(tree, tuple) else ()
    if is_dataclass(tree):
        parts = tuple(getattr(tree, each.name) for each in fields(tree))
    for part in parts:
        refuse_what_has_no_meaning(part)
