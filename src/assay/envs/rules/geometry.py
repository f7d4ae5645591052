"""The board as places: cells, buckets around them, and which buckets of a cell are nearest and most remote.

Distances are compared as whole numbers, so that ties are exact: coordinates are multiplied by the number of
buckets, which makes those of equally spaced buckets whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from assay.errors import AssayError

LARGEST_SIDE = 64
MOST_BUCKETS = 32


@dataclass(frozen=True)
class Geometry:
    """A board of `columns` by `rows` cells, numbered from 1 at the bottom left, along rows, upwards."""

    columns: int = 6
    rows: int = 6
    buckets: int = 4

    def __post_init__(self) -> None:
        for name, most in (("columns", LARGEST_SIDE), ("rows", LARGEST_SIDE), ("buckets", MOST_BUCKETS)):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= most:
                raise AssayError(f"a board takes {name} from 1 to {most}, not {value!r}.")

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    def cell_at(self, x: int, y: int) -> int:
        """The cell in a column, counted from the left, and a row, counted from the bottom, both from 1."""
        return x + self.columns * (y - 1)

    def column_of(self, cell: int) -> int:
        return (cell - 1) % self.columns + 1

    def row_of(self, cell: int) -> int:
        return (cell - 1) // self.columns + 1

    @cached_property
    def bucket_places(self) -> tuple[tuple[int, int], ...]:
        """(x, y) of each bucket, times the number of buckets; clockwise from the top left.

        Four buckets stand in the corners, as in the published game; any other number at equal distances
        along the ring around the board.
        """
        if self.buckets == 4:
            right, top = 4 * (self.columns + 1), 4 * (self.rows + 1)
            return ((0, top), (right, top), (right, 0), (0, 0))
        around = 2 * (self.columns + 1 + self.rows + 1)
        return tuple(self._point_along_the_ring(i * around) for i in range(self.buckets))

    def _point_along_the_ring(self, way: int) -> tuple[int, int]:
        """The point after that way clockwise from the top left; all lengths times the number of buckets."""
        wide, high = self.buckets * (self.columns + 1), self.buckets * (self.rows + 1)
        if way < wide:
            return way, high
        if way < wide + high:
            return wide, high - (way - wide)
        if way < 2 * wide + high:
            return wide - (way - wide - high), 0
        return 0, way - 2 * wide - high

    @cached_property
    def distances(self) -> tuple[tuple[int, ...], ...]:
        """Squared distances of each cell to each bucket, in 1/buckets²; the first entry is cell 1."""
        return tuple(
            tuple(
                (self.buckets * self.column_of(cell) - x) ** 2 + (self.buckets * self.row_of(cell) - y) ** 2
                for x, y in self.bucket_places
            )
            for cell in range(1, self.cells + 1)
        )

    @cached_property
    def nearest(self) -> tuple[frozenset[int], ...]:
        """The nearest buckets of each cell; several where they tie. The first entry is cell 1."""
        return self._buckets_at(min)

    @cached_property
    def remotest(self) -> tuple[frozenset[int], ...]:
        """The most remote buckets of each cell; several where they tie. The first entry is cell 1."""
        return self._buckets_at(max)

    def _buckets_at(self, extreme: Callable[[Iterable[int]], int]) -> tuple[frozenset[int], ...]:
        return tuple(
            frozenset(bucket for bucket, each in enumerate(row) if each == extreme(row))
            for row in self.distances
        )


STANDARD = Geometry()
