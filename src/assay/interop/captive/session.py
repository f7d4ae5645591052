"""A session: commands in, replies out. It knows neither pipes nor sockets; only EXIT ends it."""

from __future__ import annotations

import json
from collections.abc import Callable

from assay import __version__
from assay.envs.rules.board import LARGEST_ID, Board
from assay.envs.rules.codes import Response
from assay.envs.rules.conditions import TEST, TRAIN
from assay.errors import AssayError
from assay.interop.captive.arguments import Output
from assay.interop.captive.board_text import BoardText
from assay.interop.captive.episode import (
    ACCEPT,
    CLEARED,
    EMPTY_CELL,
    INVALID_ARGUMENTS,
    INVALID_ID,
    NO_GAME,
    PLAYING,
    SEVERAL,
    STALEMATE,
    Episode,
)
from assay.interop.captive.pictures import Tried, draw_board
from assay.interop.captive.remembered import remember
from assay.interop.captive.results import Attempted, Results
from assay.interop.captive.setup import Setup

LONGEST = 65_536  # bytes of a command; what is longer is refused unread
LONGEST_NUMBER = len(str(LARGEST_ID))  # digits; a longer number is out of every range
SIDE = 6
BUCKET_AT = {(7, 0): 0, (7, 7): 1, (0, 7): 2, (0, 0): 3}  # (row, column) -> bucket
INVALID_COMMAND = int(Response.INVALID_COMMAND)
SAYS = {
    EMPTY_CELL: "there is no piece in that cell",
    INVALID_ID: "there is no piece with that id on the board",
    SEVERAL: "several pieces share that cell; name one by its id",
    NO_GAME: "the episode is over; NEW begins another",
}
HELP = (
    "MOVE id bucket",
    "MOVE row column bucket_row bucket_column (rows from the bottom; buckets at rows and columns 0 and 7)",
    "NEW, DISPLAY, DISPLAYFULL, FEATURES",
    "MODE BRIEF|STANDARD|FULL",
    "COND [train|test]",
    "VERSION, HELP, EXIT",
)


