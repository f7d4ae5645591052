"""Rank correlations: by hand, against scipy, and the chances that the paper's five levels allow."""

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.stats.rank import (
    FEWEST_UNITS,
    correlation,
    share_of_orders,
    spearman,
    spearman_of_pairs,
    warn_of_few,
)


def test_by_hand():
    # Ranks 1 2 3 4 5 against 2 1 3 5 4: rho = 1 - 6 * (1 + 1 + 0 + 1 + 1) / (5 * 24) = 0.8.
    assert correlation(np.array([1, 2, 3, 4, 5]), np.array([20, 10, 30, 50, 40])) == pytest.approx(0.8)
    assert correlation(np.array([1, 1, 1]), np.array([1, 2, 3])) == 0.0


def test_against_scipy_with_ties():
    a, b = np.array([1.0, 2, 2, 3, 5, 4]), np.array([2.0, 2, 1, 4, 4, 9])
    assert correlation(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)


@pytest.mark.parametrize(("order", "share"), [((0, 1, 2, 3, 4), 2 / 120), ((1, 0, 2, 4, 3), 16 / 120)])
def test_chances_are_shares_of_all_orders(order, share):
    a, b = np.arange(5.0), np.array(order, float)
    listed = share_of_orders(a, b, correlation(a, b), np.random.default_rng(0))
    assert listed == pytest.approx(share)


def test_seeds_that_agree_leave_no_doubt_and_others_do():
    levels = np.array([5.0, 4, 3, 2, 1])
    rng = np.random.default_rng(0)
    sure = spearman(np.tile(levels, (10, 1)), np.tile(2 * levels, (5, 1)), rng=rng)
    assert tuple(sure.rho) == pytest.approx((1.0, 1.0, 1.0)) and sure.chance == pytest.approx(2 / 120)
    noisy = levels + rng.normal(scale=3.0, size=(10, 5))
    found = spearman(noisy, np.tile(levels, (5, 1)), rng=rng)
    assert found.rho.low < found.rho.value <= found.rho.high <= 1


def test_intervals_over_few_units_are_said_not_to_be_calibrated():
    assert warn_of_few(3, "seed") == "an interval over 3 seeds is not calibrated and may be far too narrow"
    assert warn_of_few(FEWEST_UNITS, "seed") == ""


def test_other_levels_are_refused():
    with pytest.raises(AssayError, match="the same levels on both sides, at least 3: 5 and 4"):
        spearman(np.zeros((3, 5)), np.zeros((3, 4)), rng=np.random.default_rng(0))


def test_pairs_of_the_same_units_are_resampled_together():
    # Unit by unit both sides are the same numbers, so that every resample ranks them alike.
    rng = np.random.default_rng(0)
    some = rng.normal(size=(8, 6))
    ranked = spearman_of_pairs(some, some + 100, rng=rng)
    assert ranked.rho == (1.0, 1.0, 1.0) and ranked.chance == pytest.approx(2 / 720)
    assert spearman(some, some + 100, rng=rng).rho.low < 1  # of units that are not paired


def test_a_single_unit_says_nothing_of_the_correlation_s_spread():
    ranked = spearman_of_pairs(np.array([[1.0, 2, 3]]), np.array([[3.0, 1, 2]]), rng=np.random.default_rng(0))
    assert ranked.rho == (pytest.approx(-0.5), -1.0, 1.0)


def test_pairs_of_other_shapes_are_refused():
    with pytest.raises(AssayError, match="the same units and items"):
        spearman_of_pairs(np.ones((3, 4)), np.ones((2, 4)), rng=np.random.default_rng(0))
