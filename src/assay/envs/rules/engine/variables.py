"""The variables of expressions, and the values that each can have. No jax here.

Every variable asks for one value of one piece: of the piece being tried, of the last one, of the last that
shares a property with it (kin), or of the last in the bucket tried (bin). p is the bucket of the last piece,
pc that of the last one of the same colour. The bucket tried is no variable: tables hold a bit for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.envs.rules.geometry import Geometry

SHAPE, COLOR, CELL, NEAR = range(4)  # the first rows of a piece's values; properties follow, then the bucket

Whose = Literal["piece", "last", "kin", "bin"]


@dataclass(frozen=True)
class Vocabulary:
    """What pieces can be: names in upper case, and the values of each named property."""

    shapes: tuple[str, ...] = ("SQUARE", "STAR", "CIRCLE", "TRIANGLE")
    colors: tuple[str, ...] = ("RED", "BLACK", "BLUE", "YELLOW")
    properties: tuple[tuple[str, tuple[int | str, ...]], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.properties)

    @property
    def rows(self) -> int:
        return 4 + len(self.properties)

    @property
    def bucket_row(self) -> int:
        return self.rows

    def row_of(self, name: str) -> int | None:
        """The row of what `this.NAME` asks for; None where no piece has it."""
        plain = {"shape": SHAPE, "color": COLOR, "pos": CELL, "bucket": self.bucket_row}
        properties = {each: 4 + i for i, each in enumerate(self.names)}
        return (properties | plain).get(name)


@dataclass(frozen=True, order=True)
class Variable:
    """A value of a piece."""

    whose: Whose
    row: int
    key: int = -1  # of kin: the row in which both pieces agree


@dataclass(frozen=True)
class Domains:
    """The values behind the numbers in each row, from 1; number 0 stands for no value."""

    rows: tuple[tuple[int | str, ...], ...]  # the bucket's row comes last
    near: tuple[int, ...]  # of each cell from 1, which places among the buckets it has, from 1
    nearest: tuple[frozenset[int], ...]  # of each place among the buckets
    remotest: tuple[frozenset[int], ...]

    def size(self, variable: Variable) -> int:
        return 1 + (len(self.nearest) if variable.row == NEAR else len(self.rows[variable.row]))


def domains_of(geometry: Geometry, vocabulary: Vocabulary) -> Domains:
    pairs = list(zip(geometry.nearest, geometry.remotest))
    places = list(dict.fromkeys(pairs))
    rows: list[tuple[int | str, ...]] = [
        vocabulary.shapes, vocabulary.colors, tuple(range(1, geometry.cells + 1)), (),
        *(values for _, values in vocabulary.properties), tuple(range(geometry.buckets)),
    ]  # fmt: skip
    near = tuple(places.index(each) + 1 for each in pairs)
    return Domains(tuple(rows), near, tuple(n for n, _ in places), tuple(r for _, r in places))
