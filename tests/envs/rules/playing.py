"""Short forms for tests that play: boards in one line, moves in one list."""

from __future__ import annotations

from assay.envs.rules.board import Board, Piece
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.interpreter import State, attempt, begin, legal_buckets, prepare
from assay.envs.rules.language.parse import parse


def board(text: str) -> Board:
    """`red star 1, - - 36 size=3`: pieces 0, 1, ... with a colour, a shape, a cell and properties."""
    return Board(tuple(piece(i, each) for i, each in enumerate(text.split(","))))


def piece(number: int, text: str) -> Piece:
    color, shape, cell, *properties = text.split()
    pairs = [each.split("=") for each in properties]
    values = tuple((name, int(value) if value.lstrip("-").isdigit() else value) for name, value in pairs)
    return Piece(number, "" if shape == "-" else shape, "" if color == "-" else color, int(cell), values)


def play(rule: str, pieces: str, moves=(), geometry: Geometry = STANDARD, strict: bool = True):
    """The game, the codes of the moves, and the state after them."""
    game = prepare(parse(rule, strict=strict, geometry=geometry), geometry)
    state = begin(game, board(pieces))
    codes = []
    for number, bucket in moves:
        code, state = attempt(game, state, number, bucket)
        codes.append(int(code))
    return game, codes, state


def legal(rule: str, pieces: str, moves=(), geometry: Geometry = STANDARD, strict: bool = True):
    """For each piece that is left, its open buckets as a sorted list."""
    game, _, state = play(rule, pieces, moves, geometry, strict)
    return told(legal_buckets(game, state))


def told(buckets) -> dict[int, list[int]]:
    return {number: sorted(each) for number, each in buckets.items()}


def standing(state: State) -> tuple[int, int | None, tuple[int | None, ...], int]:
    return state.line, state.line_count, state.atom_counts, int(state.finish)
