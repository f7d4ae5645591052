"""The mean of the worst episodes, and how often its interval holds."""

import math

import numpy as np
import pytest

from assay.chance.risk import SHARES, tail_mean, tail_means
from assay.chance.tail_bounds import lower_bound, upper_bound, watched
from assay.errors import AssayError, WrongLevel

LAWS = {  # draws, and the limits that are known of them
    "normal": (lambda rng, many: rng.normal(size=many), (-math.inf, math.inf)),
    "-lognormal": (lambda rng, many: -np.exp(rng.normal(size=many)), (-math.inf, 0.0)),
    "fails with 3%": (lambda rng, many: (rng.random(many) > 0.03).astype(float), (0.0, 1.0)),
    "capped": (lambda rng, many: np.minimum(500.0, rng.geometric(0.004, many)), (0.0, 500.0)),
}


def test_the_worst_are_averaged_and_the_last_counts_by_its_fraction():
    returns = np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    assert tail_mean(returns, 0.4) == pytest.approx(1.5)
    # A quarter of five episodes is the worst one and a quarter of the next.
    assert tail_mean(returns, 0.25) == pytest.approx((1 + 0.25 * 2) / 1.25)
    assert tail_mean(returns, 1.0) == pytest.approx(returns.mean())


@pytest.mark.parametrize("share", [1.5, 0.0, -0.1, math.nan])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(WrongLevel, match="above 0 and up to 1"):
        tail_mean([1, 2, 3, 4, 5, 6], share)


def test_a_normal_s_tail_has_its_closed_form():
    """The mean of a standard normal's worst quarter is -density(quantile) / 0.25."""
    returns = np.random.default_rng(0).normal(size=200_000)
    quantile = -0.6744897501960817
    assert tail_mean(returns, 0.25) == pytest.approx(
        -np.exp(-(quantile**2) / 2) / np.sqrt(2 * np.pi) / 0.25, abs=0.01
    )


@pytest.mark.parametrize("episodes", [100, 400])
@pytest.mark.parametrize("law", LAWS)
def test_intervals_hold_for_every_law(law, episodes):
    """95% intervals: 6 misses of 100 are possible by chance, 14 to 28, as resampling has them, are not."""
    draw, limits = LAWS[law]
    rng = np.random.default_rng(1)
    many = np.sort(draw(rng, 1_000_000))
    truth = [tail_mean(many, share) for share in SHARES]
    held = np.zeros(len(SHARES))
    for _ in range(100):
        tails = tail_means(draw(rng, episodes), limits=limits)
        held += [tail.low - 1e-9 <= true <= tail.high + 1e-9 for tail, true in zip(tails, truth)]
    assert (held >= 94).all(), held


def test_the_first_of_n_draws_bounds_what_its_chance_says():
    """With one draw in the band, its share is above 1 - (1 - error) ** (1 / n) with the chance 1 - error."""
    share = 1 - 0.975 ** (1 / 50)
    upper = upper_bound(np.arange(50.0), share / 10, 0.025)
    assert upper < 10 and lower_bound(np.arange(50.0), share, 0.025, -1.0) == pytest.approx(-1.0)


def test_no_failure_seen_is_not_no_failure():
    """Of 100 episodes without a failure, one in thirty may still fail: the tail of 5% is not sure to be 1."""
    (tail,) = tail_means(np.ones(100), (0.05,), limits=(0.0, 1.0))
    assert tail.value == 1 and tail.low < 0.5 and tail.high == 1
    (open_,) = tail_means(np.ones(100), (0.05,))
    assert open_.low == -math.inf and open_.high == 1


def test_large_samples_are_watched_at_few_draws():
    places = watched(100_000)
    assert places[0] == 1 and places[-1] == 100_000 and len(places) < 200 and (np.diff(places) > 0).all()


def test_three_shares_at_once():
    tails = tail_means(np.random.default_rng(0).normal(size=100))
    assert [tail.share for tail in tails] == list(SHARES)
    assert tails[0].value < tails[1].value < tails[2].value
    assert all(tail.low <= tail.value <= tail.high for tail in tails)


class TestSeveralAgents:
    def test_where_agents_differ_the_interval_is_over_agents(self):
        returns = np.repeat(np.arange(10.0), 20)
        (apart,) = tail_means(returns, (0.25,))
        (whole,) = tail_means(returns, (0.25,), groups=np.repeat(np.arange(10), 20))
        assert whole.value == apart.value and whole.high > apart.high

    def test_upper_ends_hold_over_agents(self):
        """Agents of levels of their own: the tail of all of them is bounded by ten of them."""
        rng = np.random.default_rng(2)
        many = (rng.normal(size=(20_000, 1)) + rng.normal(size=(20_000, 50))).ravel()
        truth = [tail_mean(many, share) for share in SHARES]
        groups, held = np.repeat(np.arange(10), 20), np.zeros(len(SHARES))
        for _ in range(100):
            returns = (rng.normal(size=(10, 1)) + rng.normal(size=(10, 20))).ravel()
            tails = tail_means(returns, groups=groups)
            held += [tail.low <= true <= tail.high for tail, true in zip(tails, truth)]
        assert (held >= 94).all(), held

    @pytest.mark.parametrize("fails", [0.03, 0.08])
    def test_upper_ends_hold_where_few_agents_fail_rarely(self, fails):
        """Five agents that each fail in few episodes: Student's alone missed up to 13% of these tails."""
        rng = np.random.default_rng(3)

        def play(many):
            return (rng.random(many) >= fails) + rng.normal(0, 0.05, many)

        large = play(1_000_000)
        truth = [tail_mean(large, share) for share in SHARES]
        groups, held = np.repeat(np.arange(5), 60), np.zeros(len(SHARES))
        for _ in range(100):
            held += [tail.high >= true for tail, true in zip(tail_means(play(300), groups=groups), truth)]
        assert (held >= 96).all(), held

    def test_fewer_than_five_agents_have_no_upper_end(self):
        returns = np.random.default_rng(0).normal(size=120)
        for agents, ends in ((4, False), (5, True)):
            (tail,) = tail_means(returns, (0.25,), groups=np.repeat(np.arange(agents), 120 // agents))
            assert math.isfinite(tail.high) == ends

    def test_agents_that_are_alike_show_nothing_of_others(self):
        (tail,) = tail_means(np.ones(100), (0.25,), groups=np.repeat(np.arange(5), 20), limits=(0.0, 2.0))
        assert (tail.low, tail.value, tail.high) == (0.0, 1.0, 2.0)


def test_what_has_no_tail_is_refused():
    with pytest.raises(AssayError, match="worst 5% of 99 episodes are too few to average; play at least 100"):
        tail_means(np.zeros(99))
    with pytest.raises(WrongLevel, match="above 0"):
        tail_means(np.zeros(99), (0.0,))
    with pytest.raises(AssayError, match="finite"):
        tail_means(np.full(100, np.nan))
    with pytest.raises(AssayError, match="at least two"):
        tail_means(np.zeros(100), groups=np.zeros(100, int))
    with pytest.raises(AssayError, match="outside their limits"):
        tail_means(np.full(100, 2.0), limits=(0.0, 1.0))


def test_what_is_no_share_and_no_return_is_named():
    for share in ("a", True, None):
        with pytest.raises(WrongLevel, match="a tail is a share"):
            tail_mean([1.0, 2.0], share)
    with pytest.raises(AssayError, match="one of these is nan"):
        tail_means(np.array([1.0, math.nan] * 50))
    with pytest.raises(AssayError, match="returns are numbers"):
        tail_mean(["x"], 0.5)
