"""An episode as the server plays it: the interpreter's answers, each computed once.

Refused attempts change nothing but their number, so they are answered from the answers of the state. After
an accepted move the answers of the active line are found anew, from what its atoms remember.
"""

from __future__ import annotations

from assay.envs.rules.board import Board, Piece
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.evaluate import History
from assay.envs.rules.set_arithmetic import Seen
from assay.interop.captive.remembered import RememberedLine, Standing

ACCEPT, DENY, IMMOVABLE = int(Response.ACCEPT), int(Response.DENY), int(Response.IMMOVABLE)
EMPTY_CELL, NO_GAME = int(Response.EMPTY_CELL), int(Response.NO_GAME)
INVALID_ARGUMENTS, INVALID_ID = int(Response.INVALID_ARGUMENTS), int(Response.INVALID_OBJECT_ID)
SEVERAL = int(Response.MULTIPLE_OBJECTS_IN_CELL)
PLAYING, CLEARED, STALEMATE = int(Finish.PLAYING), int(Finish.CLEARED), int(Finish.STALEMATE)


class Episode:
    """One board, from its beginning to its end."""

    def __init__(self, lines: tuple[RememberedLine, ...], board: Board, buckets: int = 4):
        self.lines, self.board, self.buckets = lines, board, buckets
        self.standing = Standing(board.pieces)
        self.pieces = self.standing.pieces  # on the board now, in the order of the board
        self.history: History = ()
        self.attempts = 0
        self.finish = PLAYING
        self.version = 0  # grows with each accepted move: what a reply shows depends on it alone
        self.open: list[int] = []  # for each piece the buckets that accept it now, as bits
        self.taken: list[list[int]] = []  # the same for each atom of the active line
        self.line_count: int | None = None  # moves that the active line still accepts
        self.counts: list[int | None] = []  # and its atoms
        self._enter(0)
        self._settle()

    @property
    def accepted(self) -> int:
        return len(self.history)

    def place_of_id(self, number: int) -> int | None:
        """The place of a piece in `pieces`, where it is on the board."""
        ids = self.standing.ids
        return ids.index(number) if number in ids else None

    def place_of_cell(self, cell: int) -> tuple[int, int]:
        """(0, the place of the one piece in a cell), or (the code that refuses it, 0)."""
        there = [place for place, each in enumerate(self.standing.cells) if each == cell]
        if len(there) == 1:
            return 0, there[0]
        return (SEVERAL if there else EMPTY_CELL), 0

    def attempt(self, place: int, bucket: int) -> int:
        """The code of a counted attempt; the episode is being played, the place and the bucket exist."""
        self.attempts += 1
        mask = self.open[place]
        if not mask:
            return IMMOVABLE
        if not mask >> bucket & 1:
            return DENY
        self._accept(place, bucket)
        return ACCEPT

    def _accept(self, place: int, bucket: int) -> None:
        line = self.lines[self.line]
        piece: Piece = self.standing.remove(place)
        self.history = (*self.history, Seen(piece, bucket))
        self.version += 1
        if line.is_fixed:
            del self.open[place]  # `taken` is not needed: nothing is counted
        else:
            if line.is_counted:
                self._count(place, bucket)
            self._ask()
        self._settle()

    def _count(self, place: int, bucket: int) -> None:
        """Every metered atom that accepted the move, and the line, lose one."""
        if self.line_count is not None:
            self.line_count -= 1
        self.counts = [
            count if count is None or not masks[place] >> bucket & 1 else count - 1
            for count, masks in zip(self.counts, self.taken)
        ]

    def _settle(self) -> None:
        """Leaves the active line if it is spent, for the next that offers a move, or ends the episode."""
        if not self.pieces:
            self.finish = CLEARED
        elif not any(self.open):
            for _ in self.lines:  # the last one is the line that was left, with fresh counters
                self._enter((self.line + 1) % len(self.lines))
                if any(self.open):
                    return
            self.finish = STALEMATE

    def _enter(self, line: int) -> None:
        self.line = line
        self.line_count = self.lines[line].count
        self.counts = list(self.lines[line].atom_counts)
        self._ask()

    def _ask(self) -> None:
        """Finds the answers of the active line; a line or an atom that is used up accepts nothing."""
        size = len(self.pieces)
        if self.line_count == 0 or not size:
            self.taken = [[0] * size for _ in self.counts]
        else:
            self.taken = [
                [0] * size if count == 0 else atom.takes(self.standing, self.history)
                for atom, count in zip(self.lines[self.line].atoms, self.counts)
            ]
        self.open = self.taken[0]
        for masks in self.taken[1:]:
            self.open = [mask | more for mask, more in zip(self.open, masks)]
