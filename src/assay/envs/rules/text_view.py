"""Games of hidden rules in words: the board as text, moves as two numbers. People and language models use it.

    3 2         the piece in cell 3 into bucket 2
    1 4 2       the piece in column 1 and row 4 into bucket 2

The view is drawn from an observation alone, so that it never tells more than a player may see.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.game import layout_of
from assay.envs.rules.observation import Layout, Shown
from assay.envs.rules.params import RuleGame
from assay.envs.rules.task_boards import plan_boards
from assay.errors import AssayError

SIGNS = {"SQUARE": "■", "STAR": "★", "CIRCLE": "●", "TRIANGLE": "▲", "HEXAGON": "⬢", "DIAMOND": "◆"}
SPARE_SIGNS = "♥♣♠♦✚✖✿☾"
# Of 256-colour terminals. Black ink needs a light cell, so that cells of pieces have one.
INKS = {"RED": 160, "BLACK": 16, "BLUE": 26, "YELLOW": 136, "GREEN": 28, "ORANGE": 166, "PURPLE": 91}
LIGHT, GOOD, BAD, FAINT = 255, 34, 160, 245
PLACE_WIDTH, COMPACT_WIDTH = 7, 4  # characters of a cell
SAYS = {
    Shown.ACCEPTED: "accepted",
    Shown.DENIED: "denied",
    Shown.IMMOVABLE: "denied, and no bucket takes that piece now",
    Shown.EMPTY: "no piece is there",
    Shown.SEVERAL: "several pieces share that cell, so none of them is meant",
}
NUMBERS = re.compile(r"[0-9]{1,6}([ ,:]+[0-9]{1,6}){1,2}")


def paint(text: str, ink: int, ground: int | None = None, bold: bool = False) -> str:
    """Text in the colours of a terminal."""
    codes = [*(["1"] if bold else []), f"38;5;{ink}", *([f"48;5;{ground}"] if ground is not None else [])]
    return f"\033[{';'.join(codes)}m{text}\033[0m"


def leave_plain(text: str, ink: int, ground: int | None = None, bold: bool = False) -> str:
    """Text where colours are not wanted."""
    return text


@dataclass(frozen=True)
class RuleView:
    """A game of one layout in words."""

    layout: Layout
    vocabulary: Vocabulary
    by_piece: bool = False
    by_kind: bool = False  # pieces of a table, which are numbered
    slots: int = 9
    hides: frozenset[str] = frozenset()  # features that are not shown: "shape", "color"

    @property
    def help(self) -> str:
        what = "a piece by its number from 0" if self.by_piece else "a cell"
        lines = [f"Write two numbers: {what}, then a bucket from 0 to {self.layout.buckets - 1}."]
        if not self.by_piece:
            lines.append("Three numbers are a column, a row and a bucket; rows are counted from the bottom.")
        lines.append(f"{self.legend} Buckets are numbered clockwise from the top left.")
        lines.append("Clear the board. A hidden rule accepts or denies each move; find it with few errors.")
        return "\n".join(lines)

    @property
    def legend(self) -> str:
        if self.by_kind:
            return "A piece is # and the number of its kind."
        names = self.vocabulary
        shapes = ", ".join(f"{self._sign_of(i, 0)[0]} {name.lower()}" for i, name in enumerate(names.shapes))
        colors = ", ".join(
            f"{letter} {name.lower()}" for letter, name in zip(short_names(names.colors), names.colors)
        )
        told = [*([] if "color" in self.hides else [colors]), *([] if "shape" in self.hides else [shapes])]
        return f"{'; '.join(told)}." if told else "A piece is ??."

    @property
    def action_names(self) -> tuple[str, ...]:
        places = range(self.slots) if self.by_piece else range(1, self.layout.cells + 1)
        what = "piece" if self.by_piece else "cell"
        return tuple(f"{what} {p} to bucket {b}" for p in places for b in range(self.layout.buckets))

    def read(self, words: str) -> int:
        text = words.strip()
        if not NUMBERS.fullmatch(text):
            raise AssayError(f"{text!r:.40} is no move; write two numbers, such as 3 2.")
        numbers = [int(each) for each in re.split("[ ,:]+", text)]
        layout = self.layout
        *place, bucket = numbers
        if bucket >= layout.buckets:
            raise AssayError(f"there is no bucket {bucket}; buckets go from 0 to {layout.buckets - 1}.")
        if self.by_piece:
            if len(place) > 1 or place[0] >= self.slots:
                raise AssayError(f"there is no such piece; pieces go from 0 to {self.slots - 1}.")
            return place[0] * layout.buckets + bucket
        return (self._read_cell(place) - 1) * layout.buckets + bucket

    def _read_cell(self, place: list[int]) -> int:
        layout = self.layout
        if len(place) == 1:
            if not 1 <= place[0] <= layout.cells:
                raise AssayError(f"there is no cell {place[0]}; cells go from 1 to {layout.cells}.")
            return place[0]
        column, row = place
        if not (1 <= column <= layout.columns and 1 <= row <= layout.rows):
            size = f"{layout.columns} columns and {layout.rows} rows"
            raise AssayError(f"there is no column {column} with a row {row}; the board has {size}.")
        return column + layout.columns * (row - 1)

    def tell(self, observation: Any, brief: bool = False) -> str:
        shown = Shown(int(observation[self.layout.response]))
        if shown != Shown.ACCEPTED or (brief and not self.by_piece):
            return SAYS.get(shown, "")
        shape, color, bucket = (int(each) for each in observation[self.layout.last])
        return f"accepted: {self.name_piece(shape, color)} into bucket {bucket - 1}"

    def name_move(self, observation: Any, action: int) -> str:
        """`cell 3 (red star) to bucket 2`; pieces that are chosen by number are not looked up."""
        if self.by_piece:
            return self.action_names[action]
        cell, bucket = divmod(action, self.layout.buckets)
        look = int(observation[self.layout.board][cell])
        what = self.name_piece(*self._features(look)) if look else "empty"
        return f"cell {cell + 1} ({what}) to bucket {bucket}"

    def is_error(self, observation: Any) -> bool:
        return int(observation[self.layout.response]) not in (Shown.NOTHING, Shown.ACCEPTED)

    def sum_up(self, observation: Any, terminated: bool) -> str:
        if not any(observation[self.layout.board]):
            return "the board was cleared"
        return (
            "no move was left that the rule accepts" if terminated else "it was cut off at the limit of moves"
        )

    def _features(self, look: int) -> tuple[int, int]:
        """Shape and colour of what a cell shows, both from 1."""
        shape, color = divmod(look - 1, self.layout.colors)
        return shape + 1, color + 1

    def name_piece(self, shape: int, color: int) -> str:
        """A piece in words; both numbers count from 1."""
        if self.by_kind:
            return f"kind {shape}"
        name = "" if "color" in self.hides else f"{self.vocabulary.colors[color - 1]} "
        what = "piece" if "shape" in self.hides else self.vocabulary.shapes[shape - 1]
        return f"{name}{what}".lower()

    def draw(
        self, observation: Any, tried: int | None = None, colors: bool = False, compact: bool = False
    ) -> str:
        """The board with its buckets, pieces with the numbers of their cells, what was tried in brackets.

        A compact drawing leaves out the numbers of cells; columns and rows are numbered in each.
        """
        wide = COMPACT_WIDTH if compact else PLACE_WIDTH
        layout = self.layout
        place, bucket = (-1, -1) if tried is None else divmod(tried, layout.buckets)
        place = -1 if self.by_piece else place + 1
        ink = GOOD if self._is_accepted(observation) else BAD
        frame = paint if colors else leave_plain
        rule = "     +" + "-" * (wide * layout.columns) + "+"
        cells = {
            cell: self._draw_cell(
                cell, int(observation[cell - 1]), wide, colors, ink if cell == place else None
            )
            for cell in range(1, layout.cells + 1)
        }
        rows = [self._draw_row(cells, row) for row in range(layout.rows, 0, -1)]
        numbers = "".join(f"{column:^{wide}}" for column in range(1, layout.columns + 1))
        foot = f"      {numbers}"
        body = [rule, *rows, rule]
        if layout.buckets == 4:
            signs = [frame(f"[{b}]", ink, bold=True) if b == bucket else f"\\{b}/" for b in range(4)]
            gap = wide * layout.columns + 2
            body = [between(signs[0], signs[1], gap), *body, between(signs[3], signs[2], gap)]
        else:
            foot += f"\nbuckets 0 to {layout.buckets - 1}, clockwise from the top left"
        return "\n".join(line.rstrip() for line in [*body, foot])

    def _is_accepted(self, observation: Any) -> bool:
        return bool(observation[self.layout.response] == Shown.ACCEPTED)

    def _draw_row(self, cells: Mapping[int, str], row: int) -> str:
        first = self.layout.columns * (row - 1) + 1
        drawn = (cells[cell] for cell in range(first, first + self.layout.columns))
        return f" {row:>3} |{''.join(drawn)}|"

    def _draw_cell(self, cell: int, look: int, wide: int, colors: bool, frame: int | None) -> str:
        """A cell; `frame` is the ink of the brackets around what was tried, None around other cells."""
        letters, ground = ".", None
        ink = FAINT
        text = f"{'.':^{wide}}"
        if look:
            shape, color = self._features(look)
            sign, letter, ink = self._sign_of(shape - 1, color - 1)
            letters, ground = f"{letter}{sign}", LIGHT
            number = f"{cell:>3}" if wide == PLACE_WIDTH else ""
            text = f"{number} {letters}".ljust(wide)
        if frame is not None:
            text = f"[{text[1:-1]}]"
        if not colors:
            return text
        before, _, after = text.partition(letters)
        edges = [paint(before, FAINT), after]
        if frame is not None:
            edges = [paint(before[0], frame, bold=True) + paint(before[1:], FAINT)]
            edges.append(after[:-1] + paint(after[-1], frame, bold=True))
        return edges[0] + paint(letters, ink, ground, bold=bool(look)) + edges[1]

    def _sign_of(self, shape: int, color: int) -> tuple[str, str, int]:
        """The sign of a piece, the first letters of its colour, and its ink."""
        if self.by_kind:
            return str(shape + 1), "#", INKS["BLACK"]
        names = self.vocabulary
        sign = SIGNS.get(names.shapes[shape], SPARE_SIGNS[shape % len(SPARE_SIGNS)])
        sign = "?" if "shape" in self.hides else sign
        if "color" in self.hides:
            return sign, "?", INKS["BLACK"]
        return sign, short_names(names.colors)[color], INKS.get(names.colors[color], 90 + color)


def between(left: str, right: str, gap: int) -> str:
    """Two buckets at the left and the right of a board."""
    return f" {left} {'':{gap}} {right}"


def short_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """A letter for each name, its first that no other name before it has; black is K, as printers say."""
    taken: list[str] = []
    for name in names:
        letters = [*("K" if name == "BLACK" else ""), *name, *"0123456789"]
        taken.append(next(letter for letter in letters if letter not in taken))
    return tuple(taken)


def make_view(settings: RuleGame, others: Mapping[str, Any]) -> RuleView:
    """The view of a task with these settings; `others` is all that its text sets, by name."""
    boards = plan_boards(settings)
    layout = layout_of(settings, boards)
    by_piece = settings.actions == "pieces"
    hides = frozenset(each for each in ("shape", "color") if others.get(f"hide_{each}", False))
    return RuleView(layout, boards.vocabulary, by_piece, bool(boards.kinds), boards.slots, hides)
