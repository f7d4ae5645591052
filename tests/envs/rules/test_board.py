"""Boards as JSON, and their refusals."""

import json

import pytest

from assay.envs.rules.board import BadBoard, Board, Piece, board_from_json, board_from_text, board_to_json
from assay.envs.rules.geometry import Geometry

PLAIN = {"id": 0, "color": "red", "shape": "Star", "x": 2, "y": 6}


def document(*pieces: dict) -> dict:
    return {"value": list(pieces)}


def test_a_board_is_read():
    text = json.dumps({"id": "7", "name": "mine", "value": [PLAIN, {**PLAIN, "id": "3", "x": "1", "y": 1}]})
    assert board_from_text(text) == Board(
        (Piece(0, "STAR", "RED", 32), Piece(3, "STAR", "RED", 1)), "mine", 7
    )


def test_a_board_is_written_as_it_is_read():
    board = Board((Piece(0, "STAR", "RED", 32), Piece(4, "", "", 1, (("size", 3), ("image", "a.png")))))
    written = board_to_json(board)
    assert written["value"][0] == {"id": 0, "color": "RED", "shape": "STAR", "x": 2, "y": 6}
    assert list(written["value"][0]) == ["id", "color", "shape", "x", "y"]
    assert board_from_json(written) == board


def test_what_engines_add_for_readers_is_left_out():
    assert board_from_json(document({**PLAIN, "buckets": [0], "label": "A"})).pieces[0].properties == ()


def test_crowded_boards_share_cells():
    twice = document(PLAIN, {**PLAIN, "id": 1})
    assert board_from_json(twice, crowded=True).is_crowded
    with pytest.raises(BadBoard, match="piece 1 of the board shares cell 32"):
        board_from_json(twice)


def test_other_sizes():
    assert board_from_json(document({**PLAIN, "y": 2}), Geometry(3, 2, 4)).pieces[0].cell == 5


@pytest.mark.parametrize(
    "changed, says",
    [
        ({"id": -1}, "-1 twice or below 0"),
        ({"id": 10**18}, "ids have up to 18 digits"),
        ({"id": "x"}, "'x' for the id"),
        ({"id": None}, "None for the id"),
        ({"x": 7}, "outside the 6 by 6 cells"),
        ({"y": 0}, "outside the 6 by 6 cells"),
        ({"x": 1.5}, "1.5 for x"),
        ({"x": True}, "True for x"),
        ({"shape": 3}, "3 for its shape"),
        ({"shape": ""}, "no shape or no color"),
        ({"size": 1.5}, "neither a whole number nor a text"),
    ],
)
def test_a_wrong_piece_is_refused(changed, says):
    with pytest.raises(BadBoard, match=says):
        board_from_json(document({**PLAIN, **changed}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"value": 3}', '{"value": [3]}', '{"value": []}', "[" * 9999]
)
def test_what_is_no_board_is_refused(text):
    with pytest.raises(BadBoard):
        board_from_text(text)


def test_ids_are_one_of_a_kind():
    with pytest.raises(BadBoard, match="id 0 twice"):
        board_from_json(document(PLAIN, {**PLAIN, "x": 1}))
