"""Area interpolation in whole numbers: a pixel's weight is the share of it that the new pixel covers.

From 210 rows to 84 the weights are fifths, from 160 columns to 84 fortieths. Sums are therefore exact in
float32 in any order of addition, and pictures are the same bits on every machine.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import gcd

import numpy as np

FIVE_TO_TWO = (2, 5)  # the weights of most games' rows, and of 160 columns at 64: sums beat a matrix product
# Products of matrices with more multiplications than this are split: numpy's library would start threads for
# one, which costs more than the product, and ten times as much where other processes keep the cores busy.
MOST_AT_ONCE = 200_000


@cache
def weights(size: int, new_size: int) -> tuple[int, np.ndarray]:
    """The number of equal blocks in `size`, and the whole-number weights of one block, shape (new, old)."""
    blocks = gcd(size, new_size)
    inner, outer = size // blocks, new_size // blocks
    table = np.zeros((outer, inner), "float32")
    for new in range(outer):  # lengths are in units of 1/outer of an old pixel; a new one is `inner` long
        for old in range(inner):
            table[new, old] = max(
                0, min((new + 1) * inner, (old + 1) * outer) - max(new * inner, old * outer)
            )
    return blocks, table


def sum_five_to_two(parts: np.ndarray) -> np.ndarray:
    """(before, blocks, 5, after) -> (before, blocks, 2, after); the third pixel is in both halves."""
    sums = np.add(parts[:, :, 0::3], parts[:, :, 1::3], dtype="uint16")
    sums += sums
    sums += parts[:, :, 2:3]
    return sums


def shrink_rows(picture: np.ndarray, new_size: int) -> tuple[np.ndarray, int]:
    """The picture with fewer rows, as sums; and the divisor of the sums."""
    size, rest = picture.shape[0], picture.shape[1:]
    if size == new_size:
        return picture, 1
    blocks, table = weights(size, new_size)
    inner = table.shape[1]
    if table.shape == FIVE_TO_TWO:
        return sum_five_to_two(picture.reshape(1, blocks, inner, -1)).reshape(new_size, *rest), inner
    parts = picture.reshape(blocks, inner, -1).astype("float32")
    sums = np.empty((blocks, len(table), parts.shape[2]), "float32")
    for some in pieces(parts.shape[2], table.size):
        np.matmul(table, parts[:, :, some], out=sums[:, :, some])
    return sums.reshape(new_size, *rest), inner


def shrink_columns(picture: np.ndarray, new_size: int) -> tuple[np.ndarray, int]:
    """The picture with fewer columns, as sums; and the divisor of the sums."""
    rows, size, *rest = picture.shape
    if size == new_size:
        return picture, 1
    blocks, table = weights(size, new_size)
    inner = table.shape[1]
    if not rest and table.shape == FIVE_TO_TWO:
        return sum_five_to_two(picture.reshape(rows, blocks, inner)).reshape(rows, new_size), inner
    table, count = spread_weights(size, new_size, rest[0] if rest else 1, rows)
    parts = picture.reshape(count, -1, len(table)).astype("float32")
    return np.matmul(parts, table).reshape(rows, new_size, *rest), inner


@cache
def pieces(size: int, each: int) -> list[slice]:
    """Equal pieces of `size` rows or columns, each of them worth `each` multiplications."""
    count = -(-size * each // MOST_AT_ONCE)
    edges = [size * number // count for number in range(count + 1)]
    return [slice(*pair) for pair in pairwise(edges)]


@cache
def spread_weights(size: int, new_size: int, colours: int, rows: int) -> tuple[np.ndarray, int]:
    """The weights of a block whose pixels hold their colours side by side, shape (old, new).

    Beside them the number of equal products that do all blocks of so many rows.
    """
    blocks, table = weights(size, new_size)
    spread = np.ascontiguousarray(np.kron(table, np.eye(colours, dtype="float32")).T)
    every = rows * blocks
    counts = (count for count in range(1, every + 1) if every % count == 0)
    return spread, next(count for count in counts if every // count * spread.size <= MOST_AT_ONCE)


def shrink_picture(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """A picture (rows, columns[, colours]) of bytes at a smaller size."""
    # The axis with the cheaper sums goes first, so that the other one has fewer pixels left.
    if weights(picture.shape[0], height)[1].shape == FIVE_TO_TWO:
        sums, first = shrink_rows(picture, height)
        sums, second = shrink_columns(sums, width)
    else:
        sums, first = shrink_columns(picture, width)
        sums, second = shrink_rows(sums, height)
    mean = sums.astype("float32", copy=False)
    mean *= np.float32(1 / (first * second))
    mean += np.float32(0.5)
    return mean.astype("uint8")
