"""Sequences of boards: random ones, one again and again, or those of a folder in some order."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.envs.rules.board import Board, board_from_text
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.random_boards import BoardDraw, Chance, draw_board
from assay.errors import AssayError

RANDOM, ALPHA = "random", "alpha"
SUFFIX = ".json"


def draw_boards(asked: BoardDraw, chance: Chance) -> Iterator[Board]:
    """Random boards without end, from one stream of chance."""
    while True:
        yield draw_board(asked, chance)


def read_folder(folder: Path, geometry: Geometry = STANDARD, *, crowded: bool = False) -> tuple[Board, ...]:
    """The boards of a folder by the names of their files; a board is called as its file, without `.json`."""
    if not folder.is_dir():
        raise AssayError(f"there is no folder {str(folder)!r}; name one that holds boards.")
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    if not paths:
        raise AssayError(f"{folder} holds no board; boards are files that end in {SUFFIX}.")
    return tuple(read_board(path, geometry, crowded=crowded) for path in paths)


def read_board(path: Path, geometry: Geometry = STANDARD, *, crowded: bool = False) -> Board:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise AssayError(f"{path} is no text in UTF-8; save it as one.") from None
    board = board_from_text(text, geometry, source=str(path), crowded=crowded)
    return Board(board.pieces, path.stem, board.id)


def order_boards(boards: Sequence[Board], order: str | Sequence[str], chance: Chance) -> Iterator[Board]:
    """Boards without end: `random` (each pass a new permutation), `alpha`, or by a list of their names."""
    if isinstance(order, str) and order not in (RANDOM, ALPHA):
        raise AssayError(f"the order of boards is {RANDOM}, {ALPHA} or a list of names, not {order!r}.")
    if order == RANDOM:
        return _pass_randomly(boards, chance)
    return _pass_in_order(boards if order == ALPHA else find_boards(boards, order))


def _pass_in_order(boards: Sequence[Board]) -> Iterator[Board]:
    while True:
        yield from boards


def _pass_randomly(boards: Sequence[Board], chance: Chance) -> Iterator[Board]:
    while True:
        remaining = list(boards)
        while remaining:
            yield remaining.pop(chance.draw(len(remaining)))


def find_boards(boards: Sequence[Board], names: Sequence[str]) -> tuple[Board, ...]:
    by_name = {board.name: board for board in boards}
    missing = [name for name in names if _bare(name) not in by_name]
    if missing or not names:
        known = ", ".join(sorted(by_name))
        raise AssayError(f"there is no board {missing[0] if missing else ''!r}; there are {known}.")
    return tuple(by_name[_bare(name)] for name in names)


def read_names(text: str) -> tuple[str, ...]:
    """The board names of a CSV list, one on each line; further columns and comments are left out."""
    rows = csv.reader(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return tuple(row[0].strip() for row in rows)


def _bare(name: str) -> str:
    return name.removesuffix(SUFFIX)
