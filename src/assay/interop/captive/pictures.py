"""A board drawn with letters, for people: nine comment lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.envs.rules.board import Piece
from assay.envs.rules.geometry import STANDARD

SYMBOLS = {"SQUARE": "#", "STAR": "*", "CIRCLE": "O", "TRIANGLE": "T"}
LETTERS = {"BLUE": "g"}  # black has the letter b
EMPTY, BLANK = " .", "  "


class Tried(NamedTuple):
    """The latest attempt on a piece."""

    id: int
    cell: int
    accepted: bool


def draw_board(pieces: Sequence[Piece], tried: Tried | None) -> bytes:
    """The picture; `[..]` stands around the piece that was tried, `( .)` where one was removed."""
    by_cell: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_cell.setdefault(piece.cell, []).append(piece)
    removed = tried.cell if tried and tried.accepted else 0
    width = max([len(there) + (cell == removed) for cell, there in by_cell.items()], default=1)
    rule = "#---+" + ("--" + "---" * width) * STANDARD.columns
    rows = [_draw_row(y, by_cell, tried, width) for y in range(STANDARD.rows, 0, -1)]
    numbers = "#   |" + "".join(
        f"   {x}{'   ' * width}"[: 2 + 3 * width] for x in range(1, STANDARD.columns + 1)
    )
    return "\n".join([rule, *rows, rule, numbers.rstrip(), ""]).encode("utf-8", "replace")


def _draw_row(y: int, by_cell: dict[int, list[Piece]], tried: Tried | None, width: int) -> str:
    cells = [STANDARD.cell_at(x, y) for x in range(1, STANDARD.columns + 1)]
    return f"# {y} |" + "".join(_draw_cell(cell, by_cell.get(cell, []), tried, width) for cell in cells)


def _draw_cell(cell: int, there: list[Piece], tried: Tried | None, width: int) -> str:
    """A blank, then for each piece a sign before it and two letters, then a last sign."""
    icons = [_draw_piece(piece) for piece in there] or [EMPTY]
    icons += [BLANK] * (width - len(icons))
    signs = [" "] * (width + 1)
    if tried is not None:
        found = [place for place, piece in enumerate(there) if piece.id == tried.id]
        if found:
            signs[found[0]], signs[found[0] + 1] = "[", "]"
        elif tried.accepted and tried.cell == cell:
            signs[len(there)], signs[len(there) + 1] = "(", ")"
    return " " + "".join(sign + icon for sign, icon in zip(signs, icons)) + signs[width]


def _draw_piece(piece: Piece) -> str:
    color = LETTERS.get(piece.color, piece.color[:1].lower()) or " "
    last_word = piece.shape.rpartition("/")[2]
    return color + SYMBOLS.get(piece.shape, last_word[:1] or "?")
