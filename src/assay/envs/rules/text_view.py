"""Games of hidden rules in words: the board as text, moves as two numbers. People and language models use it.

    3 2         the piece in cell 3 into bucket 2
    1 4 2       the piece in column 1 and row 4 into bucket 2

The view is drawn from an observation, so that it tells no more than a player may see. Where people name
pieces by number, the numbers are taken from `info`: no observation holds them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.envs.rules.board import Piece
from assay.envs.rules.edits import EDITS
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.game import layout_of
from assay.envs.rules.language.write import write
from assay.envs.rules.observation import Layout, Shown
from assay.envs.rules.params import RuleGame
from assay.envs.rules.task_boards import plan_boards
from assay.envs.rules.task_rule import find_task_rule
from assay.envs.rules.text_board import BoardText, Numbered, features_of
from assay.envs.rules.text_signs import Signs
from assay.errors import AssayError

SAYS = {
    Shown.ACCEPTED: "accepted",
    Shown.DENIED: "denied",
    Shown.IMMOVABLE: "denied, and no bucket takes that piece now",
    Shown.EMPTY: "no piece is there",
    Shown.SEVERAL: "several pieces share that cell, so none of them is meant",
}
OVER_AT_START = "nothing could be moved: the game was over before it began (stalemate)"
BETWEEN = r"(?:[ ,:;→]|->|\binto\b|\bto\b|\bbucket\b)+"
NUMBERS = re.compile(rf"(cell |piece )?\s*([0-9]{{1,6}})(?:[ ,:;]+([0-9]{{1,6}}))?{BETWEEN}([0-9]{{1,6}})")
Info = Mapping[str, Any]


@dataclass(frozen=True)
class RuleView:
    """A game of one layout in words."""

    layout: Layout
    vocabulary: Vocabulary
    by_piece: bool = False
    kinds: tuple[Piece, ...] = ()  # of a table, where pieces are shown by the number of their kind
    slots: int = 9
    hides: frozenset[str] = field(default=frozenset())  # features that are not shown: "shape", "color"

    @property
    def signs(self) -> Signs:
        return Signs(self.vocabulary, self.kinds, self.hides)

    @property
    def help(self) -> str:
        what = "a piece by the number that the board shows" if self.by_piece else "a cell"
        lines = [f"Write two numbers: {what}, then a bucket from 0 to {self.layout.buckets - 1}."]
        if not self.by_piece:
            lines.append("Three numbers are a column, a row and a bucket; rows are counted from the bottom.")
        return "\n".join([*lines, *self._rules_of_play])

    @property
    def explanation(self) -> str:
        lines = list(self._rules_of_play)
        if self.by_piece:
            lines.append("The board shows cells by their numbers, and not which number a piece has.")
        return "\n".join(lines)

    @property
    def _rules_of_play(self) -> tuple[str, ...]:
        signs = "A piece is # and the number of its kind: " if self.kinds else ""
        return (
            f"{signs}{self.legend} Buckets are numbered clockwise from the top left.",
            "Clear the board. A hidden rule accepts or denies each move; find it with few errors.",
        )

    @property
    def legend(self) -> str:
        return self.signs.legend

    def legend_of(self, observation: Any) -> str:
        if not self.kinds:
            return self.legend
        there = sorted({int(look) for look in observation[self.layout.board] if look})
        return self.signs.list_kinds([features_of(look, self.layout)[0] for look in there]) if there else ""

    @property
    def action_names(self) -> tuple[str, ...]:
        places = range(self.slots) if self.by_piece else range(1, self.layout.cells + 1)
        return tuple(f"{self._place} {p} to bucket {b}" for p in places for b in range(self.layout.buckets))

    @property
    def _place(self) -> str:
        return "piece" if self.by_piece else "cell"

    def read(self, words: str) -> int:
        text = words.strip()
        found = NUMBERS.fullmatch(text.lower())
        if not found or (found[1] and found[1].strip() != self._place):
            raise AssayError(f"{text!r:.40} is no move; write two numbers, such as 3 2.")
        *place, bucket = (int(each) for each in found.groups()[1:] if each)
        layout = self.layout
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

    def name_move(self, observation: Any, action: int, info: Info | None = None) -> str:
        """`cell 3 (red star) to bucket 2`; a piece is looked up where `info` tells its cell."""
        place, bucket = divmod(action, self.layout.buckets)
        if self.by_piece and info is None:
            return self.action_names[action]
        cell = self._cell_of(action, info)
        what = self._name_tried(observation, action, info)
        if not self.by_piece:
            return f"cell {cell} ({what or 'empty'}) to bucket {bucket}"
        there = ", ".join(filter(None, [what, f"cell {cell}"])) if cell else "not on the board"
        return f"piece {place} ({there}) to bucket {bucket}"

    def _cell_of(self, action: int, info: Info | None) -> int:
        """The cell that an action means; 0 where a piece is gone, or nothing tells its cell."""
        place = action // self.layout.buckets
        if not self.by_piece:
            return place + 1
        return int(info["cells"][place]) if info else 0

    def _name_tried(self, observation: Any, action: int, info: Info | None) -> str:
        """The piece that an action means; "" where there is none, or it stands behind another in its cell."""
        cell = self._cell_of(action, info)
        look = int(observation[self.layout.board][cell - 1]) if cell else 0
        first = list(info["cells"]).index(cell) if self.by_piece and info and cell else None
        if not look or first not in (None, action // self.layout.buckets):
            return ""
        return self.name_piece(*features_of(look, self.layout))

    def is_error(self, observation: Any) -> bool:
        return int(observation[self.layout.response]) not in (Shown.NOTHING, Shown.ACCEPTED)

    def is_accepted(self, observation: Any) -> bool:
        return int(observation[self.layout.response]) == Shown.ACCEPTED

    def sum_up(self, observation: Any, terminated: bool) -> str:
        if not any(observation[self.layout.board]):
            return "the board was cleared"
        if not terminated:
            return "it was cut off at the limit of moves"
        if int(observation[self.layout.response]) == Shown.NOTHING:
            return OVER_AT_START
        return "no move was left that the rule accepts"

    def why_over(self, info: Info) -> str:
        """A start knows no rule, so that a stalemate at the start is told by the legal buckets alone."""
        return "" if any(info.get("legal_buckets", (True,))) else OVER_AT_START

    def name_piece(self, shape: int, color: int) -> str:
        """A piece in words; both numbers count from 1."""
        return self.signs.name_piece(shape, color)

    def draw(
        self, observation: Any, tried: int | None = None, colors: bool = False, compact: bool = False,
        info: Info | None = None, before: Info | None = None,
    ) -> str:  # fmt: skip
        """The board with its buckets, pieces with the numbers of their cells, what was tried in brackets.

        Where pieces are named, they have their own numbers. A compact drawing leaves out the numbers of
        cells; columns and rows are numbered in each.
        """
        bucket = -1 if tried is None else tried % self.layout.buckets
        cell = 0 if tried is None else self._cell_of(tried, before)
        numbered = self._number_pieces(info) if self.by_piece and info is not None else None
        board = BoardText(self.layout, self.signs, compact and numbered is None, colors)
        return "\n".join(board.draw(observation, cell, bucket, numbered))

    def _number_pieces(self, info: Info) -> Numbered:
        by_cell: dict[int, list[int]] = {}
        for piece, cell in enumerate(info["cells"]):
            if cell:
                by_cell.setdefault(int(cell), []).append(piece)
        legal = {piece: int(info["legal_buckets"][piece]) for each in by_cell.values() for piece in each}
        return Numbered(by_cell, dict(sorted(legal.items())))

    def record_start(self, observation: Any, info: Info) -> dict[str, Any]:
        """The board as files of boards have it, so that `board=` can begin with it again."""
        return {"board": {"value": [
            self._record_piece(observation, info, number) for number, cell in enumerate(info["cells"]) if cell
        ]}}  # fmt: skip

    def _record_piece(self, observation: Any, info: Info, number: int) -> dict[str, Any]:
        row, column = divmod(int(info["cells"][number]) - 1, self.layout.columns)
        names, place = self.vocabulary, {"id": number, "x": column + 1, "y": row + 1}
        if not self.kinds:
            shape, color = int(info["shapes"][number]), int(info["colors"][number])
            return place | {"shape": names.shapes[shape - 1], "color": names.colors[color - 1]}
        cell = info["cells"][number]
        if "shape" in self.hides or list(info["cells"]).count(cell) > 1:
            return place  # an observation tells neither hidden kinds nor those behind the first in a cell
        look = int(observation[int(cell) - 1])
        kind = self.kinds[features_of(look, self.layout)[0] - 1]
        looks = {"shape": kind.shape, "color": kind.color} | dict(kind.properties)
        return place | {name: value for name, value in looks.items() if value != ""}

    def record_move(self, before: Any, after: Any, action: int, info: Info) -> dict[str, Any]:
        """Where a move went, which piece it meant, and how it was answered; `info` is that before it."""
        cell, bucket = self._cell_of(action, info), action % self.layout.buckets
        piece = action // self.layout.buckets if self.by_piece else None
        if piece is None:
            there = [number for number, place in enumerate(info["cells"]) if place == cell]
            piece = there[0] if len(there) == 1 else None
        response = Shown(int(after[self.layout.response])).name.lower()
        looks = None if piece is None else self._name_tried(before, action, info) or None
        return {"cell": cell, "bucket": bucket, "piece": piece, "looks": looks, "response": response}


def make_view(settings: RuleGame, others: Mapping[str, Any]) -> RuleView:
    """The view of a task with these settings; `others` is all that its text sets, by name."""
    boards = plan_boards(settings)
    layout = layout_of(settings, boards)
    by_piece = settings.actions == "pieces"
    hides = frozenset(each for each in ("shape", "color") if others.get(f"hide_{each}", False))
    return RuleView(layout, boards.vocabulary, by_piece, boards.kinds, boards.slots, hides)


def describe_rule(settings: RuleGame) -> tuple[tuple[str, str], ...]:
    """The rule of a task for its card, by what it is; with edits, the rule before them too."""
    neutral = {name: plain for name, (plain, _) in EDITS.items()}
    boards = plan_boards(settings)
    edited = write(find_task_rule(settings, boards)).strip()
    plain = write(find_task_rule(replace(settings, **neutral), boards)).strip()
    return (("rule", plain),) if plain == edited else (("plain rule", plain), ("edited rule", edited))
