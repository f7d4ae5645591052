"""Whose loss it is: by hand, then by coverage."""

import numpy as np
import pytest
from scipy import stats

from assay.stats.losses import loss

DROPS = np.array([0.3, 0.4, 0.5])  # mean 0.4, standard error 0.1 / root 3 = 0.0577


def test_the_optimum_falls_as_far():
    found = loss(DROPS, 0.36)
    assert found.share.value == pytest.approx(0.9)
    assert found.word == "the task"


def test_the_optimum_does_not_fall():
    found = loss(DROPS, 0.0)
    assert found == ((0.0, 0.0, 0.0), "the agent", True)


@pytest.mark.parametrize("task, word", [(2.0, "the task"), (1.9, "both"), (1.1, "both"), (1.0, "the agent")])
def test_thirds_belong_to_the_outer_words(task, word):
    assert loss(np.array([2.9, 3.0, 3.1]), task).word == word


def test_shares_are_clipped():
    assert loss(DROPS, 0.8).share.value == 1.0  # the agent lost less than the optimum did
    assert loss(DROPS, -0.2).share == (0.0, 0.0, 0.0)  # the retrained agent gained


def test_without_a_loss_there_is_nothing_to_share():
    found = loss(-DROPS, 0.1)
    assert found.word == "no loss"
    assert np.isnan(found.share.value)


def test_interval_of_a_fixed_optimum_by_hand():
    # 0.1 / (0.4 +- t(2) 0.0577): t(2) = 4.3027, so the ends are 0.1 / 0.6484 and 0.1 / 0.1516.
    found = loss(DROPS, 0.1)
    assert found.share == pytest.approx((0.25, 0.1542, 0.6597), abs=2e-4)
    assert not found.sure


def test_retrained_agents_that_follow_the_frozen_ones_leave_no_doubt():
    found = loss(DROPS, DROPS / 2)
    assert found == (pytest.approx((0.5, 0.5, 0.5)), "both", True)


@pytest.mark.parametrize("total", [np.array([0.4]), np.array([0.4, 0.4]), np.array([-0.5, 0.1, 0.9])])
def test_unknown_spread_or_a_total_that_may_be_nil_leaves_all_open(total):
    assert loss(total, 0.1).share[1:] == (0.0, 1.0)


def test_fieller_covers():
    # 2,000 data sets, true coverage 95%: outside 93.1 to 96.9% by chance once in 10,000 fresh seeds.
    rng, hits = np.random.default_rng(0), 0
    for _ in range(2000):
        plain = rng.normal(1, 0.05, 10)
        total, task = plain - rng.normal(0.5, 0.1, 10), plain - rng.normal(0.8, 0.08, 10)
        hits += loss(total, task).share.low <= 0.4 <= loss(total, task).share.high
    assert 0.931 < hits / 2000 < 0.969


def test_retrained_agents_may_be_of_another_number():
    rng, hits = np.random.default_rng(1), 0
    for _ in range(500):
        found = loss(rng.normal(0.5, 0.1, 10), rng.normal(0.2, 0.1, 6))
        hits += found.share.low <= 0.4 <= found.share.high
    assert stats.binom.cdf(hits, 500, 0.95) > 1e-4


def test_units_that_all_agree_are_sure_as_far_as_rare_deviations_allow():
    total, task = np.full(10, 50.0), np.full(10, 50.0)
    assert not loss(total, task).sure
    found = loss(total, task, step=5.0)
    # Deviations of 5 that ten units would rarely show move the mean by 5 * ln(20) / 10 = 1.5 of 50.
    assert found.sure and found.word == "the task"
    assert found.share.low == pytest.approx(50 / (50 + 5 * np.log(20) / 10), rel=1e-6)
    assert not loss(np.full(2, 1.0), np.full(2, 0.5), step=5.0).sure
