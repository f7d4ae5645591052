"""The best blind player: it sees neither board nor answers, and repeats a fixed sequence of choices.

With the action set `all` it goes through the cells in a fixed order. With `occupied` it names a piece by its
place among those that are left. Its buckets repeat a pattern: one bucket, two in turn, or all four in any
order. The best of all these is searched on some boards and judged on others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from assay.envs.rules.board import Board
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.interpreter import Game, State, attempt, begin
from assay.envs.rules.random_play import SIMULATED, Estimate, estimate

READING, REVERSED = "reading order", "reversed reading order"
TURNS, SWEEPS = "the next bucket with every attempt", "the next bucket with every sweep"
STAYS, FIRST = "all these buckets at each", "always the first one that is left"
FIRST_ROUND, SECOND_ROUND, KEPT = 4, 40, 12  # boards of the two rounds of the search, and players kept


@dataclass(frozen=True)
class BlindPlayer:
    actions: str
    order: str
    pace: str
    buckets: tuple[int, ...]

    def describe(self) -> str:
        """In words."""
        pattern = f"bucket {self.buckets[0]}" if len(self.buckets) == 1 else f"buckets {list(self.buckets)}"
        over = "cells" if self.actions == "all" else "pieces"
        return f"{over} in {self.order}, {pattern}, {self.pace}"


@dataclass(frozen=True)
class BlindPlay:
    """The best blind player that was found, and its errors on boards that it was not searched on."""

    actions: str
    player: str
    errors: Estimate
    cleared: Estimate
    searched: int  # players that were tried


def best_blind(
    game: Game, actions: str, horizon: int, search: Sequence[Board], boards: Sequence[Board]
) -> BlindPlay:
    """The player with the fewest errors on the boards of the search, judged on other boards."""
    players = list_players(actions, game.geometry)

    def errors_on(player: BlindPlayer, chosen: Sequence[Board]) -> float:
        return sum(play_blindly(game, board, player, horizon)[0] for board in chosen)

    first, second = search[:FIRST_ROUND], search[:SECOND_ROUND]
    kept = sorted(players, key=lambda player: errors_on(player, first))[:KEPT]
    best = min(kept, key=lambda player: errors_on(player, second))
    games = [play_blindly(game, board, best, horizon) for board in boards]
    return BlindPlay(
        actions,
        best.describe(),
        estimate([errors for errors, _ in games], SIMULATED, len(boards)),
        estimate([float(cleared) for _, cleared in games], SIMULATED, len(boards)),
        len(players),
    )


def list_players(actions: str, geometry: Geometry) -> list[BlindPlayer]:
    every = range(geometry.buckets)
    single = [(bucket,) for bucket in every]
    several = [*permutations(every, 2), *(permutations(every) if geometry.buckets in (3, 4) else ())]
    paces = (TURNS, SWEEPS, STAYS) if actions == "all" else (TURNS, STAYS, FIRST)
    return [
        BlindPlayer(actions, order, pace, tuple(pattern))
        for order in (READING, REVERSED)
        for pace in paces
        for pattern in ([*single, *several] if pace in (TURNS, FIRST) else several)
    ]


def play_blindly(game: Game, board: Board, player: BlindPlayer, horizon: int) -> tuple[int, bool]:
    """The errors of a game, and whether it was cleared."""
    state, errors = begin(game, board), 0
    cells = reading_order(game.geometry, player.order)
    place = {cell: number for number, cell in enumerate(cells)}
    for step in range(horizon):
        if state.finish != Finish.PLAYING:
            break
        turn, bucket = _choose(player, step, len(cells) if player.actions == "all" else len(state.pieces))
        number = _name_piece(player, state, turn, cells, place)
        if number is None:
            errors += 1
            continue
        code, state = attempt(game, state, number, bucket)
        errors += code != Response.ACCEPT
    return errors, state.finish == Finish.CLEARED


def reading_order(geometry: Geometry, order: str) -> list[int]:
    """Rows from the top, from left to right; or the reverse."""
    cells = [
        geometry.cell_at(column, row)
        for row in range(geometry.rows, 0, -1)
        for column in range(1, geometry.columns + 1)
    ]
    return cells if order == READING else cells[::-1]


def _choose(player: BlindPlayer, step: int, choices: int) -> tuple[int, int]:
    """The turn of a cell or piece, and the bucket."""
    count = len(player.buckets)
    if player.pace == STAYS:
        return (step // count) % choices, player.buckets[step % count]
    if player.pace == FIRST:
        return 0, player.buckets[step % count]
    bucket = player.buckets[(step // choices if player.pace == SWEEPS else step) % count]
    return step % choices, bucket


def _name_piece(
    player: BlindPlayer, state: State, turn: int, cells: Sequence[int], place: dict[int, int]
) -> int | None:
    if player.actions == "all":
        return next((piece.id for piece in state.pieces if piece.cell == cells[turn]), None)
    return sorted(state.pieces, key=lambda piece: place[piece.cell])[turn].id
