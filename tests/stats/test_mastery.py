"""Mastery by hand."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.mastery import Mastery, attempts_before_streak, cumulate, find_mastery


def test_errors_add_up():
    np.testing.assert_array_equal(cumulate([[3, 0, 2], [0, 0, 1]]), [[3, 3, 5], [0, 0, 1]])


def test_the_first_streak_counts_and_later_errors_do_not():
    errors = np.array([4, 0, 1, 0, 0, 0, 7, 0])
    assert find_mastery(errors, np.ones(8, bool), streak=3) == Mastery(True, 5, 5.0, True)


def test_an_episode_that_was_not_cleared_breaks_a_streak():
    cleared = np.array([True, True, False, True, True])
    assert find_mastery(np.zeros(5), cleared, streak=3) == Mastery(False, None, 0.0, False)


def test_a_run_that_never_mastered_its_rule_has_all_its_errors_and_is_rising():
    assert find_mastery(np.array([3, 2, 1]), np.ones(3, bool), streak=2) == Mastery(False, None, 6.0, True)


def test_people_are_measured_by_moves():
    assert attempts_before_streak([0, 1, 1, 0, 1, 1, 1], streak=3) == 4
    assert attempts_before_streak([1, 1, 1], streak=3) == 0
    assert attempts_before_streak([1, 0] * 50, streak=2) == 300


@pytest.mark.parametrize("missing", [np.nan, None])
def test_a_missing_move_is_refused(missing):
    with pytest.raises(AssayError, match="good moves are true or false"):
        attempts_before_streak(np.array([1, missing, 1]), streak=2)


@pytest.mark.parametrize(
    "errors, cleared, streak",
    [
        ([1, -1], [1, 1], 2),
        ([1, np.nan], [1, 1], 2),
        ([1, 0], [1, np.nan], 2),
        ([1, 0], [True, None], 2),
        ([1, None], [1, 1], 2),
        ([1], [1, 1], 2),
        ([], [], 2),
        ([1], [1], 0),
    ],
)
def test_what_is_no_run_is_refused(errors, cleared, streak):
    with pytest.raises(AssayError):
        find_mastery(np.array(errors), np.array(cleared), streak)