class Session:
    """One client's games. `greet` is the first reply, `answer` that to each line, `end` closes the files."""

    def __init__(self, setup: Setup, output: Output, *, hides_buckets: bool, results: Results | None = None):
        self.setup, self.hides_buckets, self.results = setup, hides_buckets, results
        self._set_output(output)
        self.lines = remember(setup.game)
        self.is_over = False
        self.episodes = 0
        self.tried: Tried | None = None
        self._begin(setup.boards.next_board())
        self.commands: dict[bytes, Callable[[list[bytes]], bytes]] = {
            b"MOVE": self._move, b"NEW": self._new, b"DISPLAY": self._display,
            b"DISPLAYFULL": self._display_full, b"FEATURES": self._features, b"MODE": self._mode,
            b"COND": self._cond, b"VERSION": self._version, b"HELP": self._help, b"EXIT": self._exit,
        }  # fmt: skip

    def greet(self) -> bytes:
        """The opening of an episode."""
        stuck = self.episode.finish == STALEMATE
        code = int(Response.STALEMATE if stuck else Response.NEW_GAME)
        ends = " It begins without a move." if stuck else ""
        says = f"# assay {__version__}, captive game server. Episode {self.episodes} begins.{ends}\n"
        return self._status(code) + says.encode() + self._display([])

    def answer(self, line: bytes) -> bytes:
        """The reply to one line; nothing to a blank one."""
        words = line.split()
        if not words:
            return b""
        command = self.commands.get(words[0].upper())
        if len(line) > LONGEST:
            code = INVALID_ARGUMENTS if command == self._move else INVALID_COMMAND
            return self.refuse(code, f"the line is longer than {LONGEST} bytes")
        if command is None:
            return self.refuse(INVALID_COMMAND, f"there is no command {tell(words[0])}; HELP lists all")
        return command(words)

    def end(self) -> None:
        """Writes what is not written yet."""
        if self.results is not None:
            self.results.end(self.episode)
            self.results.close()

    def _set_output(self, output: Output) -> None:
        self.output, self.is_brief, self.is_full = output, output is Output.BRIEF, output is Output.FULL

    def _begin(self, board: Board) -> None:
        self.episode = Episode(self.lines, board)
        self.text = BoardText(board, labels=self.setup.boards.has_labels, hides_buckets=self.hides_buckets)
        self.tried = None
        if self.results is not None:
            self.results.begin(self.episodes)
        self.episodes += 1
        self._note_end()

    def _note_end(self) -> None:
        if self.results is not None and self.episode.finish != PLAYING:
            self.results.end(self.episode)

    def _status(self, code: int) -> bytes:
        return b"%d %d %d\n" % (code, self.episode.finish, self.episode.attempts)

    def refuse(self, code: int, says: str) -> bytes:
        return self._status(code) + f"# {says}.\n".encode()

    def _move(self, words: list[bytes]) -> bytes:
        if len(words) == 3 and words[1].isdigit() and words[2].isdigit():
            code, says = self._move_piece(read_number(words[1]), read_number(words[2]))
        elif len(words) == 5 and all(map(bytes.isdigit, words[1:])):
            code, says = self._move_cell(*map(read_number, words[1:]))
        else:
            return self.refuse(INVALID_ARGUMENTS, "MOVE takes 2 or 4 whole numbers from 0 on")
        if self.is_brief:
            return b"%d %d %d\n# %b\n" % (code, self.episode.finish, self.episode.attempts, says)
        return b"%d %d %d\n# %b\n%b" % (
            code, self.episode.finish, self.episode.attempts, says, self._display(words)
        )  # fmt: skip

    def _move_piece(self, number: int, bucket: int) -> tuple[int, bytes]:
        episode = self.episode
        if episode.finish != PLAYING:
            return self._deny(NO_GAME)
        if bucket >= episode.buckets:
            return INVALID_ARGUMENTS, b"buckets are 0 to 3."
        place = episode.place_of_id(number)
        return self._deny(INVALID_ID) if place is None else self._attempt(place, bucket)

    def _move_cell(self, row: int, column: int, bucket_row: int, bucket_column: int) -> tuple[int, bytes]:
        if self.episode.finish != PLAYING:
            return self._deny(NO_GAME)
        if not (1 <= row <= SIDE and 1 <= column <= SIDE):
            return INVALID_ARGUMENTS, b"rows and columns are 1 to 6."
        bucket = BUCKET_AT.get((bucket_row, bucket_column))
        if bucket is None:
            return INVALID_ARGUMENTS, b"the rows and columns of buckets are 0 and 7."
        code, place = self.episode.place_of_cell(column + SIDE * (row - 1))
        return self._deny(code) if code else self._attempt(place, bucket)

    def _deny(self, code: int) -> tuple[int, bytes]:
        if code != NO_GAME:
            self.tried = None
        return code, SAYS[code].encode() + b"."

    def _attempt(self, place: int, bucket: int) -> tuple[int, bytes]:
        """A counted attempt; the comment has nothing to say unless it ends the episode."""
        episode = self.episode
        piece = episode.pieces[place]
        code = episode.attempt(place, bucket)
        self.tried = Tried(piece.id, piece.cell, code == ACCEPT)
        if self.results is not None:
            kind = "_".join(each for each in (piece.color, piece.shape) if each)
            before = len(episode.pieces) + (code == ACCEPT)
            self.results.note(Attempted(kind, piece.id, piece.cell, bucket, code, before))
            self._note_end()
        if episode.finish == PLAYING or self.is_brief:
            return code, b"null"
        return code, b"The board is clear." if episode.finish == CLEARED else b"Stalemate: no piece can move."

    def _new(self, words: list[bytes]) -> bytes:
        most = self.setup.max_boards
        if most is not None and self.episodes >= most:
            return self.refuse(INVALID_ARGUMENTS, f"the run has max_boards={most}, and this was the last one")
        try:
            board = self.setup.boards.next_board()
        except AssayError as error:  # a condition for which no board is found: this episode goes on
            return self.refuse(INVALID_ARGUMENTS, tell_error(error))
        if self.results is not None:
            self.results.end(self.episode)
        self._begin(board)
        return self.greet()

    def _display(self, words: list[bytes]) -> bytes:
        line = self.text.write(self.episode)
        return line + draw_board(self.episode.pieces, self.tried) if self.is_full else line

    def _display_full(self, words: list[bytes]) -> bytes:
        return self.text.write(self.episode) + draw_board(self.episode.pieces, self.tried)

    def _features(self, words: list[bytes]) -> bytes:
        return json.dumps(self.setup.boards.features, separators=(",", ":")).encode() + b"\n"

    def _mode(self, words: list[bytes]) -> bytes:
        name = words[1].upper().decode("latin-1") if len(words) == 2 else ""
        if name not in Output.__members__:
            return self.refuse(INVALID_ARGUMENTS, f"MODE takes {', '.join(Output.__members__)}")
        self._set_output(Output[name])
        return f"# OK, mode={name}\n".encode()

    def _cond(self, words: list[bytes]) -> bytes:
        boards = self.setup.boards
        side = words[1].lower().decode("latin-1") if len(words) == 2 else ""
        if len(words) > 1:
            if side not in (TRAIN, TEST):
                return self.refuse(INVALID_ARGUMENTS, f"COND takes {TRAIN} or {TEST}")
            try:
                boards.change_side(side)
            except AssayError as error:
                return self.refuse(INVALID_ARGUMENTS, tell_error(error))
        return f"# OK, cond={boards.side or 'none'}\n".encode()

    def _version(self, words: list[bytes]) -> bytes:
        return f"# assay {__version__}, captive game server\n".encode()

    def _help(self, words: list[bytes]) -> bytes:
        return "".join(f"# {each}\n" for each in HELP).encode()

    def _exit(self, words: list[bytes]) -> bytes:
        self.is_over = True
        return self._status(int(Response.EXIT)) + b"# Goodbye.\n"


def read_number(digits: bytes) -> int:
    """The number of these digits, or one that is out of every range: no piece, row or bucket has it."""
    if len(digits) > LONGEST_NUMBER:
        digits = digits.lstrip(b"0") or b"0"
    return int(digits) if len(digits) <= LONGEST_NUMBER else LARGEST_ID + 1


def tell(word: bytes) -> str:
    """A word of a client in printable letters, and not too many of them."""
    return repr(word[:40].decode("latin-1")).encode("ascii", "backslashreplace").decode()


def tell_error(error: AssayError) -> str:
    return " ".join(str(error).split()).rstrip(".")
