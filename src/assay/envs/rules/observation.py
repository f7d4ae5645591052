"""What a player of hidden rules sees, as numbers in a fixed order: the one place that knows the order.

First a number for each cell: 0 where it is empty, else 1 + shape x colours + colour, both from 0.
Then shape, colour and bucket of the last accepted move, each from 1, and 0 before the first one. Then the
response to the last attempt. Settings append to these: the legal buckets of each cell as bits, and the last
attempts, the latest first. No jax here, since agents read this too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import chain


class Shown(IntEnum):
    """How an attempt was answered, as it is shown."""

    NOTHING = 0  # no attempt yet
    ACCEPTED = 1
    DENIED = 2  # the piece can move, but not there
    IMMOVABLE = 3  # the piece can go nowhere now
    EMPTY = 4  # no piece is there
    SEVERAL = 5  # more than one piece is in that cell


RESPONSES = len(Shown)
OF_AN_ATTEMPT = 5  # cell, bucket, response, shape, colour


@dataclass(frozen=True)
class Layout:
    """Where each number of an observation stands, and how many values it has.

    Pieces of a table, which need not have a shape, are numbered kind by kind: then `shapes` is the number of
    kinds, and `colors` is 1.
    """

    columns: int = 6
    rows: int = 6
    buckets: int = 4
    shapes: int = 4
    colors: int = 4
    shows_buckets: bool = False
    history: int = 0  # attempts that are remembered

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def looks(self) -> int:
        """How many kinds of pieces can be told apart."""
        return self.shapes * self.colors

    @property
    def board(self) -> slice:
        """The pieces, cell by cell from cell 1."""
        return slice(0, self.cells)

    @property
    def last(self) -> slice:
        """Shape, colour and bucket of the last accepted move."""
        return slice(self.cells, self.cells + 3)

    @property
    def response(self) -> int:
        """The response to the last attempt, a `Shown`."""
        return self.cells + 3

    @property
    def legal(self) -> slice:
        """The legal buckets of each cell as bits, where they are shown."""
        start = self.cells + 4
        return slice(start, start + (self.cells if self.shows_buckets else 0))

    @property
    def attempts(self) -> slice:
        """The last attempts, the latest first: cell, bucket, response, shape and colour of each, from 1."""
        return slice(self.legal.stop, self.legal.stop + OF_AN_ATTEMPT * self.history)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each number of an observation has."""
        last = (self.shapes + 1, self.colors + 1, self.buckets + 1)
        attempt = (self.cells + 1, self.buckets + 1, RESPONSES, self.shapes + 1, self.colors + 1)
        legal = (2**self.buckets,) * (self.cells if self.shows_buckets else 0)
        return (
            *(self.looks + 1,) * self.cells, *last, RESPONSES, *legal,
            *chain.from_iterable([attempt] * self.history),
        )  # fmt: skip
