"""Moves per second of the plain interpreter of rules, on one core.

    python benchmarks/rules_interpreter.py

Random play on every benchmark rule: 9 pieces of 4 shapes and 4 colours, a random piece of the board and a
random bucket at each attempt, at most 200 attempts an episode. Boards are drawn before the clock starts.
"""

import random
import time

import numpy as np

from assay.envs.rules.benchmark import RULES
from assay.envs.rules.interpreter import attempt, begin, prepare
from assay.envs.rules.random_boards import BoardDraw, NumpyChance, draw_board

EPISODES, MOST_ATTEMPTS = 60, 200


def play(game, boards, chance: random.Random) -> int:
    moves = 0
    for board in boards:
        state = begin(game, board)
        for _ in range(MOST_ATTEMPTS):
            if state.finish:
                break
            _, state = attempt(game, state, chance.choice(state.pieces).id, chance.randrange(4))
            moves += 1
    return moves


def main() -> None:
    draws = NumpyChance(np.random.default_rng(0))
    boards = [draw_board(BoardDraw(), draws) for _ in range(EPISODES)]
    chance = random.Random(0)
    total = seconds = 0.0
    for rule in RULES:
        game = prepare(rule.parse())
        begun = time.process_time()
        moves = play(game, boards, chance)
        spent = time.process_time() - begun
        total, seconds = total + moves, seconds + spent
        print(f"{rule.name:40} {moves / spent:10,.0f} moves/s")
    print(f"{'all benchmark rules':40} {total / seconds:10,.0f} moves/s")


if __name__ == "__main__":
    main()
