"""The band of a median, against resamples made one by one."""

import numpy as np

from assay.stats.median_band import median_band


def test_it_is_what_resampling_runs_one_by_one_gives():
    rng = np.random.default_rng(0)
    for runs in (6, 7):
        curves = rng.integers(0, 20, (runs, 3)).astype(float)
        band = median_band(curves, rng=np.random.default_rng(1), draws=20_000)
        picks = np.random.default_rng(2).integers(runs, size=(20_000, runs))
        slow = np.quantile(np.median(curves[picks], axis=1), [0.025, 0.975], axis=0)
        np.testing.assert_array_equal(band.median, np.median(curves, axis=0))
        assert np.abs(np.stack([band.low, band.high]) - slow).max() <= 1.0  # steps of a half, at the ends


def test_runs_that_are_alike_have_no_band():
    band = median_band(np.ones((5, 2)), rng=np.random.default_rng(0), draws=100)
    assert (band.low == 1).all() and (band.high == 1).all()


def test_the_band_of_few_runs_is_their_range():
    band = median_band(np.array([[1.0, 5.0], [4.0, 2.0], [3.0, 9.0]]), rng=np.random.default_rng(0))
    assert band.median.tolist() == [3, 5] and band.low.tolist() == [1, 2] and band.high.tolist() == [4, 9]
