"""References of rules: by hand where the chain is short, and against simulation attempt by attempt."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from assay.cli.main import app
from assay.envs.rules.benchmark import find_rule
from assay.envs.rules.blind_play import FIRST, READING, STAYS, TURNS, BlindPlayer, best_blind, play_blindly
from assay.envs.rules.board import Board, Piece
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.game_graph import asked_features, explore
from assay.envs.rules.interpreter import attempt_at, begin, prepare
from assay.envs.rules.language.parse import parse
from assay.envs.rules.player_references import find_references, judge_oracle
from assay.envs.rules.random_boards import BoardDraw
from assay.envs.rules.random_play import (
    EXACT,
    PER_BOARD,
    draw_boards,
    expect,
    explore_boards,
    random_play,
    simulate,
)

NINE = BoardDraw()


def exact(name, actions, horizon=100, asked=NINE):
    game = prepare(find_rule(name).parse())
    play = random_play(game, explore_boards(game, asked, ()), actions, horizon)
    assert play.errors.how == EXACT
    return play


def play_attempt_by_attempt(game, board, actions, horizon, chance):
    """A random player by the book: an action is drawn for every attempt."""
    state, errors = begin(game, board), 0
    for _ in range(horizon):
        if state.finish != Finish.PLAYING:
            break
        cells = range(1, 37) if actions == "all" else [piece.cell for piece in state.pieces]
        code, state = attempt_at(game, state, int(chance.choice(cells)), int(chance.integers(4)))
        errors += code != Response.ACCEPT
    return errors


@pytest.mark.parametrize(
    "name, errors",
    [("shape_match", 9 * 3), ("quadrant_nearby", 9 * 3), ("b23_then_b01", 9), ("b3_then_b1", 27),
     ("clockwise", 8 * 3)],
)  # fmt: skip
def test_occupied_cells_without_a_horizon_by_hand(name, errors):
    # A legal action with chance p is preceded by (1 - p) / p refused ones: 3 of them for one bucket in four.
    play = exact(name, "occupied", horizon=3000)
    assert play.errors.value == pytest.approx(errors) and play.cleared.value == pytest.approx(1)


def test_all_cells_by_hand():
    # One piece, one bucket of four: an action is legal with chance 1 / 144; two attempts.
    asked = BoardDraw(objects=(1, 1), shapes=(1, 1), colors=(1, 1))
    play = exact("shape_match", "all", 2, asked)
    refused = 143 / 144
    assert play.errors.value == pytest.approx(refused + refused**2)
    assert play.cleared.value == pytest.approx(1 - refused**2)


def test_a_range_of_pieces_is_averaged():
    asked = BoardDraw(objects=(4, 6))
    assert exact("shape_match", "occupied", 3000, asked).errors.value == pytest.approx(5 * 3)


@pytest.mark.parametrize(
    "name, asked",
    [("clockwise", ()), ("first_lap_any_direction", ()), ("shape_match", ("shape",)),
     ("color_finds_bucket", ("color",)), ("position_A", ("pos",)), ("colOrd_nearby", ("color", "pos"))],
)  # fmt: skip
def test_what_a_rule_asks_of_pieces(name, asked):
    assert asked_features(find_rule(name).parse()) == asked


def test_pieces_of_one_class_are_merged():
    game = prepare(find_rule("clockwise").parse())
    board = draw_boards(NINE, 1, 1)[0]
    # The start, after each of 4 buckets with 8 to 1 pieces left, and the end.
    assert len(explore(game, board).nodes) == 1 + 8 * 4 + 1


@pytest.mark.parametrize("actions", ["all", "occupied"])
@pytest.mark.parametrize(
    "name",
    ["clockwise", "b3_then_b1", "first_lap_any_direction", "alternate_sides_free", "colOrd_nearby",
     "col1Ord_BRKY", "alternateShape2Bucket_color2Bucket", "red_then_blue"],
)  # fmt: skip
def test_expectations_agree_with_games_played_attempt_by_attempt(name, actions):
    game = prepare(find_rule(name).parse())
    asked = BoardDraw(objects=(5, 5), shapes=(2, 2), colors=(3, 3))
    board, chance = draw_boards(asked, 3, 1)[0], np.random.default_rng(0)
    wanted = expect(explore(game, board), game, actions, 40)
    games = [play_attempt_by_attempt(game, board, actions, 40, chance) for _ in range(400)]
    waits = [simulate(game, board, actions, 40, chance) for _ in range(400)]
    for sample in (games, [each.errors for each in waits]):
        assert abs(np.mean(sample) - wanted.errors) < 4.5 * np.std(sample) / 20 + 1e-9
    cleared = np.mean([each.cleared for each in waits])
    assert abs(cleared - wanted.cleared) < 4.5 * np.sqrt(wanted.cleared * (1 - wanted.cleared)) / 20 + 1e-9


def test_rules_that_ask_for_features_have_a_value_on_each_board():
    game = prepare(find_rule("colOrd_RBYK").parse())
    play = random_play(game, explore_boards(game, NINE, draw_boards(NINE, 1, 10)), "occupied", 100)
    assert play.errors.how == PER_BOARD and len(play.errors.by_board) == 10
    assert min(play.errors.by_board) < play.errors.value < max(play.errors.by_board)


class TestOracle:
    def judge(self, text, horizon=100, asked=NINE):
        game = prepare(parse(text))
        return judge_oracle(
            game, asked, horizon, explore_boards(game, asked, draw_boards(asked, 1, 5))
        ).clears

    def test_it_clears_where_some_piece_can_always_be_moved(self):
        assert self.judge("(*,*,*,*,p)\n(*,*,*,*,0)").value == 1

    def test_it_cannot_clear_colours_that_the_rule_leaves_out(self):
        assert self.judge("(*,*,red,*,1)\n(*,*,blue,*,2)").value == 0

    def test_it_needs_as_many_attempts_as_pieces(self):
        assert self.judge("(bucket:0)", horizon=8).value == 0

    def test_it_avoids_a_stalemate_where_it_can(self):
        # After bucket 1 nothing is accepted any more; bucket 0 clears.
        text = "(bucket:[0,1], code:!p) (bucket:0, code:p==0)"
        assert self.judge(text).value == 1


class TestBlind:
    BOARD = Board((Piece(0, "STAR", "RED", 31), Piece(1, "STAR", "RED", 32), Piece(2, "STAR", "RED", 1)))

    def play(self, rule, player, horizon=100):
        return play_blindly(prepare(parse(rule)), self.BOARD, player, horizon)

    def test_cells_in_reading_order_by_hand(self):
        # Cells 31 and 32 come first; cell 1 is the 31st in reading order, so 28 empty cells come before it.
        assert self.play("(bucket:0)", BlindPlayer("all", READING, TURNS, (0,))) == (28, True)
        assert self.play("(bucket:0)", BlindPlayer("all", READING, TURNS, (0,)), 10) == (8, False)

    def test_buckets_at_each_cell_by_hand(self):
        # 31 takes 0, then 1 is asked of the empty cell, and so on: 2 x 30 + 1 attempts, 3 of them accepted.
        assert self.play("(bucket:0)", BlindPlayer("all", READING, STAYS, (0, 1))) == (58, True)

    def test_the_first_piece_that_is_left(self):
        # Buckets 0, 1, 0, 1, 0: every second attempt is refused.
        assert self.play("(bucket:0)", BlindPlayer("occupied", READING, FIRST, (0, 1))) == (2, True)

    def test_the_search_finds_the_sequence_of_a_rule_without_features(self):
        game = prepare(find_rule("clockwise").parse())
        boards = draw_boards(BoardDraw(objects=(4, 4)), 1, 8)
        best = best_blind(game, "occupied", 50, boards[:4], boards[4:])
        assert best.errors.value == 0 and best.cleared.value == 1 and "[0, 1, 2, 3]" in best.player


def test_the_command():
    words = ["rules", "references", "b23_then_b01", "--boards", "2", "--pieces", "4", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert (
        found["random"][1]["errors"]["value"] == pytest.approx(4) and found["oracle"]["clears"]["value"] == 1
    )
    told = CliRunner().invoke(app, words[:-1]).stdout
    assert "b23_then_b01  occupied  4.00" in told


def references(*words):
    words = ["rules", "references", "--pieces", "3", "--horizon", "20", "--json", *map(str, words)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    (found,) = json.loads(done.stdout)
    return found


def test_intervals_over_few_boards_are_wide_and_possible():
    found = references("colOrd_RBYK", "--boards", 2)
    for play in (*found["random"], *found["blind"]):
        for name, most in (("errors", 20), ("cleared", 1)):
            each = play[name]
            assert 0 <= each["low"] <= each["value"] <= each["high"] <= most and each["boards"] == 2
            # Two boards leave nearly everything open, however alike they are.
            assert each["high"] - each["low"] > 0.8 * most


def test_a_single_board_has_no_interval():
    errors = references("colOrd_RBYK", "--boards", 1)["random"][0]["errors"]
    assert errors["boards"] == 1 and errors["low"] is None and errors["high"] is None
    words = ["rules", "references", "colOrd_RBYK", "--pieces", "3", "--boards", "1"]
    assert "(one board, no interval)" in CliRunner().invoke(app, words).stdout


def test_a_property_that_no_piece_has_is_refused(tmp_path):
    (tmp_path / "prop.txt").write_text("(weight:heavy, bucket:0)\n")
    done = CliRunner().invoke(app, ["rules", "references", str(tmp_path / "prop.txt"), "--boards", "2"])
    assert done.exit_code == 2 and "no piece has the property weight" in " ".join(done.stderr.split())


def test_other_boards_give_other_estimates_and_the_same_ones_the_same():
    rule = find_rule("colOrd_RBYK").parse()
    asked = BoardDraw(objects=(6, 6))
    one, same, other = (find_references(rule, "r", asked=asked, boards=3, seed=seed) for seed in (1, 1, 2))
    assert one == same and one.random[0].errors != other.random[0].errors


def test_a_property_that_pieces_have_is_taken():
    asked = BoardDraw(objects=(2, 2), kinds=((("weight", "heavy"),), (("weight", "light"),)))
    rule = parse("(weight:heavy, bucket:0)\n(weight:light, bucket:1)")
    found = find_references(rule, "r", asked=asked, boards=2, horizon=10)
    assert found.random[1].errors.value > 0
