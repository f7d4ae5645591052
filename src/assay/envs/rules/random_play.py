"""The errors of a player that chooses every action at random, within a horizon of attempts.

With the action set `all` an action is any cell and bucket, with `occupied` any piece that is left and bucket.
An action is legal with a chance that the state alone decides, and a refused one changes nothing; so expected
errors follow from the graph of states by counting back from the end. Where the rule asks nothing of pieces,
or every piece has the same number of buckets at all times, every board has the same expectation, and it is
exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.envs.rules.board import Board, Piece
from assay.envs.rules.codes import Finish
from assay.envs.rules.game_graph import Graph, Node, asked_features, explore
from assay.envs.rules.interpreter import Game, attempt, begin, legal_buckets
from assay.envs.rules.language.lint import is_stationary
from assay.envs.rules.random_boards import BoardDraw, NumpyChance, draw_board
from assay.errors import AssayError

ACTIONS = ("all", "occupied")
EXACT, PER_BOARD, SIMULATED = "exact", "exact on each board", "simulated"
GAMES = 20  # simulated on each board


@dataclass(frozen=True)
class Estimate:
    """A mean over boards, with the value of each board where it is not exact."""

    value: float
    how: str
    by_board: tuple[float, ...] = ()


@dataclass(frozen=True)
class RandomPlay:
    """A random player's expectations."""

    actions: str
    errors: Estimate
    cleared: Estimate  # chance of clearing the board within the horizon


@dataclass(frozen=True)
class Expectation:
    """Of one board: expected errors and the chance of clearing it."""

    errors: float
    cleared: float


@dataclass(frozen=True)
class Boards:
    """The boards behind expectations, with their graphs."""

    graphs: tuple[Graph, ...]  # one for each number of pieces if `same`, else one for each board
    same: bool  # whether all boards with so many pieces have the same graph
    drawn: tuple[Board, ...]

    @property
    def how(self) -> str:
        return EXACT if self.same else PER_BOARD if self.graphs else SIMULATED


def explore_boards(game: Game, asked: BoardDraw, drawn: Sequence[Board]) -> Boards:
    """The graphs of all boards of a kind, or of the drawn ones; none where one of these is too large."""
    if asked.crowded:
        raise AssayError("references are of boards with a piece in a cell, not of crowded ones.")
    same = uniform_graphs(game, asked)
    if same is not None:
        return Boards(tuple(same), True, tuple(drawn))
    graphs: list[Graph] = []
    for board in drawn:
        graph = explore(game, board)
        if graph is None:
            return Boards((), False, tuple(drawn))
        graphs.append(graph)
    return Boards(tuple(graphs), False, tuple(drawn))


def random_play(game: Game, boards: Boards, actions: str, horizon: int) -> RandomPlay:
    """The expectations of a random player over these boards."""
    if actions not in ACTIONS:
        raise AssayError(f"the actions of a random player are {' or '.join(ACTIONS)}, not {actions!r}.")
    if boards.graphs:
        expected = [expect(graph, game, actions, horizon) for graph in boards.graphs]
    else:
        chance = np.random.default_rng(0)
        expected = [
            simulate(game, board, actions, horizon, chance) for board in boards.drawn for _ in range(GAMES)
        ]
    errors, cleared = [each.errors for each in expected], [each.cleared for each in expected]
    if boards.same:
        return RandomPlay(actions, _exact(errors), _exact(cleared))
    count = len(boards.drawn)
    return RandomPlay(actions, estimate(errors, boards.how, count), estimate(cleared, boards.how, count))


def _exact(values: Sequence[float]) -> Estimate:
    mean = sum(values) / len(values)
    return Estimate(mean, EXACT)


def estimate(values: Sequence[float], how: str, boards: int) -> Estimate:
    """The mean over boards; games on one board are averaged first."""
    means = np.asarray(values, float).reshape(boards, -1).mean(1)
    return Estimate(float(means.mean()), how, tuple(map(float, means)))


