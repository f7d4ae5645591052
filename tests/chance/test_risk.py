"""The mean of the worst episodes."""

import numpy as np
import pytest

from assay.chance.risk import SHARES, tail_mean, tail_means
from assay.errors import AssayError, WrongLevel


def test_the_worst_are_averaged_and_the_last_counts_by_its_fraction():
    returns = np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    assert tail_mean(returns, 0.4) == pytest.approx(1.5)
    # A quarter of five episodes is the worst one and a quarter of the next.
    assert tail_mean(returns, 0.25) == pytest.approx((1 + 0.25 * 2) / 1.25)
    assert tail_mean(returns, 1.0) == pytest.approx(returns.mean())


def test_a_normal_s_tail_has_its_closed_form():
    """The mean of a standard normal's worst quarter is -density(quantile) / 0.25."""
    returns = np.random.default_rng(0).normal(size=200_000)
    quantile = -0.6744897501960817
    assert tail_mean(returns, 0.25) == pytest.approx(
        -np.exp(-(quantile**2) / 2) / np.sqrt(2 * np.pi) / 0.25, abs=0.01
    )


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    rng, held = np.random.default_rng(1), 0
    for _ in range(60):
        tail = tail_means(rng.random(400), (0.25,), rng=rng)[0]
        held += tail.low <= 0.125 <= tail.high
    assert 50 <= held <= 60


def test_three_shares_at_once():
    tails = tail_means(np.random.default_rng(0).normal(size=100), rng=np.random.default_rng(1))
    assert [tail.share for tail in tails] == list(SHARES)
    assert tails[0].value < tails[1].value < tails[2].value
    assert all(tail.low <= tail.value <= tail.high for tail in tails)


def test_agents_are_resampled_whole():
    """Where agents differ and their episodes do not, only resampling agents shows the spread."""
    returns = np.repeat(np.arange(10.0), 20)
    apart = tail_means(returns, (0.25,), rng=np.random.default_rng(0))[0]
    whole = tail_means(returns, (0.25,), rng=np.random.default_rng(0), groups=np.repeat(np.arange(10), 20))[0]
    assert whole.value == apart.value
    assert whole.high - whole.low > 2 * (apart.high - apart.low)


def test_too_few_episodes_are_refused():
    with pytest.raises(AssayError, match="worst 5% of 99 episodes are too few to average; play at least 100"):
        tail_means(np.zeros(99), rng=np.random.default_rng(0))
    with pytest.raises(WrongLevel, match="above 0"):
        tail_means(np.zeros(99), (0.0,), rng=np.random.default_rng(0))
    with pytest.raises(AssayError, match="finite"):
        tail_means(np.full(100, np.nan), rng=np.random.default_rng(0))
    with pytest.raises(AssayError, match="at least two"):
        tail_means(np.zeros(100), rng=np.random.default_rng(0), groups=np.zeros(100, int))
