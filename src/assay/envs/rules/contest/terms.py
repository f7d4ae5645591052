"""The terms of a contest: which boards a run is played on. The contest's seed decides, not the player.

Every episode of every run has a board of its own, drawn from a digest of the seed, the rule, the number of
the run and the number of the episode. So boards can neither be picked nor moved to another run.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from assay.envs.rules.benchmark import find_rule
from assay.envs.rules.board import Board
from assay.envs.rules.random_boards import BoardDraw, NumpyChance, draw_board
from assay.errors import AssayError

RUNS, EPISODES, HORIZON = 100, 200, 100
BOARDS = BoardDraw()  # nine pieces of four shapes and four colours
HELD_OUT = "commitment:"  # before the digest of a rule that is not told yet


@dataclass(frozen=True)
class Terms:
    """What every submission to a contest must have been played under."""

    board_seed: int
    episodes: int = EPISODES  # of each run
    horizon: int = HORIZON  # attempts after which an episode is cut, those at empty cells among them

    def __post_init__(self) -> None:
        for name in ("board_seed", "episodes", "horizon"):
            least = 0 if name == "board_seed" else 1
            if not least <= getattr(self, name) < 2**63:
                raise AssayError(f"{name} of a contest is a whole number from {least} on.")


def board_of(terms: Terms, rule: str, run: int, episode: int) -> Board:
    """The board of one episode, both counted from 0; `rule` is its name in the contest."""
    words = ("assay-contest-1", str(terms.board_seed), contest_name(rule), str(run), str(episode))
    seed = int.from_bytes(hashlib.sha256("\n".join(words).encode()).digest(), "big")
    return draw_board(BOARDS, NumpyChance(np.random.default_rng(seed)))


def contest_name(rule: str) -> str:
    """The one name of a rule: an alias means the rule itself, so that it has the same boards."""
    return rule if rule.startswith(HELD_OUT) else find_rule(rule).name
