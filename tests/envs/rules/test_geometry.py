"""Cells, buckets, and which are near; by hand."""

import pytest

from assay.envs.rules.geometry import STANDARD, Geometry
from assay.errors import AssayError


def test_cells_are_numbered_from_the_bottom_left():
    corners = [STANDARD.cell_at(x, y) for x, y in ((1, 1), (6, 1), (1, 6), (6, 6))]
    assert corners == [1, 6, 31, 36]
    assert (STANDARD.column_of(32), STANDARD.row_of(32)) == (2, 6)


def test_four_buckets_stand_in_the_corners():
    assert [(x / 4, y / 4) for x, y in STANDARD.bucket_places] == [(0, 7), (7, 7), (7, 0), (0, 0)]
    assert [(x / 4, y / 4) for x, y in Geometry(3, 5, 4).bucket_places] == [(0, 6), (4, 6), (4, 0), (0, 0)]


def test_other_numbers_stand_at_equal_distances_around_the_board():
    # The ring around 3 by 3 cells is 16 long: 8 buckets stand 2 apart.
    places = [(x / 8, y / 8) for x, y in Geometry(3, 3, 8).bucket_places]
    assert places == [(0, 4), (2, 4), (4, 4), (4, 2), (4, 0), (2, 0), (0, 0), (0, 2)]
    # 3 buckets on a ring of 24 around 5 by 5 cells: 8 apart.
    assert [(x / 3, y / 3) for x, y in Geometry(5, 5, 3).bucket_places] == [(0, 6), (6, 4), (2, 0)]


def test_quadrants():
    assert [sorted(STANDARD.nearest[cell - 1]) for cell in (31, 22, 21, 15, 16, 1)] == [
        [0], [1], [0], [3], [2], [3],
    ]  # fmt: skip
    for near, far in zip(STANDARD.nearest, STANDARD.remotest):
        assert {(each + 2) % 4 for each in near} == far and len(near) == 1


def test_middle_lines_tie_on_odd_boards():
    board = Geometry(5, 5, 4)
    assert board.nearest[board.cell_at(3, 3) - 1] == {0, 1, 2, 3}
    assert board.nearest[board.cell_at(3, 5) - 1] == {0, 1} and board.remotest[board.cell_at(3, 5) - 1] == {
        2,
        3,
    }


@pytest.mark.parametrize("size", [(0, 6, 4), (6, 65, 4), (6, 6, 0), (6, 6, 33), (6.0, 6, 4), (True, 6, 4)])
def test_sizes_that_cannot_be_are_refused(size):
    with pytest.raises(AssayError, match="a board takes"):
        Geometry(*size)
