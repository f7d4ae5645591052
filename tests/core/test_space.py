"""Spaces by hand: their zeros, units and when two are one."""

import numpy as np
import pytest

from assay.core.space import Box, Discrete, Opaque, count_of, require_numbers


def test_discrete_counts_from_its_start():
    assert (Discrete(3).shape, Discrete(3).zero) == ((), 0)
    assert Discrete(3, start=-1).zero == -1
    assert Discrete((2, 3)).shape == (2,)


@pytest.mark.parametrize("low, high, zero", [(-1, 1, 0), (2, 5, 2), (-5, -2, -2), (-np.inf, np.inf, 0)])
def test_the_zero_of_a_box_is_the_number_next_to_it(low, high, zero):
    assert Box(low, high).zero == zero and Box(low, high).zero.dtype == np.float32


def test_the_zero_of_a_box_with_bounds_of_its_own_is_entry_by_entry():
    assert Box(np.array([1.0, -1.0]), np.array([2.0, 1.0]), (2,)).zero.tolist() == [1.0, 0.0]


def test_a_bound_beyond_a_million_is_none():
    assert Box(-10, 10).bounded and not Box(-10, np.inf).bounded and not Box(-1e6, 1).bounded
    assert not Box(np.array([0.0, -np.inf]), 1.0, (2,)).bounded


def test_a_unit_is_half_the_range_or_one():
    assert Box(-10, 10).unit == 10 and Box(0, 255, dtype="uint8").unit == 127.5
    assert Box(0, np.inf).unit == 1
    found = Box(np.array([0.0, -np.inf]), np.array([4.0, 3.0]), (2,)).unit
    assert found.tolist() == [2.0, 1.0] and found.dtype == np.float32


def test_boxes_are_equal_by_value_whether_bounds_are_numbers_or_arrays():
    assert Box(0, 1, (2,)) == Box(0.0, 1.0, (2,))
    assert Box(np.zeros(2), 1, (2,)) == Box(np.zeros(2), 1, (2,))
    for other in (Box(0, 2, (2,)), Box(0, 1, (3,)), Box(0, 1, (2,), "float64"), Discrete(2)):
        assert Box(0, 1, (2,)) != other


def test_what_no_channel_can_act_on_says_what_it_is():
    assert Opaque("Dict") == Opaque("Dict") != Opaque("Text") and Opaque("Dict").shape == ()


def test_only_one_whole_number_has_a_count_and_only_opaque_spaces_hold_no_numbers():
    assert count_of(Discrete(3)) == 3
    for space in (Discrete((2, 3)), Box(0, 1)):
        assert require_numbers(space) is space
        with pytest.raises(AssertionError, match="of another kind"):
            count_of(space)
    with pytest.raises(AssertionError, match="Text"):
        require_numbers(Opaque("Text"))
