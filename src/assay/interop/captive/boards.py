"""The boards of a session: one again and again, those of a folder, or random ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

from assay.envs.rules.board import COLORS, SHAPES, Board
from assay.envs.rules.conditions import TEST, TRAIN, Condition, draw_on_side
from assay.envs.rules.language.strange_values import Known, known_of_kinds
from assay.envs.rules.random_boards import BoardDraw, Chance, draw_board
from assay.errors import AssayError

Features = dict[str, list[int | str]]  # the name of a property -> its possible values
RANGE = re.compile(r"([0-9]{1,4})(?::([0-9]{1,4}))?")


class GivenBoards:
    """Boards of files, in an order that was chosen."""

    has_labels = True  # the published server adds a letter to each piece of a given board
    side = None

    def __init__(self, boards: Iterator[Board], features: Features):
        self.boards, self.features = boards, features

    def known_pieces(self) -> Known:
        """Of a property the name alone: a rule may be for more pieces than these boards show."""
        properties = dict.fromkeys(self.features.keys() - {"shape", "color"}, ())
        shapes, colors = (map(str, self.features.get(name, ())) for name in ("shape", "color"))
        return Known({*SHAPES, *shapes}, {*COLORS, *colors}, properties)

    def next_board(self) -> Board:
        return next(self.boards)

    def change_side(self, side: str) -> None:
        raise AssayError("this game has no condition; start it with condTrain=FILE or condTest=FILE")


@dataclass
class RandomBoards:
    """Random boards from one stream of chance; `side` says which of them a condition lets through."""

    asked: BoardDraw
    chance: Chance
    condition: Condition | None = None
    side: str | None = None
    has_labels: bool = False

    @property
    def features(self) -> Features:
        if not self.asked.kinds:
            shapes, colors = self.asked.shape_names, self.asked.color_names
            return {"shape": [each.upper() for each in shapes], "color": [each.upper() for each in colors]}
        values: dict[str, dict[int | str, None]] = {}
        for name, value in (pair for kind in self.asked.kinds for pair in kind):
            values.setdefault(name, {})[value] = None
        return {name: list(each) for name, each in values.items()}

    def known_pieces(self) -> Known:
        """What pieces can be; the usual names are no slip, even where these pieces have others."""
        return known_of_kinds(self.asked.kinds, self.asked.shape_names, self.asked.color_names)

    def next_board(self) -> Board:
        if self.condition is None or self.side is None:
            return draw_board(self.asked, self.chance)
        return draw_on_side(self.asked, self.chance, self.condition, self.side)

    def change_side(self, side: str) -> None:
        if self.condition is None:
            raise AssayError("this game has no condition; start it with condTrain=FILE or condTest=FILE")
        self.side = side


Boards = GivenBoards | RandomBoards


def repeat_board(board: Board) -> GivenBoards:
    return GivenBoards(repeat(board), find_features((board,)))


def find_features(boards: tuple[Board, ...]) -> Features:
    """The values that occur on boards, in the order in which they occur."""
    values: dict[str, dict[int | str, None]] = {"shape": {}, "color": {}}
    for piece in (piece for board in boards for piece in board.pieces):
        named = (("shape", piece.shape), ("color", piece.color), *piece.properties)
        for name, value in named:
            if value != "":
                values.setdefault(name, {})[value] = None
    return {name: list(each) for name, each in values.items() if each}


def read_range(text: str, what: str) -> tuple[int, int]:
    """`n` or `a:b`."""
    match = RANGE.fullmatch(text)
    if match is None:
        raise AssayError(f"the number of {what} is N or FROM:TO, not {text!r:.40}.")
    low = int(match[1])
    return low, low if match[2] is None else int(match[2])


def side_of(cond_train: str | None, cond_test: str | None) -> str | None:
    """The side with which a session begins."""
    return TRAIN if cond_train else TEST if cond_test else None
