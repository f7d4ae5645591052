"""A board as the line of JSON that replies show."""

from __future__ import annotations

import json
from functools import lru_cache

from assay.envs.rules.board import Board, Piece, PropertyValue
from assay.envs.rules.geometry import STANDARD
from assay.interop.captive.episode import Episode

LETTERS = 26
CLOSINGS = tuple(
    b',"buckets":[' + ",".join(str(b) for b in range(4) if mask >> b & 1).encode() + b"]}"
    for mask in range(16)
)
HIDDEN = (b"}",) * 16


class BoardText:
    """Writes the boards of one episode; what a piece is called is put into words once."""

    def __init__(self, board: Board, *, labels: bool, hides_buckets: bool):
        self.openings = {piece.id: describe_piece(piece, labels) for piece in board.pieces}
        self.closings = HIDDEN if hides_buckets else CLOSINGS
        self.version = -1
        self.line = b""

    def write(self, episode: Episode) -> bytes:
        """The line for the pieces that are left, in the order of the board."""
        if self.version != episode.version:
            openings, closings = self.openings, self.closings
            pieces = [
                openings[piece.id] + closings[mask] for piece, mask in zip(episode.pieces, episode.open)
            ]
            self.line = b'{"id":0,"value":[' + b",".join(pieces) + b"]}\n"
            self.version = episode.version
        return self.line


def describe_piece(piece: Piece, label: bool) -> bytes:
    """A piece as JSON, without its buckets and without the end of the object."""
    opening = b'{"id":%d,' % piece.id + describe_kind(piece.color, piece.shape, piece.cell, piece.properties)
    return opening + b',"label":"%c"' % (ord("A") + piece.id) if label and piece.id < LETTERS else opening


@lru_cache(maxsize=4096)
def describe_kind(
    color: str, shape: str, cell: int, properties: tuple[tuple[str, PropertyValue], ...]
) -> bytes:
    """All of a piece but its id, as JSON without the braces."""
    named: dict[str, int | str] = {
        name: value for name, value in (("color", color), ("shape", shape)) if value
    }
    named |= {"x": STANDARD.column_of(cell), "y": STANDARD.row_of(cell), **dict(properties)}
    return json.dumps(named, separators=(",", ":")).encode()[1:-1]
