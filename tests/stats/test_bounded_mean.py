"""Scores of a known range: by hand, then that the bound holds where Student's t does not."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.bounded_mean import SIZES, Range, known_ends, refuses
from assay.stats.effect import effect_intervals, played
from assay.stats.intervals import METHODS, widen_to_range
from assay.stats.resampling import simultaneous
from assay.stats.unseen_share import units_to_hold


def generator(seed=0):
    return np.random.default_rng(seed)


def test_ten_wins_of_ten_by_clopper_and_pearson():
    low, high = known_ends(np.ones((10, 1)), Range(0, 1, two_valued=True), 0.05)
    assert (low[0], high[0]) == pytest.approx((0.025**0.1, 1.0))


def test_bets_on_units_that_agree():
    # Against a mean of 0.5, ten units of 1 multiply a bet of size b by (1 + b)^10; the sizes share the stake.
    won = np.mean((1 + SIZES) ** 10)
    assert refuses(np.ones((10, 1)), 0.5, 1 / won * 1.001)
    assert not refuses(np.ones((10, 1)), 0.5, 1 / won * 0.999)


def test_a_range_of_other_units_only_scales():
    values = generator(1).random((20, 3))
    low, high = known_ends(values, Range(0, 1), 0.05)
    other = known_ends(10 - 5 * values, Range(5, 10), 0.05)
    assert other[0] == pytest.approx(10 - 5 * high) and other[1] == pytest.approx(10 - 5 * low)


def test_a_score_outside_is_an_error():
    with pytest.raises(AssayError, match="2 lies outside the declared range from 0 to 1"):
        known_ends(np.array([[0.5], [2.0]]), Range(0, 1), 0.05)


@pytest.mark.parametrize("two_valued", [True, False])
def test_rare_failures_are_covered(two_valued):
    """95% of ten units win: six samples in ten show no failure, and Student's t has no width then."""
    rng, held = generator(3), 0
    for _ in range(300):
        wins = (rng.random((10, 1)) < 0.95).astype(float)
        found = simultaneous(wins, rng=rng, known=Range(0, 1, two_valued))
        held += found.low[0] <= 0.95 <= found.high[0]
    assert held >= 0.93 * 300


def test_other_peoples_methods_are_widened_to_the_bound():
    wins = np.ones(10)
    for name, method in METHODS.items():
        alone = method(wins, rng=generator(), coverage=0.95)
        assert alone.low == alone.high == 1.0, name
        wide = widen_to_range(alone, wins, Range(0, 1, two_valued=True), 0.95)
        assert (wide.low, wide.high) == pytest.approx((0.025**0.1, 1.0))
        assert widen_to_range(alone, wins, None, 0.95) == alone


def test_so_many_units_of_a_known_range_can_show_that_nothing_is_lost():
    """At the number that a plan gives, units that all agree reach the margin; with a few less they do not."""
    for columns, width in ((1, 1.0), (17, 1.0), (4, 1.6)):  # in multiples of the distance to random play
        needed = units_to_hold(0.1, columns, step=width, known=True)
        ends = []
        for units in (needed, needed - 1):
            scores = played(np.ones((units, columns)), np.ones(units), np.zeros(units))
            found = effect_intervals(scores, rng=np.random.default_rng(0), known=Range(1 - width, 1.0))
            ends.append(found.low.min())
        assert ends[0] > -0.1 >= ends[1]
