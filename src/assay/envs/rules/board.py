"""Boards: pieces in cells, as records and as the JSON of the published game."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.language.tokens import raise_case
from assay.errors import AssayError

SHAPES = ("SQUARE", "STAR", "CIRCLE", "TRIANGLE")
COLORS = ("RED", "BLACK", "BLUE", "YELLOW")
OF_A_PIECE = ("id", "shape", "color", "x", "y")  # the keys of a piece in JSON; all others are properties
DERIVED = ("buckets", "label")  # keys that an engine adds for its readers, and that say nothing of a piece
PropertyValue = int | str
ANYTHING = "*"  # stored as a property, it meets every condition
LARGEST_ID = 10**18 - 1  # of a piece: clients name pieces by numbers of up to 18 digits


class BadBoard(AssayError):
    """A board that cannot be played; the sentence names the piece."""


@dataclass(frozen=True)
class Piece:
    """A piece in a cell. A property piece may have no shape or colour: the empty text."""

    id: int
    shape: str
    color: str
    cell: int
    properties: tuple[tuple[str, PropertyValue], ...] = ()

    def __post_init__(self) -> None:
        # Names are the same in any case, and are kept in upper case so that equal pieces are equal.
        # Most already are, and boards are drawn in thousands.
        if not (self.shape.isascii() and self.shape.isupper()):
            object.__setattr__(self, "shape", raise_case(self.shape))
        if not (self.color.isascii() and self.color.isupper()):
            object.__setattr__(self, "color", raise_case(self.color))

    def ask(self, name: str) -> PropertyValue | None:
        """What the piece has under a name that rules use; nothing where it has none."""
        if name == "color":
            return self.color or None
        if name == "shape":
            return self.shape or None
        if name == "pos":
            return self.cell
        return next((value for key, value in self.properties if key == name), None)


@dataclass(frozen=True)
class Board:
    """The pieces with which an episode begins."""

    pieces: tuple[Piece, ...]
    name: str = ""
    id: int = 0

    @property
    def is_crowded(self) -> bool:
        return len({piece.cell for piece in self.pieces}) < len(self.pieces)

    @property
    def property_names(self) -> frozenset[str]:
        return frozenset(name for piece in self.pieces for name, _ in piece.properties)


def check_board(board: Board, geometry: Geometry = STANDARD, *, crowded: bool = False) -> Board:
    """The board, where it can be played: its pieces have ids of their own and cells of the geometry."""
    if not board.pieces:
        raise BadBoard(f"{_tell(board)} has no piece; a board has at least one.")
    ids: set[int] = set()
    cells: set[int] = set()
    for piece in board.pieces:
        if piece.id < 0 or piece.id in ids:
            raise BadBoard(f"{_tell(board)} has the piece id {piece.id} twice or below 0; number them anew.")
        if piece.id > LARGEST_ID:
            raise BadBoard(f"{_tell(board)} has the piece id {piece.id!s:.40}; ids have up to 18 digits.")
        if not 1 <= piece.cell <= geometry.cells:
            says = f"stands in cell {piece.cell}, and cells go from 1 to {geometry.cells}"
            raise BadBoard(f"piece {piece.id} of {_tell(board)} {says}.")
        if piece.cell in cells and not crowded:
            says = f"shares cell {piece.cell} with another; only crowded boards allow that"
            raise BadBoard(f"piece {piece.id} of {_tell(board)} {says}.")
        ids.add(piece.id)
        cells.add(piece.cell)
    return board


def _tell(board: Board) -> str:
    return f"the board {board.name!r}" if board.name else "the board"


def board_to_json(board: Board, geometry: Geometry = STANDARD) -> dict[str, Any]:
    named = {"name": board.name} if board.name else {}
    return {"id": board.id, **named, "value": [piece_to_json(piece, geometry) for piece in board.pieces]}


def piece_to_json(piece: Piece, geometry: Geometry = STANDARD) -> dict[str, Any]:
    x, y = geometry.column_of(piece.cell), geometry.row_of(piece.cell)
    plain = {"id": piece.id, "color": piece.color, "shape": piece.shape, "x": x, "y": y}
    return plain | dict(piece.properties)


def board_from_text(
    text: str, geometry: Geometry = STANDARD, *, source: str = "the board", crowded: bool = False
) -> Board:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadBoard(f"{source} is no JSON: {error}.") from None
    return board_from_json(document, geometry, source=source, crowded=crowded)


def board_from_json(
    document: Any, geometry: Geometry = STANDARD, *, source: str = "the board", crowded: bool = False
) -> Board:
    """The board of a document `{"value": [{"id", "color", "shape", "x", "y"}, ...]}`."""
    if not isinstance(document, Mapping) or not isinstance(document.get("value"), list):
        raise BadBoard(f"{source} is no object with a list `value` of pieces.")
    pieces = tuple(
        _piece_from_json(each, geometry, f"piece {i + 1} of {source}")
        for i, each in enumerate(document["value"])
    )
    name = document.get("name", "")
    if not isinstance(name, str):
        raise BadBoard(f"{source} has the name {name!r:.40}, which is no text.")
    number = _whole(document.get("id", 0), "the id", source)
    return check_board(Board(pieces, name, number), geometry, crowded=crowded)


def _piece_from_json(document: Any, geometry: Geometry, where: str) -> Piece:
    if not isinstance(document, Mapping):
        raise BadBoard(f"{where} is {document!r:.40}, not an object.")
    number = _whole(document.get("id"), "the id", where)
    x, y = (_whole(document.get(axis), axis, where) for axis in ("x", "y"))
    if not (1 <= x <= geometry.columns and 1 <= y <= geometry.rows):
        size = f"{geometry.columns} by {geometry.rows}"
        raise BadBoard(f"{where} stands at x={x}, y={y}, outside the {size} cells of the board.")
    shape, color = (_name(document.get(key, ""), key, where) for key in ("shape", "color"))
    properties = tuple(
        (str(key), _property(value, str(key), where))
        for key, value in document.items()
        if key not in OF_A_PIECE and key not in DERIVED
    )
    if not properties and not (shape and color):
        raise BadBoard(f"{where} has no shape or no color; only pieces with properties may lack them.")
    return Piece(number, shape, color, geometry.cell_at(x, y), properties)


def _whole(value: Any, what: str, where: str) -> int:
    """A whole number, or a text that holds one."""
    is_numeric_text = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19
    if type(value) is not int and not is_numeric_text:
        raise BadBoard(f"{where} has {value!r:.40} for {what}, which is no whole number.")
    return int(value)


def _name(value: Any, what: str, where: str) -> str:
    if not isinstance(value, str):
        raise BadBoard(f"{where} has {value!r:.40} for its {what}, which is no text.")
    return value


def _property(value: Any, what: str, where: str) -> PropertyValue:
    if type(value) is not int and not isinstance(value, str):
        raise BadBoard(f"{where} has {value!r:.40} for {what}, which is neither a whole number nor a text.")
    return value