def uniform_graphs(game: Game, asked: BoardDraw) -> list[Graph] | None:
    """A graph for each number of pieces, where all boards of so many pieces have the same; else None."""
    numbers = range(asked.objects[0], asked.objects[1] + 1)
    if not asked_features(game.rule):
        graphs = [explore(game, any_board(number)) for number in numbers]
        return None if None in graphs else [graph for graph in graphs if graph is not None]
    buckets = buckets_of_every_piece(game, asked)
    return None if buckets is None else [stationary_graph(number, buckets) for number in numbers]


def any_board(pieces: int) -> Board:
    return Board(tuple(Piece(number, "SQUARE", "RED", number + 1) for number in range(pieces)))


def buckets_of_every_piece(game: Game, asked: BoardDraw) -> int | None:
    """How many buckets every piece that can be drawn has, where a stationary rule gives all as many."""
    if not is_stationary(game.rule) or asked.kinds:
        return None
    counts = set()
    for shape in asked.shape_names:
        for color in asked.color_names:
            for cell in range(1, game.geometry.cells + 1):
                state = begin(game, Board((Piece(0, shape, color, cell),)))
                counts.add(len(legal_buckets(game, state)[0]))
    return counts.pop() if len(counts) == 1 and counts != {0} else None


def stationary_graph(pieces: int, buckets: int) -> Graph:
    """The chain of a board on which every piece has the same number of buckets, at all times."""
    nodes: dict[Hashable, Node] = {0: Node(0, True, 0, ())}
    for left in range(1, pieces + 1):
        nodes[left] = Node(left, False, left * buckets, ((left - 1, left * buckets),))
    return Graph(pieces, nodes)


def expect(graph: Graph, game: Game, actions: str, horizon: int) -> Expectation:
    """By counting back: with t attempts left, an action is refused and costs 1, or leads on."""
    errors: dict[Hashable, np.ndarray] = {}
    clears: dict[Hashable, np.ndarray] = {}
    for key in graph.ordered():
        node = graph.nodes[key]
        if not node.moves:
            errors[key], clears[key] = np.zeros(horizon + 1), np.full(horizon + 1, float(node.cleared))
            continue
        legal = node.moves / count_actions(game, actions, node.left)
        errors[key] = _count_back(legal, 1 - legal, _mean_after(node, errors))
        clears[key] = _count_back(legal, 0.0, _mean_after(node, clears))
    return Expectation(float(errors[graph.root][horizon]), float(clears[graph.root][horizon]))


def count_actions(game: Game, actions: str, left: int) -> int:
    return (game.geometry.cells if actions == "all" else left) * game.geometry.buckets


def _mean_after(node: Node, values: dict[Hashable, np.ndarray]) -> np.ndarray:
    total: np.ndarray = sum((count * values[key] for key, count in node.successors), np.zeros(1))
    return total / node.moves


def _count_back(legal: float, cost: float, after: np.ndarray) -> np.ndarray:
    """value[t] = cost + (1 - legal) value[t - 1] + legal after[t - 1], and 0 with no attempt left."""
    value = np.zeros_like(after)
    for left in range(1, len(after)):
        value[left] = cost + (1 - legal) * value[left - 1] + legal * after[left - 1]
    return value


def simulate(
    game: Game, board: Board, actions: str, horizon: int, chance: np.random.Generator
) -> Expectation:
    """One game: the wait for a legal action is geometric, and legal ones are equally likely."""
    state, left, errors = begin(game, board), horizon, 0
    while state.finish == Finish.PLAYING:
        legal = sorted(
            (number, bucket) for number, each in legal_buckets(game, state).items() for bucket in each
        )
        wait = int(chance.geometric(len(legal) / count_actions(game, actions, len(state.pieces))))
        errors += min(wait - 1, left)
        left -= wait
        if left < 0:
            break
        _, state = attempt(game, state, *legal[chance.integers(len(legal))])
    return Expectation(errors, float(state.finish == Finish.CLEARED))


def draw_boards(asked: BoardDraw, seed: int, count: int) -> list[Board]:
    """So many boards of a seed."""
    chance = NumpyChance(np.random.default_rng(seed))
    return [draw_board(asked, chance) for _ in range(count)]
