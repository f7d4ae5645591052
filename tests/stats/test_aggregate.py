"""One number for many scores: worked by hand, then against scipy."""

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.stats.aggregate import Interval, iqm, mean, median, require_coverage, require_finite


def test_iqm_leaves_out_a_quarter_at_each_end():
    assert iqm(np.array([1, 2, 3, 4, 5, 6, 7, 8])) == (3 + 4 + 5 + 6) / 4
    assert iqm(np.array([-1000, 3, 4, 1000])) == 3.5


def test_iqm_gives_no_fraction_of_a_weight():
    assert iqm(np.arange(10.0)) == (2 + 3 + 4 + 5 + 6 + 7) / 6  # 10 // 4 = 2 out at each end, not 2.5
    assert iqm(np.array([1.0, 2.0, 6.0])) == 3.0


def test_iqm_takes_all_scores_of_all_tasks_together():
    scores = np.array([[0.0, 10.0], [1.0, 11.0], [2.0, 12.0], [3.0, 13.0]])
    assert iqm(scores) == (2 + 3 + 10 + 11) / 4


@pytest.mark.parametrize("count", range(1, 24))
def test_iqm_is_trim_mean(count):
    scores = np.random.default_rng(count).normal(size=count)
    assert iqm(scores) == pytest.approx(stats.trim_mean(scores, 0.25), abs=1e-14)


@pytest.mark.parametrize("statistic", [iqm, mean, median])
def test_axes_are_numpys(statistic):
    scores = np.random.default_rng(0).normal(size=(5, 7, 3))
    assert statistic(scores, axis=(-2, -1)) == pytest.approx([statistic(part) for part in scores])
    assert statistic(scores, axis=0).shape == (7, 3)
    assert statistic(scores, axis=0)[2, 1] == pytest.approx(statistic(scores[:, 2, 1]))


def test_mean_and_median_by_hand():
    assert mean(np.array([1, 2, 6])) == 3
    assert median(np.array([1, 2, 6])) == 2


def test_half_width():
    assert Interval(1.0, 0.5, 2.5).half_width == 1.0


def test_scores_without_a_number_are_an_error():
    with pytest.raises(AssayError, match="1 of 3 are not"):
        require_finite(np.array([1, np.nan, 2]), 1, "scores")
    with pytest.raises(AssayError, match="2 dimensions"):
        require_finite(np.array([1.0]), 2, "scores")
    with pytest.raises(AssayError, match="between 0 and 1"):
        require_coverage(95)
