"""The share of a score above random play that is kept."""

import numpy as np
import pytest
from scipy import stats

from assay.stats.kept_share import kept_share

RANDOM = np.array([1.0, 1.0, 1.0, 1.0])


def share(varied, plain, random=RANDOM, seed=0):
    arrays = (np.array(each, float) for each in (varied, plain, random))
    return kept_share(*arrays, rng=np.random.default_rng(seed))


def test_half_by_hand():
    # (3 - 1) / (5 - 1), and no seed differs from another.
    assert share([3, 3, 3], [5, 5, 5]) == (0.5, -np.inf, np.inf)
    assert share([3] * 10, [5] * 10) == (0.5, 0.5, 0.5)
    assert share([0, 0], [5, 5]).value == -0.25  # below random play


def test_few_seeds_have_fiellers_interval():
    kept = share([2, 3, 4], [5, 5, 5])  # nothing but `varied` varies, so it is Student's, divided by 4
    half = stats.t.ppf(0.975, 2) / np.sqrt(3) / 4
    assert kept == pytest.approx((0.5, 0.5 - half, 0.5 + half))


def test_few_seeds_are_covered():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(1000):
        plain = 10 + rng.normal(size=3)
        kept = share(plain / 2 + rng.normal(size=3), plain, rng.normal(size=50))
        held += kept is not None and kept.low <= 0.5 <= kept.high
    assert 930 <= held <= 975


def test_the_error_of_random_play_counts():
    sure, unsure = share([3] * 10, [5] * 10), share([3] * 10, [5] * 10, [0, 2, 0, 2])
    assert sure.value == unsure.value and unsure.low < 0.5 < unsure.high


def test_there_is_no_scale_where_plain_play_is_like_random_play():
    assert share([3, 3], [1, 1]) is None
    assert share([3, 3], [0, 5]) is None  # one resample of two is not above


def test_one_seed_has_no_ends():
    assert share([3], [5]) == (0.5, -np.inf, np.inf)
