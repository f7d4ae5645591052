"""Random boards of the published game: how many pieces, shapes and colours, in which cells.

A board draws three numbers in their ranges, then cells, then shapes, then colours. `assignment="published"`
deals k values as the published game does, which is not uniform over the ways to use exactly k of them;
`assignment="uniform"` is. The two kinds of chance, numpy's and Java's, draw in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from assay.envs.rules.board import COLORS, SHAPES, Board, Piece, PropertyValue
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.java_random import JavaRandom
from assay.errors import AssayError

ASSIGNMENTS = ("published", "uniform")
Kind = tuple[tuple[str, PropertyValue], ...]  # the properties of a piece of a table


class Chance(Protocol):
    """Where whole numbers come from."""

    def draw(self, below: int) -> int: ...


class NumpyChance:
    """Draws from a generator of numpy."""

    def __init__(self, generator: np.random.Generator):
        self.generator = generator

    def draw(self, below: int) -> int:
        return int(self.generator.integers(below))


class JavaChance(JavaRandom):
    """Draws the numbers of java.util.Random, so that boards are those of the published game, bit for bit."""

    draw = JavaRandom.next_int


def make_chance(seed: int, rng: str = "numpy") -> Chance:
    """The chance of a seed; 0 asks for fresh entropy, as in the published game."""
    if rng not in ("numpy", "java"):
        raise AssayError(f"rng is numpy or java, not {rng!r}.")
    drawn = seed or int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    return JavaChance(drawn) if rng == "java" else NumpyChance(np.random.default_rng(drawn))


@dataclass(frozen=True)
class BoardDraw:
    """What random boards are like. Ranges hold both ends; 0 shapes or colours: each piece has any of them."""

    objects: tuple[int, int] = (9, 9)
    shapes: tuple[int, int] = (4, 4)
    colors: tuple[int, int] = (4, 4)
    shape_names: tuple[str, ...] = SHAPES
    color_names: tuple[str, ...] = COLORS
    crowded: bool = False  # cells are drawn with replacement
    assignment: str = "published"
    kinds: tuple[Kind, ...] = ()  # property pieces: each piece is one of these, and has no drawn shape
    geometry: Geometry = field(default=STANDARD)

    def __post_init__(self) -> None:
        for name in ("objects", "shapes", "colors"):
            _check_range(name, getattr(self, name))
        if self.assignment not in ASSIGNMENTS:
            raise AssayError(f"assignment is {' or '.join(ASSIGNMENTS)}, not {self.assignment!r}.")
        fewest, most = self.objects
        if fewest < 1:
            raise AssayError("a board has at least one piece, not 0.")
        if most > self.geometry.cells and not self.crowded:
            raise AssayError(f"{most} pieces do not fit into {self.geometry.cells} cells; ask for fewer.")
        if not self.kinds:
            _check_names("shapes", self.shapes, self.shape_names, fewest)
            _check_names("colors", self.colors, self.color_names, fewest)


def _check_range(name: str, limits: tuple[int, int]) -> None:
    if len(limits) != 2 or not 0 <= limits[0] <= limits[1]:
        raise AssayError(f"{name} is a range of two numbers from 0 on, the smaller first, not {limits}.")


def _check_names(name: str, limits: tuple[int, int], names: tuple[str, ...], fewest_objects: int) -> None:
    if len({each.upper() for each in names}) != len(names) or not names:
        raise AssayError(f"the names of {name} are {list(names)}; give at least one, and each once.")
    if limits[1] > len(names):
        raise AssayError(f"up to {limits[1]} {name} are asked for, and there are {len(names)} names.")
    if limits[1] > fewest_objects:
        says = f"a board may have as few as {fewest_objects} pieces, which cannot show {limits[1]} {name}"
        raise AssayError(f"{says}; lower the {name} or raise the pieces.")


def draw_board(asked: BoardDraw, chance: Chance, cells: Sequence[int] | None = None) -> Board:
    """One board; `cells` are those that may be used, all of them where not given."""
    count = _draw_in(asked.objects, chance)
    if asked.kinds:
        return _draw_property_board(asked, chance, count, cells)
    shapes, colors = _draw_in(asked.shapes, chance), _draw_in(asked.colors, chance)
    places = _draw_cells(asked, chance, count, cells)
    of_shape = _assign(count, shapes, asked.shape_names, asked.assignment, chance)
    of_color = _assign(count, colors, asked.color_names, asked.assignment, chance)
    pieces = zip(of_shape, of_color, places)
    return Board(tuple(Piece(i, shape, color, cell) for i, (shape, color, cell) in enumerate(pieces)))


def _draw_property_board(asked: BoardDraw, chance: Chance, count: int, cells: Sequence[int] | None) -> Board:
    places = _draw_cells(asked, chance, count, cells)
    return Board(
        tuple(
            make_property_piece(i, asked.kinds[chance.draw(len(asked.kinds))], cell)
            for i, cell in enumerate(places)
        )
    )


def make_property_piece(number: int, kind: Kind, cell: int) -> Piece:
    """A piece of a table; its columns `shape` and `color`, where it has them, are those of the piece."""
    named = dict(kind)
    shape, color = str(named.pop("shape", "")), str(named.pop("color", ""))
    return Piece(number, shape, color, cell, tuple(named.items()))


def _draw_in(limits: tuple[int, int], chance: Chance) -> int:
    low, high = limits
    return low if low == high else low + chance.draw(high - low + 1)


def _draw_cells(asked: BoardDraw, chance: Chance, count: int, cells: Sequence[int] | None) -> list[int]:
    usable = list(range(1, asked.geometry.cells + 1) if cells is None else cells)
    if asked.crowded:
        return sorted(usable[chance.draw(len(usable))] for _ in range(count))
    return sorted(_pick(usable, count, chance))


def _pick(items: Sequence[int], count: int, chance: Chance) -> list[int]:
    """Items drawn one after the other from those that remain."""
    remaining, draw = list(items), chance.draw
    return [remaining.pop(draw(left)) for left in range(len(remaining), len(remaining) - count, -1)]


def _assign(count: int, values: int, names: tuple[str, ...], assignment: str, chance: Chance) -> list[str]:
    if values == 0:
        return [names[chance.draw(len(names))] for _ in range(count)]
    deal = _deal_published if assignment == "published" else _deal_uniformly
    dealt = deal(count, values, chance)
    chosen = sorted(_pick(range(len(names)), values, chance))
    return [names[chosen[each]] for each in dealt]


def _deal_published(count: int, values: int, chance: Chance) -> list[int]:
    draw = chance.draw
    dealt = [draw(values) for _ in range(count)]
    for value, piece in enumerate(_pick(range(count), values, chance)):
        dealt[piece] = value
    return dealt


def _deal_uniformly(count: int, values: int, chance: Chance) -> list[int]:
    """Uniform over all ways to give `count` pieces exactly `values` values: counted, not tried."""
    ways = _count_ways(count, values)
    dealt: list[int] = []
    unused = list(range(values))
    for left in range(count, 0, -1):
        # With u values unused, ways[left][u] continuations: a used value leaves u, an unused one u - 1.
        used = [each for each in range(values) if each not in unused]
        weight_used = len(used) * ways[left - 1][len(unused)]
        pick = _draw_large(ways[left][len(unused)], chance)
        if pick < weight_used:
            dealt.append(used[pick // ways[left - 1][len(unused)]])
        else:
            index = (pick - weight_used) // ways[left - 1][len(unused) - 1]
            dealt.append(unused.pop(index))
    return dealt


def _count_ways(count: int, values: int) -> list[list[int]]:
    """ways[left][unused]: how many ways to fill `left` pieces so that all unused values occur."""
    ways = [[1] + [0] * values]
    for _ in range(count):
        last = ways[-1]
        ways.append(
            [
                (values - unused) * last[unused] + (unused * last[unused - 1] if unused else 0)
                for unused in range(values + 1)
            ]
        )
    return ways


def _draw_large(below: int, chance: Chance) -> int:
    """A uniform number below any bound, however large: as many bits as it has, drawn until they fit."""
    bits = below.bit_length()
    pieces = (bits + 15) // 16
    while True:
        drawn = 0
        for _ in range(pieces):
            drawn = drawn << 16 | chance.draw(1 << 16)
        drawn >>= 16 * pieces - bits
        if drawn < below:
            return drawn
