"""Area interpolation in whole numbers: every pixel counts by the part of it that the new one covers.

The weights of 210 rows on 84 are fifths and those of 160 columns on 84 fortieths, so sums are exact in
float32 whatever order they are added in: pictures are the same bits everywhere.
"""

from __future__ import annotations

from functools import cache
from math import gcd

import numpy as np

FEW = 8  # pixels of a block up to which adding rows is quicker than a product of matrices


@cache
def weights(size: int, wanted: int) -> tuple[int, np.ndarray]:
    """How many equal blocks `size` falls into, and the whole-number weights of one block, (out, in)."""
    blocks = gcd(size, wanted)
    inner, outer = size // blocks, wanted // blocks
    table = np.zeros((outer, inner), "float32")
    for new in range(outer):  # in units of 1/outer of an old pixel, a new one is `inner` long
        for old in range(inner):
            table[new, old] = max(
                0, min((new + 1) * inner, (old + 1) * outer) - max(new * inner, old * outer)
            )
    return blocks, table


def few_sums(parts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """(before, blocks, old, after) -> (before, blocks, new, after): weighted sums of a few neighbours."""
    wide = parts.astype("uint16")
    found = np.empty((*parts.shape[:2], len(table), *parts.shape[3:]), "uint16")
    for new, row in enumerate(table):
        used = np.flatnonzero(row)
        total = wide[:, :, used[0]] * np.uint16(row[used[0]])
        for old in used[1:]:
            total += wide[:, :, old] if row[old] == 1 else wide[:, :, old] * np.uint16(row[old])
        found[:, :, new] = total
    return found


def shrunk_rows(picture: np.ndarray, wanted: int) -> tuple[np.ndarray, int]:
    """Fewer rows, as sums; and what they must be divided by."""
    size, rest = picture.shape[0], picture.shape[1:]
    if size == wanted:
        return picture, 1
    blocks, table = weights(size, wanted)
    inner = table.shape[1]
    if inner <= FEW:
        return few_sums(picture.reshape(1, blocks, inner, -1), table).reshape(wanted, *rest), inner
    parts = picture.reshape(blocks, inner, -1).astype("float32")
    return np.matmul(table, parts).reshape(wanted, *rest), inner


def shrunk_columns(picture: np.ndarray, wanted: int) -> tuple[np.ndarray, int]:
    rows, size, *rest = picture.shape
    if size == wanted:
        return picture, 1
    blocks, table = weights(size, wanted)
    inner = table.shape[1]
    if not rest and inner <= FEW:
        return few_sums(picture.reshape(rows, blocks, inner), table).reshape(rows, wanted), inner
    table = across(size, wanted, rest[0] if rest else 1)
    parts = picture.reshape(-1, table.shape[1]).astype("float32")
    return (parts @ table.T).reshape(rows, wanted, *rest), inner


@cache
def across(size: int, wanted: int, colours: int) -> np.ndarray:
    """The weights of a block whose pixels lie colour beside colour."""
    return np.kron(weights(size, wanted)[1], np.eye(colours, dtype="float32"))


def area(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """A picture (rows, columns[, colours]) of bytes at another, smaller size."""
    # The axis whose sums are cheap first: what is left for the other is less.
    if picture.shape[0] // gcd(picture.shape[0], height) <= FEW:
        found, first = shrunk_rows(picture, height)
        found, second = shrunk_columns(found, width)
    else:
        found, first = shrunk_columns(picture, width)
        found, second = shrunk_rows(found, height)
    return (found * np.float32(1 / (first * second)) + np.float32(0.5)).astype("uint8")
