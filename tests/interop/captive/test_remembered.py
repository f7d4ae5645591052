"""What the server remembers changes no answer: it plays as the interpreter does, move by move."""

import random

import pytest

from assay.envs.rules.benchmark import RULES
from assay.envs.rules.board import COLORS, SHAPES, Board, Piece
from assay.envs.rules.codes import COUNTED, Finish
from assay.envs.rules.geometry import STANDARD
from assay.envs.rules.interpreter import Game, attempt, attempt_at, begin, legal_buckets, prepare
from assay.envs.rules.random_boards import BoardDraw, draw_board, make_chance
from assay.interop.captive import remembered
from assay.interop.captive.episode import Episode
from assay.interop.captive.remembered import remember, to_bits
from tests.envs.rules.random_rules import draw_sample
from tests.interop.captive.play import CLOCKWISE, open_on_board


def assert_same_state(game: Game, state, episode: Episode) -> None:
    legal = legal_buckets(game, state)
    assert episode.finish == state.finish and episode.attempts == state.attempts
    assert [piece.id for piece in episode.pieces] == [piece.id for piece in state.pieces]
    assert episode.open == [to_bits(legal[piece.id]) for piece in state.pieces]
    assert (episode.line, tuple(episode.counts)) == (state.line, state.atom_counts)
    assert episode.line_count == state.line_count and episode.history == state.history


def play_both(game: Game, lines, board: Board, moves) -> int:
    """Plays the moves with both engines, and says how many were accepted."""
    state, episode = begin(game, board), Episode(lines, board, game.geometry.buckets)
    assert_same_state(game, state, episode)
    for number, bucket in moves:
        code, after = attempt(game, state, number, bucket)
        if code in COUNTED:
            assert episode.attempt(episode.place_of_id(number), bucket) == code
        else:
            assert (
                state.finish != Finish.PLAYING
                or episode.place_of_id(number) is None
                or bucket >= episode.buckets
            )
        state = after
        assert_same_state(game, state, episode)
    return len(state.history)


def draw_moves(chance: random.Random, board: Board, buckets: int, count: int = 60):
    return [(chance.choice(board.pieces).id, chance.randrange(buckets)) for _ in range(count)]


def compare_on_random_rules(count: int, seed: int) -> int:
    chance, accepted = random.Random(seed), 0
    for _ in range(count):
        sample = draw_sample(chance)
        game = prepare(sample.rule, sample.geometry)
        lines = remember(game)
        accepted += play_both(game, lines, sample.board, sample.moves)
        # Once more with what is remembered, and on the same board in other cells.
        accepted += play_both(
            game, lines, sample.board, draw_moves(chance, sample.board, game.geometry.buckets)
        )
        shifted = tuple(
            Piece(piece.id, piece.shape, piece.color, game.geometry.cells + 1 - piece.cell, piece.properties)
            for piece in sample.board.pieces
        )
        board = Board(shifted)
        accepted += play_both(game, lines, board, draw_moves(chance, board, game.geometry.buckets))
    return accepted


def test_random_rules():
    assert compare_on_random_rules(300, seed=1) > 1000


@pytest.mark.slow
def test_many_random_rules():
    assert compare_on_random_rules(20_000, seed=2) > 60_000


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_benchmark_rules(rule):
    game = prepare(rule.parse())
    lines, chance, boards = remember(game), random.Random(3), make_chance(3)
    accepted = 0
    for _ in range(10):
        board = draw_board(BoardDraw(), boards)
        accepted += play_both(game, lines, board, draw_moves(chance, board, 4, 120))
    assert accepted > 10


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(remembered, "MOST_KINDS", 20)
    game = prepare(RULES[0].parse())
    lines, boards = remember(game), make_chance(4)
    for _ in range(50):
        board = draw_board(BoardDraw(), boards)
        play_both(game, lines, board, [(0, 0)])
    assert all(len(each) < 20 + 10 for line in lines for atom in line.atoms for each in atom.answers.values())


def test_replies_are_those_of_the_interpreter(tmp_path):
    """From the command to the line of JSON, by ids and by cells."""
    chance = random.Random(6)
    for turn in range(40):
        cells = chance.sample([(x, y) for x in range(1, 7) for y in range(1, 7)], 8)
        pieces = [(chance.choice(COLORS), chance.choice(SHAPES), x, y) for x, y in cells]
        rule = chance.choice([rule.text for rule in RULES] + [CLOCKWISE])
        session = open_on_board(tmp_path, rule, pieces)
        game = session.setup.game
        state = begin(game, session.episode.board)
        for _ in range(60):
            (x, y), bucket = chance.choice(cells), chance.randrange(4)
            across, up = STANDARD.bucket_places[bucket]
            number = cells.index((x, y))
            by_id = b"MOVE %d %d" % (number, bucket)
            by_cell = b"MOVE %d %d %d %d" % (y, x, up // 4, across // 4)
            if chance.random() < 0.5:
                code, state = attempt(game, state, number, bucket)
                reply = session.answer(by_id)
            else:
                code, state = attempt_at(game, state, STANDARD.cell_at(x, y), bucket)
                reply = session.answer(by_cell)
            status, _, line = reply.decode().splitlines()
            assert status == f"{int(code)} {int(state.finish)} {state.attempts}", (turn, rule)
            legal = legal_buckets(game, state)
            for piece in state.pieces:
                buckets = ",".join(map(str, sorted(legal[piece.id])))
                assert f'{{"id":{piece.id},' in line and f'"buckets":[{buckets}]' in line
            assert line.count('"buckets"') == len(state.pieces)
