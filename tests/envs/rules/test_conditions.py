"""Boards for training and for tests, divided by a condition file."""

import pytest
from playing import board

from assay.envs.rules.conditions import draw_on_side, read_condition
from assay.envs.rules.random_boards import BoardDraw, make_chance
from assay.errors import AssayError


@pytest.mark.parametrize(
    "text, pieces, test",
    [
        ("(color:red)", "blue star 1, red star 2", True),
        ("(color:red)", "blue star 1", False),
        ("(color:red) (shape:star)", "blue star 1, red circle 2", False),  # one piece must meet both
        ("(color:red) (shape:star)", "red star 1", True),
        ("(color:red)\n(shape:star)", "blue star 1", True),  # any line
        ("(color:red, bucket:0) (shape:star, bucket:1)", "red star 1", False),  # no bucket for both
        ("(bucket:p)", "red star 1", False),  # nothing is remembered
        ("(pos:T)", "red star 1", True),
    ],
)
def test_sides(text, pieces, test):
    condition = read_condition(text)
    assert condition.fits(board(pieces), "test") is test
    assert condition.fits(board(pieces), "train") is not test


def test_drawn_boards_are_on_their_side():
    condition, chance = read_condition("(color:red, shape:star)"), make_chance(1)
    for side in ("train", "test"):
        for _ in range(20):
            assert condition.fits(draw_on_side(BoardDraw(), chance, condition, side), side)


def test_a_condition_on_cells_is_kept_by_the_draw():
    # 27 of 36 cells are forbidden: trying would almost never find 9 pieces in the other 9.
    condition = read_condition(f"(pos:[{', '.join(map(str, range(1, 28)))}])")
    drawn = draw_on_side(BoardDraw(), make_chance(1), condition, "train")
    assert [piece.cell for piece in drawn.pieces] == list(range(28, 37))
    with pytest.raises(AssayError, match="leaves 9 cells for training, too few for 10"):
        draw_on_side(BoardDraw((10, 10)), make_chance(1), condition, "train")


def test_a_condition_that_no_board_meets_is_refused():
    with pytest.raises(AssayError, match="none of 1000 random boards is one for test"):
        draw_on_side(BoardDraw(), make_chance(1), read_condition("(color:green)"), "test")


def test_there_are_two_sides():
    with pytest.raises(AssayError, match="not 'both'"):
        draw_on_side(BoardDraw(), make_chance(1), read_condition("()"), "both")
