"""The plain meaning of a rule: pure functions over a frozen state, one attempt at a time.

    game = prepare(parse("(1,*,*,*,3)\\n(1,*,*,*,1)"))
    state = begin(game, board)
    code, state = attempt(game, state, piece_id=0, bucket=3)

The active line starts as the first one. An accepted move lowers every counter that took part in it. A line
that is spent is left at once, for the next one, counted around, that offers a move with fresh counters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.envs.rules.atoms import PlayableAtom, compile_atom
from assay.envs.rules.board import Board, Piece
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.language.orders import rank_orders
from assay.envs.rules.language.syntax import Rule
from assay.envs.rules.set_arithmetic import Seen

Counts = tuple[int | None, ...]


@dataclass(frozen=True)
class PlayableLine:
    """The atoms of a line, ready to be asked, and its counters when it is fresh."""

    atoms: tuple[PlayableAtom, ...]
    count: int | None
    atom_counts: Counts


@dataclass(frozen=True)
class Game:
    """A rule on boards of one geometry."""

    rule: Rule
    geometry: Geometry
    lines: tuple[PlayableLine, ...]


@dataclass(frozen=True)
class State:
    """An episode between two attempts; all of it is plain data."""

    pieces: tuple[Piece, ...]  # on the board, in the order of the board
    line: int  # the active one, counted from 0
    line_count: int | None  # moves that the active line still accepts; None: unmetered
    atom_counts: Counts  # of the active line
    history: tuple[Seen, ...] = ()  # accepted moves, the latest last
    attempts: int = 0
    finish: Finish = Finish.PLAYING

    @property
    def errors(self) -> int:
        """Counted attempts that were not accepted."""
        return self.attempts - len(self.history)


def prepare(rule: Rule, geometry: Geometry = STANDARD) -> Game:
    ranks = rank_orders(rule, geometry)
    lines = []
    for line in rule.lines:
        atoms = tuple(compile_atom(atom, geometry, ranks) for atom in line.atoms)
        lines.append(PlayableLine(atoms, line.count, tuple(atom.count for atom in atoms)))
    return Game(rule, geometry, tuple(lines))


def begin(game: Game, board: Board) -> State:
    """The state before the first attempt; it may be a stalemate already."""
    return settle(game, enter_line(game, State(board.pieces, 0, None, ()), 0))


def legal_buckets(game: Game, state: State) -> dict[int, frozenset[int]]:
    """For the id of each piece on the board, the buckets that would accept it now."""
    if state.finish != Finish.PLAYING:
        return {piece.id: frozenset() for piece in state.pieces}
    return {piece.id: open_buckets(game, state, piece) for piece in state.pieces}


def attempt(game: Game, state: State, piece_id: int, bucket: int) -> tuple[Response, State]:
    """One attempt, by the id of a piece. What is not counted leaves the state as it is."""
    if state.finish != Finish.PLAYING:
        return Response.NO_GAME, state
    if not 0 <= bucket < game.geometry.buckets:
        return Response.INVALID_ARGUMENTS, state
    piece = next((each for each in state.pieces if each.id == piece_id), None)
    if piece is None:
        return Response.INVALID_OBJECT_ID, state
    return _try_piece(game, state, piece, bucket)


def attempt_at(game: Game, state: State, cell: int, bucket: int) -> tuple[Response, State]:
    """One attempt, by the cell of a piece, which must be alone in it."""
    if state.finish != Finish.PLAYING:
        return Response.NO_GAME, state
    if not (1 <= cell <= game.geometry.cells and 0 <= bucket < game.geometry.buckets):
        return Response.INVALID_ARGUMENTS, state
    there = [each for each in state.pieces if each.cell == cell]
    if len(there) != 1:
        return (Response.MULTIPLE_OBJECTS_IN_CELL if there else Response.EMPTY_CELL), state
    return _try_piece(game, state, there[0], bucket)


def give_up(state: State, finish: Finish = Finish.GIVEN_UP) -> State:
    """The episode as a player or an experiment ends it."""
    return replace(state, finish=finish) if state.finish == Finish.PLAYING else state


def _try_piece(game: Game, state: State, piece: Piece, bucket: int) -> tuple[Response, State]:
    taken = _taken_by_atom(game, state, piece)
    if not any(taken):
        return Response.IMMOVABLE, _count_attempt(state)
    accepts = tuple(bucket in buckets for buckets in taken)
    if not any(accepts):
        return Response.DENY, _count_attempt(state)
    return Response.ACCEPT, settle(game, _remove(state, piece, bucket, accepts))


def _count_attempt(state: State) -> State:
    # As replace(state, attempts=...), in a third of the time.
    return State(
        state.pieces, state.line, state.line_count, state.atom_counts, state.history, state.attempts + 1
    )


def _remove(state: State, piece: Piece, bucket: int, accepts: tuple[bool, ...]) -> State:
    """The state after an accepted move: every metered atom that accepted it, and the line, lose one."""
    counts = zip(state.atom_counts, accepts)
    return State(
        pieces=tuple(each for each in state.pieces if each.id != piece.id),
        line=state.line,
        line_count=None if state.line_count is None else state.line_count - 1,
        atom_counts=tuple(count - taken if count is not None else None for count, taken in counts),
        history=(*state.history, Seen(piece, bucket)),
        attempts=state.attempts + 1,
    )


def settle(game: Game, state: State) -> State:
    """The state with the line that is active next, or with the end of the episode."""
    if not state.pieces:
        return replace(state, finish=Finish.CLEARED)
    if not is_spent(game, state):
        return state
    for _ in game.lines:  # the last one is the line that was left, with fresh counters
        state = enter_line(game, state, (state.line + 1) % len(game.lines))
        if not is_spent(game, state):
            return state
    return replace(state, finish=Finish.STALEMATE)


def enter_line(game: Game, state: State, line: int) -> State:
    fresh = game.lines[line]
    return replace(state, line=line, line_count=fresh.count, atom_counts=fresh.atom_counts)


def is_spent(game: Game, state: State) -> bool:
    """Whether the active line is to be left. A line whose atoms are all at 0 offers no move."""
    return state.line_count == 0 or not any(open_buckets(game, state, piece) for piece in state.pieces)


def open_buckets(game: Game, state: State, piece: Piece) -> frozenset[int]:
    """The buckets into which the active line takes a piece now."""
    return frozenset().union(*_taken_by_atom(game, state, piece))


def _taken_by_atom(game: Game, state: State, piece: Piece) -> list[frozenset[int]]:
    """For each atom of the active line, the buckets into which it takes the piece now."""
    if state.line_count == 0:
        return []
    nothing: frozenset[int] = frozenset()
    return [
        nothing if count == 0 else atom.takes(state.pieces, state.history, piece)
        for atom, count in zip(game.lines[state.line].atoms, state.atom_counts)
    ]
