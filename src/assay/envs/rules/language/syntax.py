"""A rule as records: what the parser makes of a text, the printer writes, and both engines read.

Two rules are equal where they say the same, wherever in their files they say it: places are not compared.
Names of shapes and colours are kept in upper case, all other names as they were written.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """Where something stands in a rule file, both counted from 1."""

    line: int
    column: int


NOWHERE = Place(0, 0)  # of records that were not read from a file


def place() -> Place:
    return field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Number:
    """A whole number; it may be negative."""

    value: int
    at: Place = place()


@dataclass(frozen=True)
class Text:
    """A text in double quotes."""

    value: str
    at: Place = place()


@dataclass(frozen=True)
class Name:
    """A variable, perhaps with what is asked of it: ("p",), ("last", "color"), ("q", "shape", "bucket").

    In the fields `shape` and `color` a single name stands for itself.
    """

    parts: tuple[str, ...]
    at: Place = place()


@dataclass(frozen=True)
class Arithmetic:
    """All pairs of two sets, joined by one of + - * / %."""

    operator: str
    left: Expression
    right: Expression
    at: Place = place()


@dataclass(frozen=True)
class Comparison:
    """Whether some pair of two sets satisfies one of == != < <= > >=."""

    operator: str
    left: Expression
    right: Expression
    at: Place = place()


@dataclass(frozen=True)
class Not:
    """Whether a set is empty."""

    of: Expression
    at: Place = place()


@dataclass(frozen=True)
class Union:
    """A list in brackets: the union of its items."""

    items: tuple[Expression, ...]
    at: Place = place()


Expression = Number | Text | Name | Arithmetic | Comparison | Not | Union


@dataclass(frozen=True)
class Range:
    """Whole numbers from `low` to `high`, both included; in the field of a property alone."""

    low: int
    high: int
    at: Place = place()


@dataclass(frozen=True)
class Cell:
    """A cell by its number."""

    number: int
    at: Place = place()


@dataclass(frozen=True)
class OrderName:
    """An order, of which the cells that come first among the occupied ones are meant."""

    name: str
    at: Place = place()


Position = Cell | OrderName


@dataclass(frozen=True)
class Property:
    """A condition on a named property of a piece: an expression, or ranges of which one must hold."""

    name: str
    accepts: Expression | tuple[Range, ...] | None  # None: any value, but the piece must have it
    at: Place = place()


@dataclass(frozen=True)
class Atom:
    """One condition on a piece and the buckets that take it. None stands for anything at all."""

    count: int | None = None  # moves that it accepts while its line is active; None: unmetered
    shape: Expression | None = None
    color: Expression | None = None
    positions: tuple[
        tuple[Position, ...], ...
    ] = ()  # every list must allow the cell; one item of it suffices
    bucket: Expression | None = None
    code: Expression | None = None  # the atom accepts nothing while this is the empty set
    postpos: tuple[OrderName, ...] = ()  # orders among the cells that the rest of the atom accepts
    properties: tuple[Property, ...] = ()
    keyed: bool = True  # how it is written: (color:red, bucket:0), or (*, *, red, *, 0)
    at: Place = place()


@dataclass(frozen=True)
class Line:
    """Atoms that are active together."""

    atoms: tuple[Atom, ...]
    count: int | None = None  # moves after which it is spent; None: unmetered
    at: Place = place()


@dataclass(frozen=True)
class Order:
    """A ranking of cells: groups from first to last; cells that are not listed follow as one group."""

    name: str
    groups: tuple[tuple[int, ...], ...]
    at: Place = place()


@dataclass(frozen=True)
class Rule:
    """A whole rule file."""

    lines: tuple[Line, ...]
    orders: tuple[Order, ...] = ()
    description: str = field(default="", compare=False)  # the comment before the first meaningful line
    shown_as: str = field(default="", compare=False)  # the name for human players, after `Display:`
