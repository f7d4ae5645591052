"""Plays the runs of a contest and keeps their transcripts; the player never sees legal buckets.

A player is a function `play(match, seed)` that makes attempts until `match.is_over`:

    def play(match, seed):
        while not match.is_over:
            cell, shape, color = match.pieces[0]
            code = match.attempt(cell, bucket=0)  # 0 accepted, 4 denied, 7 immovable, 3 empty cell

One call plays one run, all episodes of it in a row, so that it may learn from one episode for the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.envs.rules.board import Board
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.contest.bundle import Episodes, Move
from assay.envs.rules.contest.replay import count_errors
from assay.envs.rules.contest.terms import Terms, board_of
from assay.envs.rules.interpreter import Game, State, attempt_at, begin, legal_buckets
from assay.errors import AssayError


class Match:
    """One run: episode after episode, on the boards of the contest."""

    def __init__(self, game: Game, terms: Terms, rule: str, run: int):
        self._game, self._terms, self._rule, self._run = game, terms, rule, run
        self._episodes: list[tuple[Move, ...]] = []
        self._state: State
        self._begin()

    @property
    def is_over(self) -> bool:
        return len(self._episodes) == self._terms.episodes

    @property
    def episode(self) -> int:
        """The number of the episode, from 0."""
        return len(self._episodes)

    @property
    def horizon(self) -> int:
        """Attempts after which an episode is cut."""
        return self._terms.horizon

    @property
    def pieces(self) -> tuple[tuple[int, str, str], ...]:
        """Cell, shape and colour of every piece on the board."""
        return tuple((piece.cell, piece.shape, piece.color) for piece in self._state.pieces)

    @property
    def board(self) -> Board:
        """The pieces that are left, as a board."""
        return Board(self._state.pieces)

    def attempt(self, cell: int, bucket: int) -> int:
        """Tries to move the piece in a cell into a bucket; returns the code of the response."""
        if self.is_over:
            raise AssayError("this run is over; stop when `is_over` is true.")
        code, self._state = attempt_at(self._game, self._state, int(cell), int(bucket))
        if code < 0:
            raise AssayError(
                f"there is no cell {cell} or bucket {bucket}; cells count from 1, buckets from 0."
            )
        self._moves.append((int(cell), int(bucket), int(code)))
        if self._state.finish != Finish.PLAYING or len(self._moves) == self._terms.horizon:
            self._episodes.append(tuple(self._moves))
            self._begin()
        return int(code)

    def transcript(self) -> Episodes:
        if not self.is_over:
            says = f"{self.episode} of {self._terms.episodes} episodes"
            raise AssayError(f"the player stopped after {says}; it plays until `is_over` is true.")
        return tuple(self._episodes)

    def _begin(self) -> None:
        self._moves: list[Move] = []
        while not self.is_over:
            board = board_of(self._terms, self._rule, self._run, self.episode)
            self._state = begin(self._game, board)
            if self._state.finish == Finish.PLAYING:
                return
            self._episodes.append(())  # it begins in a stalemate: there is nothing to attempt


Player = Callable[[Match, int], None]


def play_run(player: Player, game: Game, terms: Terms, rule: str, run: int) -> Episodes:
    match = Match(game, terms, rule, run)
    player(match, run)
    return match.transcript()


@dataclass(frozen=True)
class Tally:
    """What a run came to, by episode."""

    errors: tuple[int, ...]
    cleared: tuple[bool, ...]
    empty: int  # attempts at empty cells, which are no errors


def tally_run(episodes: Episodes, terms: Terms, rule: str, run: int) -> Tally:
    """Counted from a transcript of our own; that of another player is replayed (replay.py)."""
    codes = [[code for _, _, code in moves] for moves in episodes]
    pieces = [len(board_of(terms, rule, run, number).pieces) for number in range(len(episodes))]
    return Tally(
        tuple(map(count_errors, codes)),
        tuple(each.count(Response.ACCEPT) == many for each, many in zip(codes, pieces)),
        sum(each.count(Response.EMPTY_CELL) for each in codes),
    )


def play_randomly(match: Match, seed: int) -> None:
    """Any piece into any bucket."""
    chance = np.random.default_rng(seed)
    while not match.is_over:
        cell, _, _ = match.pieces[chance.integers(len(match.pieces))]
        match.attempt(cell, int(chance.integers(4)))


def knowing(game: Game) -> Player:
    """The player that knows the rule; it follows the game by itself, since a match does not show it."""

    def play(match: Match, seed: int) -> None:
        while not match.is_over:
            episode, state = match.episode, begin(game, match.board)
            while not match.is_over and match.episode == episode:
                legal = legal_buckets(game, state)
                piece = next(each for each in state.pieces if legal[each.id])
                bucket = min(legal[piece.id])
                _, state = attempt_at(game, state, piece.cell, bucket)
                match.attempt(piece.cell, bucket)

    return play
