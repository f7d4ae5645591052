"""The records of a rule file: a game's named cells and its variations, parsed and not yet compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.envs.atari.rule_language import Among, Node

HACKATARI = "HackAtari"  # the origin of a variation that names none


@dataclass(frozen=True)
class Rule:
    """One line of a hook, parsed."""

    loop: tuple[str, Among] | None = None
    let: tuple[tuple[str, Node], ...] = ()
    when: Node | None = None
    sets: tuple[tuple[Node, tuple[Node, ...]], ...] = ()  # target -> one value, or one per cell
    keeps: tuple[tuple[Node, Node], ...] = ()
    pays: Node | None = None
    becomes: Node | None = None


@dataclass(frozen=True)
class Patch:
    """Paints over a box of the screen: its pixels of some colours take the colour of one pixel."""

    when: Node | None
    box: tuple[Node, Node, Node, Node]  # x, y, width, height
    only: tuple[int, ...]  # palette colours to paint over; empty: all pixels of the box
    like: tuple[int, int]  # x, y of the pixel whose colour they take


@dataclass(frozen=True)
class Variation:
    """One entry of a rule file: a switch, or with `values` a choice."""

    name: str
    means: str
    touches: tuple[str, ...]
    direction: str
    directions: dict[Any, str] = field(default_factory=dict)  # level -> its own, where it differs
    origin: str = HACKATARI
    values: dict[Any, Any] = field(default_factory=dict)  # level -> what `value` stands for in rules
    names: dict[str, Any] = field(default_factory=dict)  # full name -> level
    aliases: dict[str, Any] = field(default_factory=dict)  # other spelling -> level; True for a switch
    restates: tuple = ()  # values that only restate the game; (True,) for a switch
    asks: bool = False
    memory: tuple[tuple[str, Node | tuple[Node, ...]], ...] = ()
    hooks: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    patches: tuple[Patch, ...] = ()
    brighter_of_two: bool = False
    detects: bool = False  # HackAtari runs it once more after its object detection
    refuses: str = ""  # why it cannot be done
    note: str = ""
    # Rules that put a plain and a varied game alike into a state where the variation has an effect.
    situation: tuple[Rule, ...] = ()
    after: int = 0  # frames before the situation

    def direction_of(self, value: Any) -> str:
        return self.directions.get(value, self.direction)


@dataclass(frozen=True)
class GameFile:
    """A whole rule file."""

    game: str
    cells: dict[str, tuple[int, ...] | int]
    variations: dict[str, Variation]
