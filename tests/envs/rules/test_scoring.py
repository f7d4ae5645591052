"""Points for people, by hand."""

import pytest

from assay.envs.rules.scoring import Bonus, Multiplying, likelihood_of_move, round_half_up, score_episode
from assay.errors import AssayError


def test_the_score_is_halfway_at_two_errors():
    # smin 2, smax 10, b 1: no error 2 + 8 / (1 + e^-2) = 9.05, four errors 2 + 8 / (1 + e^2) = 2.95.
    assert [score_episode(errors, 2, 10, 1.0) for errors in (0, 2, 4, 10_000)] == [9, 6, 3, 2]


def test_halves_are_rounded_up():
    assert [round_half_up(each) for each in (0.5, 1.5, 2.4, -0.5)] == [1, 2, 2, 0]


def test_a_bonus_is_earned_by_a_row_of_quick_boards():
    bonus = Bonus(clear_how_many=2, clearing_threshold=1.3, bonus_extra_pts=15)
    assert bonus.allows(9, 12) and not bonus.allows(9, 13)  # 11.7, rounded up
    assert bonus.earns([(9, 12, True), (9, 9, True)]) == 15
    assert bonus.earns([(9, 12, True)]) == 0
    assert bonus.earns([(9, 12, True), (9, 13, True), (9, 9, True)]) == 0
    assert bonus.earns([(9, 9, True), (9, 9, False)]) == 0


def test_streaks_double_and_double_again():
    doubling = Multiplying(2, 4)
    assert [doubling.factor(r) for r in ([1], [1, 1], [1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1])] == [
        1,
        2,
        1,
        2,
        4,
    ]


def test_likelihoods_multiply():
    likelihood = Multiplying(10, 100, by_likelihood=True)
    assert likelihood.factor([4.0, 2.0]) == 1 and likelihood.factor([4.0, 4.0]) == 2
    assert likelihood.factor([4.0, 0, 4.0]) == 1 and likelihood.factor([10.0, 10.0]) == 4


def test_the_likelihood_of_a_move():
    # 9 pieces, 3 of them movable, 1 of 4 buckets open: a guess is right in 3 of 9 times 1 of 4 cases.
    assert likelihood_of_move(9, 3, 1) == 12.0
    with pytest.raises(AssayError, match="a movable piece"):
        likelihood_of_move(9, 0, 1)


def test_x4_does_not_come_before_x2():
    with pytest.raises(AssayError, match="x2 comes before x4"):
        Multiplying(20, 10)
