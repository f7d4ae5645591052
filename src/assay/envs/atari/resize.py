"""Area interpolation in whole numbers: a pixel's weight is the share of it that the new pixel covers.

From 210 rows to 84 the weights are fifths, from 160 columns to 84 fortieths. Sums are therefore exact in
float32 in any order of addition, and pictures are the same bits on every machine.
"""

from __future__ import annotations

from functools import cache
from math import gcd

import numpy as np

FEW = 8  # up to this many pixels in a block, adding rows is faster than a matrix product


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


def sum_neighbours(parts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """(before, blocks, old, after) -> (before, blocks, new, after): weighted sums of a few neighbours."""
    wide = parts.astype("uint16")
    sums = np.empty((*parts.shape[:2], len(table), *parts.shape[3:]), "uint16")
    for new, row in enumerate(table):
        used = np.flatnonzero(row)
        total = wide[:, :, used[0]] * np.uint16(row[used[0]])
        for old in used[1:]:
            total += wide[:, :, old] if row[old] == 1 else wide[:, :, old] * np.uint16(row[old])
        sums[:, :, new] = total
    return sums


def shrink_rows(picture: np.ndarray, new_size: int) -> tuple[np.ndarray, int]:
    """The picture with fewer rows, as sums; and the divisor of the sums."""
    size, rest = picture.shape[0], picture.shape[1:]
    if size == new_size:
        return picture, 1
    blocks, table = weights(size, new_size)
    inner = table.shape[1]
    if inner <= FEW:
        return sum_neighbours(picture.reshape(1, blocks, inner, -1), table).reshape(new_size, *rest), inner
    parts = picture.reshape(blocks, inner, -1).astype("float32")
    return np.matmul(table, parts).reshape(new_size, *rest), inner


def shrink_columns(picture: np.ndarray, new_size: int) -> tuple[np.ndarray, int]:
    """The picture with fewer columns, as sums; and the divisor of the sums."""
    rows, size, *rest = picture.shape
    if size == new_size:
        return picture, 1
    blocks, table = weights(size, new_size)
    inner = table.shape[1]
    if not rest and inner <= FEW:
        return sum_neighbours(picture.reshape(rows, blocks, inner), table).reshape(rows, new_size), inner
    table = spread_weights(size, new_size, rest[0] if rest else 1)
    parts = picture.reshape(-1, table.shape[1]).astype("float32")
    return (parts @ table.T).reshape(rows, new_size, *rest), inner


@cache
def spread_weights(size: int, new_size: int, colours: int) -> np.ndarray:
    """The weights of a block whose pixels hold their colours side by side."""
    return np.kron(weights(size, new_size)[1], np.eye(colours, dtype="float32"))


def shrink_picture(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """A picture (rows, columns[, colours]) of bytes at a smaller size."""
    # The axis with the cheaper sums goes first, so that the other one has fewer pixels left.
    if picture.shape[0] // gcd(picture.shape[0], height) <= FEW:
        sums, first = shrink_rows(picture, height)
        sums, second = shrink_columns(sums, width)
    else:
        sums, first = shrink_columns(picture, width)
        sums, second = shrink_rows(sums, height)
    return (sums * np.float32(1 / (first * second)) + np.float32(0.5)).astype("uint8")
