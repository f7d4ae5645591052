"""The features of a move on a board of pieces, after the paper of the Game of Hidden Rules.

A move has a *context*, which is the shape, colour and bucket of the last accepted move (or none yet), and a
*class*, which is the shape and colour of the piece in the chosen cell (or an empty cell) and the bucket. With
4 shapes, colours and buckets there are 65 contexts, 68 classes and 3,720 features, of which a move has 18, or
2 where its cell is empty.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from assay.core.space import Discrete, Space

RESPONSE = 1  # entries of an observation behind the last accepted move


class Pieces(NamedTuple):
    """What an observation of a board tells, and how it is laid out: cells, last move, response."""

    cells: int
    shapes: int
    colors: int
    buckets: int

    @property
    def kinds(self) -> int:
        return self.shapes * self.colors

    @property
    def contexts(self) -> int:
        return 1 + self.kinds * self.buckets

    @property
    def classes(self) -> int:
        return (self.kinds + 1) * self.buckets


def read_pieces(spaces: dict[str, Space]) -> Pieces | None:
    """The layout of a board's observations, or None where these spaces are others."""
    seen, action = spaces["observation"], spaces["action"]
    if not isinstance(seen, Discrete) or not isinstance(action, Discrete):
        return None
    if not isinstance(seen.n, tuple) or not isinstance(action.n, int) or seen.start or action.start:
        return None
    for cells in range(1, len(seen.n) - 3):
        shapes, colors, buckets = (count - 1 for count in seen.n[cells : cells + 3])
        laid_out = seen.n[:cells] == (1 + shapes * colors,) * cells
        if laid_out and cells * buckets == action.n and min(shapes, colors, buckets) > 0:
            return Pieces(cells, shapes, colors, buckets)
    return None


@cache
def feature_table(pieces: Pieces) -> tuple[np.ndarray, int]:
    """The features of every context and class, (contexts, classes, 18) int32, and how many there are.

    A move with fewer features is filled up with the number behind the last one.
    """
    numbers: dict[tuple, int] = {}
    rows = [
        [numbers.setdefault(feature, len(numbers)) for feature in features_of(last, now)]
        for last, now in product(list_contexts(pieces), list_classes(pieces))
    ]
    # Features of the map that no move has, such as a last shape without a last colour, count as well.
    total = count_features(pieces)
    most = max(map(len, rows))
    table = np.array([row + [total] * (most - len(row)) for row in rows], np.int32)
    return table.reshape(pieces.contexts, pieces.classes, most), total


def list_contexts(pieces: Pieces) -> list[tuple[int | None, ...]]:
    """(shape, colour, bucket) of the last accepted move by number; the first is none."""
    return [(None, None, None), *product(*map(range, (pieces.shapes, pieces.colors, pieces.buckets)))]


def list_classes(pieces: Pieces) -> list[tuple[int | None, ...]]:
    """(shape, colour, bucket) of a move by number; the last are those from empty cells."""
    occupied = product(*map(range, (pieces.shapes, pieces.colors, pieces.buckets)))
    return [*occupied, *((None, None, bucket) for bucket in range(pieces.buckets))]


def features_of(last: tuple[int | None, ...], now: tuple[int | None, ...]) -> list[tuple]:
    """The features that are 1: of the move, of pairs in it, of both moves, and of pairs of both."""
    known = [i for i, value in enumerate(now) if value is not None]
    pairs = list(combinations(known, 2))
    unary: list[tuple] = [("now", i, now[i]) for i in known]
    two: list[tuple] = [("pair", i, j, now[i], now[j]) for i, j in pairs]
    after: list[tuple] = [("after", i, last[i], now[i]) for i in known]
    four: list[tuple] = [
        ("both", k, m, last[k], last[m], i, j, now[i], now[j])
        for k, m in combinations(range(3), 2)
        for i, j in pairs
    ]
    return unary + two + after + four


def count_features(pieces: Pieces) -> int:
    """12 + 48 + 60 + 3,600 with 4 shapes, colours and buckets."""
    sizes = pieces.shapes, pieces.colors, pieces.buckets
    pairs = [a * b for a, b in combinations(sizes, 2)]
    last_pairs = [(a + 1) * (b + 1) for a, b in combinations(sizes, 2)]
    return sum(sizes) + sum(pairs) + sum(size * (size + 1) for size in sizes) + sum(pairs) * sum(last_pairs)


def factors_of(pieces: Pieces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """L, A and M, float32, so that values are L (M * W) A^T for some matrix W of weights.

    Each row of L says what a context shows, each row of A what a class shows, and M which parts of both make
    a feature.
    """
    sizes = pieces.shapes, pieces.colors, pieces.buckets
    pairs = list(combinations(range(3), 2))
    contexts = np.array([(0, 0, 0), *(tuple(each + 1 for each in one) for one in np.ndindex(sizes))])
    last = [np.eye(1 + size)[contexts[:, i]] for i, size in enumerate(sizes)]
    left = [np.ones((len(contexts), 1)), *last, *(multiply_rows(last[i], last[j]) for i, j in pairs)]
    classes = np.array([*np.ndindex(sizes), *((-1, -1, bucket) for bucket in range(pieces.buckets))])
    now = [np.eye(size)[classes[:, i]] * (classes[:, [i]] >= 0) for i, size in enumerate(sizes)]
    right = [*now, *(multiply_rows(now[i], now[j]) for i, j in pairs)]
    makes_feature = np.zeros((len(left), len(right)))
    makes_feature[0] = 1  # of the move alone
    makes_feature[[1, 2, 3], [0, 1, 2]] = 1  # the same of both moves
    makes_feature[4:, 3:] = 1  # pairs of both
    blocks = [
        [np.full((a.shape[1], b.shape[1]), on) for b, on in zip(right, row)]
        for a, row in zip(left, makes_feature)
    ]
    parts: tuple[np.ndarray, ...] = np.hstack(left), np.hstack(right), np.block(blocks)
    first, second, mask = (part.astype(np.float32) for part in parts)
    return first, second, mask


def multiply_rows(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All products of an entry of a row of `a` with one of the same row of `b`."""
    return (a[:, :, None] * b[:, None, :]).reshape(len(a), -1)
