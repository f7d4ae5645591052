"""A board of hidden rules as lines of text: cells with their pieces, buckets at the corners."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.envs.rules.observation import Layout, Shown
from assay.envs.rules.text_signs import BAD, FAINT, GOOD, LIGHT, Signs, leave_plain, paint

BESIDE_NUMBER = 4  # characters of a cell behind its number: a blank, the piece, and room for a bracket
COMPACT_WIDTH = 4  # of a cell without a number
NARROWEST = 40  # lines under the board are not broken below this


@dataclass(frozen=True)
class Numbered:
    """The numbers of pieces by the cells that they stand in, where players name pieces."""

    by_cell: Mapping[int, list[int]]
    legal: Mapping[int, int]  # by piece: the buckets that take it, as bits


@dataclass(frozen=True)
class BoardText:
    """Draws boards of one layout."""

    layout: Layout
    signs: Signs
    compact: bool = False  # cells without numbers
    colors: bool = False

    @property
    def width(self) -> int:
        """Characters of a cell: its number after a place for a bracket, and the piece."""
        if self.compact:
            return COMPACT_WIDTH
        return max(3, 1 + len(str(self.layout.cells))) + BESIDE_NUMBER

    def draw(self, observation: Any, cell: int, bucket: int, numbered: Numbered | None) -> list[str]:
        """The lines; what was tried is in brackets. `numbered` puts pieces' numbers in place of cells'."""
        layout, wide = self.layout, self.width
        ink = GOOD if observation[layout.response] == Shown.ACCEPTED else BAD
        cells = {
            each: self._draw_cell(each, int(observation[each - 1]), ink if each == cell else None, numbered)
            for each in range(1, layout.cells + 1)
        }
        edge = "     +" + "-" * (wide * layout.columns) + "+"
        body = [edge, *(self._draw_row(cells, row) for row in range(layout.rows, 0, -1)), edge]
        foot = [f"      {''.join(f'{column:^{wide}}' for column in range(1, layout.columns + 1))}"]
        if layout.buckets == 4:
            frame = paint if self.colors else leave_plain
            signs = [frame(f"[{b}]", ink, bold=True) if b == bucket else f"\\{b}/" for b in range(4)]
            gap = wide * layout.columns + 2
            body = [between(signs[0], signs[1], gap), *body, between(signs[3], signs[2], gap)]
        else:
            foot.append(f"buckets 0 to {layout.buckets - 1}, clockwise from the top left")
        below = [*self._tell_shared(numbered), *self._tell_legal(observation, numbered)]
        room = max(NARROWEST, len(edge))
        return [line.rstrip() for line in [*body, *foot]] + [
            line for each in below for line in textwrap.wrap(each, room)
        ]

    def _draw_row(self, cells: Mapping[int, str], row: int) -> str:
        first = self.layout.columns * (row - 1) + 1
        drawn = (cells[cell] for cell in range(first, first + self.layout.columns))
        return f" {row:>3} |{''.join(drawn)}|"

    def _draw_cell(self, cell: int, look: int, frame: int | None, numbered: Numbered | None) -> str:
        """A cell; `frame` is the ink of the brackets around what was tried, None around other cells."""
        wide, letters, ground, ink = self.width, ".", None, FAINT
        text = f"{'.':^{wide}}"
        if look:
            sign, letter, ink = self.signs.sign_of(*features_of(look, self.layout))
            letters, ground = f"{letter}{sign}", LIGHT
            number = "" if self.compact else self._number(cell, numbered)
            text = f"{number} {letters}".ljust(wide)
        if frame is not None:
            text = f"[{text[1:-1]}]"
        if not self.colors:
            return text
        before, _, after = text.partition(letters)
        edges = [paint(before, FAINT), after]
        if frame is not None:
            edges = [paint(before[0], frame, bold=True) + paint(before[1:], FAINT)]
            edges.append(after[:-1] + paint(after[-1], frame, bold=True))
        return edges[0] + paint(letters, ink, ground, bold=bool(look)) + edges[1]

    def _number(self, cell: int, numbered: Numbered | None) -> str:
        number = cell if numbered is None else numbered.by_cell[cell][0]
        return f"{number:>{self.width - BESIDE_NUMBER}}"

    def _tell_shared(self, numbered: Numbered | None) -> list[str]:
        """The cells of several pieces, of which the board shows the first."""
        cells = numbered.by_cell.items() if numbered else ()
        shared = [f"cell {cell}: {join(pieces)}" for cell, pieces in cells if len(pieces) > 1]
        return [f"pieces that share a cell: {'; '.join(shared)}"] if shared else []

    def _tell_legal(self, observation: Any, numbered: Numbered | None) -> list[str]:
        """What each bucket takes now, where the task shows it."""
        layout = self.layout
        if not layout.shows_buckets:
            return []
        shown = {cell: int(bits) for cell, bits in enumerate(observation[layout.legal], start=1)}
        open_to, what = (numbered.legal, "pieces") if numbered else (shown, "cells")
        takes = []
        for bucket in range(layout.buckets):
            taken = [place for place, bits in open_to.items() if bits >> bucket & 1]
            takes.append(f"[{bucket}] {join(taken) or 'none'}")
        return [f"{what} that each bucket takes now: {'; '.join(takes)}"]


def features_of(look: int, layout: Layout) -> tuple[int, int]:
    """Shape and colour of what a cell shows, both from 1."""
    shape, color = divmod(look - 1, layout.colors)
    return shape + 1, color + 1


def between(left: str, right: str, gap: int) -> str:
    """Two buckets at the left and the right of a board."""
    return f" {left} {'':{gap}} {right}"


def join(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))
