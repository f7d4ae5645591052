"""The reference players of a rule: random play, the player that knows the rule, and the best blind one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.envs.rules.blind_play import SECOND_ROUND, BlindPlay, best_blind
from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.interpreter import Game, prepare
from assay.envs.rules.language.faults import refuse_missing_properties
from assay.envs.rules.language.lint import never_stalemates
from assay.envs.rules.language.strange_values import known_of_kinds, refuse_strange_values
from assay.envs.rules.language.syntax import Rule
from assay.envs.rules.random_boards import BoardDraw
from assay.envs.rules.random_play import (
    ACTIONS,
    EXACT,
    GAMES,
    PER_BOARD,
    SIMULATED,
    Boards,
    Estimate,
    RandomPlay,
    draw_boards,
    estimate,
    explore_boards,
    random_play,
    simulate,
)
from assay.errors import AssayError

HORIZON, BOARDS = 100, 100
TABLE = "pieces have shape and color alone unless --pieces-table names a table of properties"
FOREVER = 10**9  # attempts


@dataclass(frozen=True)
class Oracle:
    """The player that knows the rule."""

    errors: float  # 0: while a game goes on, some move is accepted
    clears: Estimate  # share of boards that some sequence of moves clears
    because: str


@dataclass(frozen=True)
class RuleReferences:
    rule: str
    horizon: int
    pieces: tuple[int, int]
    seed: int  # of the boards behind estimates
    random: tuple[RandomPlay, ...]  # for each set of actions
    oracle: Oracle
    blind: tuple[BlindPlay, ...]  # for each set of actions


def find_references(
    rule: Rule,
    name: str,
    *,
    asked: BoardDraw = BoardDraw(),
    horizon: int = HORIZON,
    boards: int = BOARDS,
    seed: int = 1,
) -> RuleReferences:
    if horizon < 1 or boards < 1:
        raise AssayError(f"references need a horizon and boards of 1 at least, not {horizon} and {boards}.")
    known = known_of_kinds(asked.kinds, asked.shape_names, asked.color_names)
    refuse_missing_properties(rule, known.properties, name, TABLE)
    refuse_strange_values(rule, known, name)
    game = prepare(rule, asked.geometry)
    # The search sees other boards than those on which the best player is judged.
    search, drawn = draw_boards(asked, seed + 1_000_003, SECOND_ROUND), draw_boards(asked, seed, boards)
    explored = explore_boards(game, asked, drawn)
    return RuleReferences(
        name,
        horizon,
        asked.objects,
        seed,
        tuple(random_play(game, explored, actions, horizon) for actions in ACTIONS),
        judge_oracle(game, asked, horizon, explored),
        tuple(best_blind(game, actions, horizon, search, drawn) for actions in ACTIONS),
    )


def judge_oracle(game: Game, asked: BoardDraw, horizon: int, boards: Boards) -> Oracle:
    """Whether knowing the rule is enough to clear every board."""
    if asked.objects[1] > horizon:
        says = f"boards may have {asked.objects[1]} pieces, more than the horizon of {horizon} attempts"
        return Oracle(0.0, Estimate(0.0, EXACT), says)
    plain = (asked.shape_names, asked.color_names, asked.kinds) == (SHAPES, COLORS, ())
    if plain and never_stalemates(game.rule, game.geometry):
        return Oracle(0.0, Estimate(1.0, EXACT), "some piece can be moved on every board")
    clears = [graph.can_clear() for graph in boards.graphs]
    if boards.same:
        share = sum(clears) / len(clears)
        return Oracle(0.0, Estimate(share, EXACT), "all boards have the same states")
    if clears:
        says = "every sequence of moves was searched, board by board"
        return Oracle(0.0, estimate(clears, PER_BOARD, len(boards.drawn)), says)
    chance = np.random.default_rng(0)
    tried = [any(simulate(game, board, "occupied", FOREVER, chance).cleared for _ in range(GAMES))
             for board in boards.drawn]  # fmt: skip
    says = f"boards that {GAMES} games of random legal moves cleared, a lower bound"
    return Oracle(0.0, estimate(tried, SIMULATED, len(boards.drawn)), says)
