"""The records of a rule file: a game's named cells and its variations, parsed and not yet compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.core.axis import Stochasticity
from assay.envs.atari.rule_language import Among, Node

HACKATARI = "HackAtari"  # the origin of a variation that names none
STORI = "STORI"  # that of one which names its type of chance alone


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
    owes: Node | None = None  # added to what the next frame pays


@dataclass(frozen=True)
class Patch:
    """Paints over a box of the screen: its pixels of some colours take the colour of one pixel."""

    when: Node | None
    box: tuple[Node, Node, Node, Node]  # x, y, width, height
    only: tuple[int, ...]  # palette colours to paint over; empty: all pixels of the box
    like: tuple[int, int]  # x, y of the pixel whose colour they take


@dataclass(frozen=True)
class Mask:
    """A rectangle of the picture, hidden under one colour; columns and rows as ranges with both ends."""

    left: int
    right: int
    top: int
    bottom: int
    colour: int  # the console's number of it


@dataclass(frozen=True)
class Variation:
    """One entry of a rule file: a switch, with `values` a choice, with `chances` a probability."""

    name: str
    means: str
    touches: tuple[str, ...]
    direction: str
    directions: dict[Any, str] = field(default_factory=dict)  # level -> its own, where it differs
    origin: str = HACKATARI
    stochasticity: Stochasticity = ""
    values: dict[Any, Any] = field(default_factory=dict)  # level -> what `value` stands for in rules
    names: dict[str, Any] = field(default_factory=dict)  # full name -> level
    aliases: dict[str, Any] = field(default_factory=dict)  # other spelling -> level; True for a switch
    restates: tuple = ()  # values that only restate the game; (True,) for a switch
    asks: bool = False
    memory: tuple[tuple[str, Node | tuple[Node, ...]], ...] = ()
    hooks: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    patches: tuple[Patch, ...] = ()
    brighter_of_two: bool = False
    masks: tuple[Mask, ...] = ()
    chances: tuple[float, ...] = ()  # the probabilities that the laws try
    original: dict[str, tuple[Rule, ...]] = field(default_factory=dict)  # the hooks under compat=stori
    detects: bool = False  # HackAtari runs it once more after its object detection
    keeps_lives: bool = False  # no life is lost, though the emulator counts on
    unlists: tuple[str, ...] = ()  # classes of objects that observations of objects leave out
    settles: int = 0  # frames in which the game sets itself up; its start rules come after these
    button_up: bool = False  # pictures with hidden cells are drawn without the button
    refuses: str = ""  # why it cannot be done
    note: str = ""
    # Rules that put a plain and a varied game alike into a state where the variation has an effect.
    situation: tuple[Rule, ...] = ()
    after: int = 0  # frames before the situation

    def direction_of(self, value: Any) -> str:
        return self.directions.get(value, self.direction)

    def hooks_of(self, original: bool) -> dict[str, tuple[Rule, ...]]:
        """Its hooks; with `original` those that reproduce STORI, where they differ."""
        return self.original if original and self.original else self.hooks


@dataclass(frozen=True)
class Decoded:
    """A quantity of the game that its cells encode: one number, or a matrix of bits."""

    name: str
    value: Node | None = None  # of a number
    # Of a matrix: for each row and column the bits of a cell, as (cell, mask); any of them set counts as 1.
    bits: tuple[tuple[tuple[int, int], ...], ...] = ()


@dataclass(frozen=True)
class ObjectGroup:
    """Objects that one line describes: one, or one for each value of a loop."""

    name: str  # of their class
    box: tuple[Node, Node, Node, Node]  # x, y, width, height
    loop: tuple[str, Among] | None = None
    let: tuple[tuple[str, Node], ...] = ()
    when: Node | None = None  # where it is not so, there is no such object
    # For the check against pixels: the console's numbers of its colours, and where these mean it alone.
    drawn: tuple[int, ...] = ()
    within: tuple[tuple[int, int, int, int], ...] = ()  # left, right, top, bottom, both ends included


@dataclass(frozen=True)
class GameFile:
    """A whole rule file."""

    game: str
    cells: dict[str, tuple[int, ...] | int]
    variations: dict[str, Variation]
    decoded: tuple[Decoded, ...] = ()
    objects: tuple[ObjectGroup, ...] = ()  # those of a class stand together, classes in the file's order
