"""Losses between two tasks and standard errors, by hand."""

import math

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.gap import mean_and_error, relative_loss


def test_the_mean_and_its_standard_error_by_hand():
    # Deviations -2, 0, 2: sample variance 8 / 2 = 4, so the error is 2 / sqrt(3).
    assert mean_and_error(np.array([1.0, 3.0, 5.0])) == (3.0, pytest.approx(2 / math.sqrt(3)))


def test_one_value_has_no_error_to_tell():
    mean, error = mean_and_error(np.array([7.0]))
    assert mean == 7.0 and math.isnan(error)


def test_a_loss_is_that_of_the_means_not_the_mean_of_losses():
    before, after = np.array([100.0, 300.0]), np.array([50.0, 50.0])
    # (200 - 50) / 200; the mean of 50% and 83% would be 67%.
    assert relative_loss(before, after).mean() == pytest.approx(75.0)


def test_a_seed_with_nothing_before_does_no_harm():
    assert relative_loss(np.array([0.0, 200.0]), np.array([0.0, 100.0])).mean() == pytest.approx(50.0)


def test_a_gain_is_a_loss_below_nothing():
    assert relative_loss(np.array([10.0, 10.0]), np.array([11.0, 13.0])).mean() == pytest.approx(-20.0)


def test_losses_that_are_the_same_share_everywhere_have_no_spread():
    assert np.ptp(relative_loss(np.array([10.0, 20.0, 40.0]), np.array([5.0, 10.0, 20.0]))) < 1e-12


def test_the_spread_of_the_values_is_that_of_the_ratio():
    # Against the spread of the ratio over many samples of ten seeds.
    rng = np.random.default_rng(0)
    before = rng.normal(400, 40, (4000, 10))
    after = 0.5 * before + rng.normal(0, 30, (4000, 10))
    ratios = [100 * (1 - b.mean() / a.mean()) for a, b in zip(before, after)]
    errors = [mean_and_error(relative_loss(a, b)).error for a, b in zip(before, after)]
    assert np.mean(errors) == pytest.approx(np.std(ratios), rel=0.05)


def test_nothing_to_lose_is_no_loss():
    assert relative_loss(np.array([0.0, 0.0]), np.array([1.0, 2.0])) is None
    assert relative_loss(np.array([-5.0, 1.0]), np.array([1.0, 2.0])) is None


def test_what_is_not_finite_is_refused():
    with pytest.raises(AssayError, match="before must be finite"):
        relative_loss(np.array([1.0, np.nan]), np.array([1.0, 2.0]))
