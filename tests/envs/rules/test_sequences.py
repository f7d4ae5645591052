"""Boards of a folder in each order, and without end."""

import json
from itertools import islice

import pytest

from assay.envs.rules.random_boards import BoardDraw, make_chance
from assay.envs.rules.sequences import draw_boards, order_boards, read_folder, read_names
from assay.errors import AssayError


@pytest.fixture
def folder(tmp_path):
    for name, x in (("b", 1), ("a", 2), ("c", 3)):
        piece = {"id": 0, "color": "red", "shape": "star", "x": x, "y": 1}
        (tmp_path / f"{name}.json").write_text(json.dumps({"value": [piece]}))
    return tmp_path


def names(boards, count: int) -> list[str]:
    return [board.name for board in islice(boards, count)]


def test_alpha_goes_by_file_names_and_begins_again(folder):
    assert names(order_boards(read_folder(folder), "alpha", make_chance(1)), 5) == ["a", "b", "c", "a", "b"]


def test_a_list_names_boards_with_or_without_their_ending(folder):
    listed = read_names("#comment\nc.json\n\na,further\n")
    assert listed == ("c.json", "a")
    assert names(order_boards(read_folder(folder), listed, make_chance(1)), 3) == ["c", "a", "c"]


def test_random_is_a_new_permutation_in_each_pass(folder):
    drawn = names(order_boards(read_folder(folder), "random", make_chance(3)), 60)
    passes = [tuple(drawn[i : i + 3]) for i in range(0, 60, 3)]
    assert all(sorted(each) == ["a", "b", "c"] for each in passes) and len(set(passes)) > 2


def test_random_boards_have_no_end():
    assert len({board.pieces for board in islice(draw_boards(BoardDraw(), make_chance(1)), 20)}) == 20


@pytest.mark.parametrize("order, says", [("sideways", "random, alpha or a list"), (["x"], "no board 'x'")])
def test_orders_that_are_refused(folder, order, says):
    with pytest.raises(AssayError, match=says):
        order_boards(read_folder(folder), order, make_chance(1))


def test_a_folder_without_boards_is_refused(tmp_path):
    with pytest.raises(AssayError, match="holds no board"):
        read_folder(tmp_path)
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    with pytest.raises(AssayError, match="no text in UTF-8"):
        read_folder(tmp_path)
