"""Boards of records as arrays, one or many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.rules.board import COLORS, SHAPES, Board
from assay.envs.rules.engine.tables import BoardArrays
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.language.tokens import raise_case
from assay.errors import AssayError


def to_arrays(board: Board, vocabulary: Vocabulary = Vocabulary(), pieces: int = 9) -> BoardArrays:
    """A board as arrays with so many slots; slots stand for pieces in the order of the board."""
    return jax.tree.map(jnp.asarray, number_pieces(board, vocabulary, pieces))


def stack_boards(
    boards: Sequence[Board], vocabulary: Vocabulary = Vocabulary(), pieces: int = 9
) -> BoardArrays:
    """A list of boards, one behind another along a new first axis."""
    each = [number_pieces(board, vocabulary, pieces) for board in boards]
    return jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *each)


def number_pieces(board: Board, vocabulary: Vocabulary, pieces: int) -> BoardArrays:
    if len(board.pieces) > pieces:
        raise AssayError(
            f"a board of {len(board.pieces)} pieces does not fit into {pieces} slots; compile with more."
        )
    known = (("shape", vocabulary.shapes), ("color", vocabulary.colors), *vocabulary.properties)
    rows = [_pad(_number_values(board, name, values), pieces) for name, values in known]
    properties: Any = np.array(rows[2:], np.int32).reshape(len(rows) - 2, pieces)
    shape, color = rows[:2]
    return BoardArrays(_pad([piece.cell for piece in board.pieces], pieces), shape, color, properties)


def _number_values(board: Board, what: str, known: Sequence[int | str]) -> list[int]:
    """What each piece has under a name, by number from 1; 0 where it has nothing."""
    numbers: dict[tuple[int | str | None, type], int] = {(None, type(None)): 0}
    numbers |= {(value, type(value)): i for i, value in enumerate(known, start=1)}
    every = [(value, type(value)) for value in (piece.ask(what) for piece in board.pieces)]
    strange = [value for value, kind in every if (value, kind) not in numbers]
    if strange:
        raise AssayError(f"no {what} {strange[0]!r} is among {list(known)}; compile the rule with it.")
    return [numbers[each] for each in every]


def _pad(values: Sequence[int], count: int) -> Any:
    return np.array([*values, *[0] * (count - len(values))], np.int32)


def vocabulary_of(
    boards: Iterable[Board], shapes: Sequence[str] = SHAPES, colors: Sequence[str] = COLORS
) -> Vocabulary:
    """The names and values that pieces of these boards have, behind the given names."""
    pieces = [piece for board in boards for piece in board.pieces]
    values: dict[str, dict[int | str, None]] = {}
    for piece in pieces:
        for name, value in piece.properties:
            values.setdefault(name, {})[value] = None
    every_shape = dict.fromkeys([*map(raise_case, shapes), *(p.shape for p in pieces if p.shape)])
    every_color = dict.fromkeys([*map(raise_case, colors), *(p.color for p in pieces if p.color)])
    properties = tuple((name, tuple(values[name])) for name in sorted(values))
    return Vocabulary(tuple(every_shape), tuple(every_color), properties)
