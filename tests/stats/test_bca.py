"""BCa intervals against scipy's, and the share of the error that each bar of several has."""

import numpy as np
import pytest
from scipy import stats

from assay.stats.bca import bca, shared_coverage


@pytest.mark.parametrize("seeds", [20, 100])
def test_it_agrees_with_scipy(seeds):
    values = np.random.default_rng(1).gamma(2.0, size=seeds)
    ours = bca(values, rng=np.random.default_rng(0))
    theirs = stats.bootstrap((values,), np.mean, method="BCa", random_state=np.random.default_rng(1))
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.value == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.05 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.05 * width)


def test_the_skewed_side_reaches_farther():
    values = np.random.default_rng(1).gamma(0.5, size=50)
    found = bca(values, rng=np.random.default_rng(0))
    assert found.high - found.value > found.value - found.low > 0


def test_one_unit_says_nothing_and_equal_ones_are_one_number():
    assert bca(np.array([3.0]), rng=np.random.default_rng(0)) == (3.0, -np.inf, np.inf)
    assert bca(np.full(5, 3.0), rng=np.random.default_rng(0)) == (3.0, 3.0, 3.0)


def test_five_bars_share_the_error_of_ten_pairs():
    assert shared_coverage(5) == pytest.approx(1 - 0.05 / 10)
    assert shared_coverage(1) == pytest.approx(0.95)
