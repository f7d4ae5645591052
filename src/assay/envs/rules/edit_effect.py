"""Whether an edit of a rule can be felt: both rules are played side by side on random boards. No jax here.

An edit may change the text of a rule and not the game: lines that offer nothing are skipped, so that
`clockwise` with its lines reversed accepts the same moves.
"""

from __future__ import annotations

import numpy as np

from assay.envs.rules.interpreter import Game, State, attempt, begin, legal_buckets, prepare
from assay.envs.rules.language.syntax import Rule
from assay.envs.rules.random_boards import BoardDraw, NumpyChance, draw_board

BOARDS = 8  # of 9 pieces; most edits are felt at the first move of the first


def plays_alike(rule: Rule, other: Rule) -> bool:
    """Whether two rules accept the same moves at each moment of some games, always the same ones."""
    games, chance = (prepare(rule), prepare(other)), NumpyChance(np.random.default_rng(0))
    for _ in range(BOARDS):
        board = draw_board(BoardDraw(), chance)
        if not play_both(games, tuple(begin(game, board) for game in games), chance):
            return False
    return True


def play_both(games: tuple[Game, ...], states: tuple[State, ...], chance: NumpyChance) -> bool:
    """Whether both games have the same open buckets until one of them is over, by random accepted moves."""
    while True:
        first, second = (legal_buckets(game, state) for game, state in zip(games, states))
        if first != second:
            return False
        moves = [(piece, bucket) for piece in sorted(first) for bucket in sorted(first[piece])]
        if not moves:
            return True
        move = moves[chance.draw(len(moves))]
        states = tuple(attempt(game, state, *move)[1] for game, state in zip(games, states))
