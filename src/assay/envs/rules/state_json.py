"""States of an episode as JSON and back: what is saved goes on exactly where it stood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.envs.rules.board import BadBoard, Board, Piece, check_board
from assay.envs.rules.codes import Finish
from assay.envs.rules.interpreter import Game, State
from assay.envs.rules.set_arithmetic import Seen

KEYS = ("pieces", "line", "line_count", "atom_counts", "history", "attempts", "finish")
OF_A_PIECE = ("id", "shape", "color", "cell", "properties")


def to_json(state: State) -> dict[str, Any]:
    return {
        "pieces": [_write_piece(piece) for piece in state.pieces],
        "line": state.line,
        "line_count": state.line_count,
        "atom_counts": list(state.atom_counts),
        "history": [{"piece": _write_piece(seen.piece), "bucket": seen.bucket} for seen in state.history],
        "attempts": state.attempts,
        "finish": int(state.finish),
    }


def _write_piece(piece: Piece) -> dict[str, Any]:
    plain = {"id": piece.id, "shape": piece.shape, "color": piece.color, "cell": piece.cell}
    return {**plain, "properties": [list(each) for each in piece.properties]}


def from_json(document: Any, game: Game) -> State:
    """The state of a document; it must be one of the game."""
    if not isinstance(document, Mapping) or set(document) != set(KEYS):
        raise BadBoard(f"a saved state has the keys {', '.join(KEYS)}, and no others.")
    history = tuple(_read_seen(each, game) for each in _list(document["history"], "history"))
    pieces = tuple(_read_piece(each) for each in _list(document["pieces"], "pieces"))
    everything = (*pieces, *(seen.piece for seen in history))
    check_board(Board(everything, "of the saved state"), game.geometry, crowded=True)
    line = _whole(document["line"], "line", len(game.lines) - 1)
    counts = tuple(_count(each, "atom_counts") for each in _list(document["atom_counts"], "atom_counts"))
    if len(counts) != len(game.lines[line].atoms):
        raise BadBoard(f"a saved state has {len(counts)} atom_counts for the atoms of line {line}.")
    attempts = _whole(document["attempts"], "attempts")
    if attempts < len(history):
        raise BadBoard(f"a saved state has {attempts} attempts, fewer than its accepted moves.")
    finish = Finish(_whole(document["finish"], "finish", max(Finish)))
    return State(
        pieces, line, _count(document["line_count"], "line_count"), counts, history, attempts, finish
    )


def _read_seen(document: Any, game: Game) -> Seen:
    if not isinstance(document, Mapping) or set(document) != {"piece", "bucket"}:
        raise BadBoard("a move in the history of a saved state has a piece and a bucket, and no more.")
    return Seen(
        _read_piece(document["piece"]), _whole(document["bucket"], "bucket", game.geometry.buckets - 1)
    )


def _read_piece(document: Any) -> Piece:
    if not isinstance(document, Mapping) or set(document) != set(OF_A_PIECE):
        raise BadBoard(f"a piece of a saved state has {', '.join(OF_A_PIECE)}, and no more.")
    shape, color = document["shape"], document["color"]
    if not (isinstance(shape, str) and isinstance(color, str)):
        raise BadBoard("a piece of a saved state has texts for its shape and color.")
    properties = tuple(_read_property(each) for each in _list(document["properties"], "properties"))
    number, cell = _whole(document["id"], "id"), _whole(document["cell"], "cell")
    return Piece(number, shape, color, cell, properties)


def _read_property(document: Any) -> tuple[str, int | str]:
    match document:
        case [str(name), int() | str() as value] if type(value) is not bool:
            return name, value
    raise BadBoard(f"a property of a saved state is a name and a number or text, not {document!r:.40}.")


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadBoard(f"{what} of a saved state is a list, not {value!r:.40}.")
    return value


def _count(value: Any, what: str) -> int | None:
    return None if value is None else _whole(value, what)


def _whole(value: Any, what: str, most: int | None = None) -> int:
    if type(value) is not int or value < 0 or (most is not None and value > most):
        limits = "from 0 on" if most is None else f"from 0 to {most}"
        raise BadBoard(f"{what} of a saved state is a whole number {limits}, not {value!r:.40}.")
    return value
