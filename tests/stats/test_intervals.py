"""Other people's intervals of a mean."""

import numpy as np
import pytest
from scipy import stats

from assay.stats.intervals import METHODS, percentile, student

VALUES = np.array([3.0, 5.0, 4.0, 9.0, 6.0, 5.5, 7.0, 4.5])


def test_student_is_scipys():
    found = student(VALUES, rng=np.random.default_rng(0), coverage=0.9)
    ends = stats.t.interval(0.9, 7, VALUES.mean(), stats.sem(VALUES))
    assert found == pytest.approx((VALUES.mean(), *ends))


def test_percentile_holds_the_mean_and_grows_with_coverage():
    narrow, wide = (percentile(VALUES, rng=np.random.default_rng(0), coverage=c) for c in (0.5, 0.99))
    assert wide.low < narrow.low < VALUES.mean() < narrow.high < wide.high


@pytest.mark.parametrize("method", METHODS)
def test_one_unit_says_nothing_of_others(method):
    found = METHODS[method](np.array([4.0]), rng=np.random.default_rng(0))
    assert found == (4.0, -np.inf, np.inf)
