"""Intervals: worked by hand, then against scipy, then by their coverage.

The coverage tests are seeded, so they do not flicker. With a fresh seed each would fail by chance at most
once in 10,000 times if the intervals only just kept the promise that is tested, and far more seldom as they
are.
"""

import time

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.stats.aggregate import iqm, mean, median
from assay.stats.resampling import bootstrap, bootstrap_t, expanded_tail, simultaneous

ALARM = 1e-4  # chance that a coverage test fails though its promise holds


def generator(seed=0):
    return np.random.default_rng(seed)


class TestByHand:
    def test_two_seeds_resample_to_three_means(self):
        # 0 and 1 give the means 0, 1/2, 1/2, 1: each end has a chance of a quarter, far above the tail.
        found = bootstrap(np.array([[0.0], [1.0]]), mean, rng=generator(), expand=False)
        assert found == (0.5, 0.0, 1.0)

    def test_seeds_are_resampled_within_their_task(self):
        scores = np.tile([1.0, 2.0, 3.0], (5, 1))  # tasks differ, seeds agree: nothing to resample
        assert bootstrap(scores, mean, rng=generator()) == (2.0, 2.0, 2.0)

    def test_two_units_fall_back_on_students_t(self):
        # Mean 1, standard error 1, and t(1) = 12.7; two units show no skewness.
        found = bootstrap_t(np.array([0.0, 2.0]), rng=generator())
        assert found == pytest.approx((1.0, 1 - 12.7062, 1 + 12.7062), abs=1e-4)

    def test_one_rare_unit_among_ten(self):
        # Nine 0, one -1: standard error 1/10, t(9) = 2.2622, of ten units 6% more. The skewness, -8/3, is all
        # that ten units can show: the rare unit is in the spread already.
        found = bootstrap_t(np.array([0.0] * 9 + [-1.0]), rng=generator())
        assert found == pytest.approx((-0.1, -0.1 - 0.2398, -0.1 + 0.2398), abs=1e-4)

    def test_a_longer_side(self):
        # The skewness of these five is 0.97049, of at most 1.5.
        values = np.array([0.0, 0, 1, 2, 5])
        found = bootstrap_t(values, rng=generator())
        error, t = stats.sem(values), stats.t.isf(0.025, 4)
        base = t * (1 + 6 / 25)
        noise = np.sqrt(6 * 3 / (6 * 8))
        shown = 9 * (0.97049 - 0.6 * noise) * (1 - (0.97049 / 1.5) ** 3)
        assert found.low == pytest.approx(1.6 - base * error)
        assert found.high == pytest.approx(
            1.6 + (base + shown * (1 + 2 * t**2) / (6 * np.sqrt(5))) * error, rel=1e-3
        )

    def test_units_that_agree_are_bounded_by_the_rule_of_three(self):
        found = bootstrap_t(np.full(10, 0.3), rng=generator(), step=0.1)
        half = 0.1 * np.log(20) / 10  # about 3 / n steps
        assert found == pytest.approx((0.3, 0.3 - half, 0.3 + half))

    def test_the_rule_of_three_shares_its_error_over_columns(self):
        found = simultaneous(np.zeros((10, 50)), rng=generator(), step=0.1)
        assert found.high == pytest.approx(0.1 * np.log(50 / 0.05) / 10)

    def test_units_that_agree_without_a_step_say_nothing(self):
        found = bootstrap_t(np.full(10, 0.1 + 0.2), rng=generator())
        assert found == (pytest.approx(0.3), -np.inf, np.inf)

    def test_one_unit_says_nothing(self):
        assert bootstrap(np.array([[0.5, 0.7]]), mean, rng=generator()) == (0.6, -np.inf, np.inf)
        assert bootstrap_t(np.array([0.7]), rng=generator(), step=0.1) == (0.7, -np.inf, np.inf)

    def test_few_units_pay_for_their_columns(self):
        found = simultaneous(generator().normal(size=(4, 20)), rng=generator())
        assert found.critical == pytest.approx(stats.t.isf(0.025 / 20, 3))

    def test_expanded_tail_of_twenty_seeds(self):
        # t(19) is 2.093; times the root of 20 / 19 it is 2.1474, beyond which lie 1.588% of the normal.
        assert expanded_tail(0.95, 20, 19) == pytest.approx(0.01588, abs=1e-5)


class TestTies:
    def test_few_scores_that_tie_have_no_known_ends(self):
        assert bootstrap(np.ones((10, 1)), iqm, rng=generator()) == (1.0, -np.inf, np.inf)

    def test_many_scores_that_tie_leave_less_than_a_quarter_unseen(self):
        assert bootstrap(np.ones((20, 1)), iqm, rng=generator()) == (1.0, 1.0, 1.0)

    def test_one_other_score_shows_how_low_the_unseen_may_lie(self):
        # Of 18 scores one is 0; up to 27.29% could be, by Clopper and Pearson.
        scores = np.array([0.0] + [1.0] * 17)[:, None]
        found = bootstrap(scores, iqm, rng=generator())
        assert found == pytest.approx((1.0, 1 - (0.27294 - 0.25) / 0.5, 1.0), abs=1e-4)


class TestManners:
    def test_same_generator_same_interval(self):
        scores = generator(1).normal(size=(10, 3))
        assert bootstrap(scores, iqm, rng=generator(5)) == bootstrap(scores, iqm, rng=generator(5))
        assert bootstrap_t(scores[:, 0], rng=generator(5)) == bootstrap_t(scores[:, 0], rng=generator(5))

    def test_scale_and_shift_go_through(self):
        effects = generator(1).normal(size=(10, 4))
        plain = simultaneous(effects, rng=generator(2))
        moved = simultaneous(5 - 3 * effects, rng=generator(2))
        assert moved.low == pytest.approx(5 - 3 * plain.high)
        assert moved.critical == pytest.approx(plain.critical)

    def test_one_column_is_bootstrap_t(self):
        values = generator(1).normal(size=12)
        together = simultaneous(values[:, None], rng=generator(2))
        assert together.interval(0) == bootstrap_t(values, rng=generator(2))

    def test_columns_that_move_together_cost_little(self):
        column = generator(1).normal(size=(12, 1))
        copies = simultaneous(np.tile(column, 50), rng=generator(2))
        apart = simultaneous(generator(3).normal(size=(12, 50)), rng=generator(2))
        # Student's alone is 2.20; fifty columns without Bonferroni's correction, 4.44, would be as one.
        assert 2.2 < copies.critical < 3.3
        assert apart.critical > 1.3 * copies.critical

    def test_a_column_whose_units_agree_widens_no_other(self):
        effects = generator(1).normal(size=(12, 5))
        wider = np.hstack([effects, np.zeros((12, 3))])
        alone, beside = (simultaneous(x, rng=generator(2), step=1e-6) for x in (effects, wider))
        assert beside.critical == pytest.approx(alone.critical)

    @pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((0, 2)), np.array([[np.nan]])])
    def test_what_cannot_be_used_is_an_error(self, wrong):
        with pytest.raises(AssayError):
            simultaneous(wrong, rng=generator())
        with pytest.raises(AssayError):
            bootstrap(wrong, iqm, rng=generator())
        with pytest.raises(AssayError, match="step"):
            simultaneous(np.zeros((3, 2)), rng=generator(), step=-1)

    def test_a_whole_run_takes_well_under_a_second(self):
        effects = generator(1).normal(size=(10, 60))
        begun = time.perf_counter()
        simultaneous(effects, rng=generator(2), draws=4000)
        assert time.perf_counter() - begun < 1  # 0.02 s on an idle core


class TestAgainstScipy:
    @pytest.mark.parametrize(
        "ours, theirs", [(mean, np.mean), (median, np.median), (iqm, lambda x, axis: iqm(x, axis))]
    )
    def test_percentile(self, ours, theirs):
        scores = generator(1).gamma(2, size=30)
        found = bootstrap(scores[:, None], ours, rng=generator(2), draws=8000, expand=False)
        peer = stats.bootstrap(
            (scores,), theirs, method="percentile", n_resamples=8000, rng=generator(3)
        ).confidence_interval
        assert (found.low, found.high) == pytest.approx(tuple(peer), abs=0.05 * found.half_width)

    def test_bca_of_many_units_is_bootstrap_t(self):
        scores = generator(1).gamma(4, size=400)
        found = bootstrap_t(scores, rng=generator(2), draws=8000)
        peer = stats.bootstrap(
            (scores,), np.mean, method="BCa", n_resamples=8000, rng=generator(3)
        ).confidence_interval
        assert (found.low, found.high) == pytest.approx(tuple(peer), abs=0.1 * found.half_width)

    def test_students_interval_as_units_grow(self):
        for units, near in ((20, 0.2), (100, 0.1), (1000, 0.05)):
            values = generator(units).normal(size=units)
            found = bootstrap_t(values, rng=generator(2), draws=8000)
            half = stats.t.isf(0.025, units - 1) * stats.sem(values)
            assert half * (1 - 1e-9) <= found.half_width <= half * (1 + near)


def normal(rng):
    return rng.normal(0.9, 0.1, 20)


def skewed(rng):
    """Good runs, and 15% near zero."""
    return np.where(rng.random(20) < 0.15, np.abs(rng.normal(0, 0.03, 20)), rng.normal(0.9, 0.05, 20))


def tied(rng):
    return rng.binomial(10, 0.95, 20) / 10


def tied_in_pairs(rng):
    return rng.binomial(10, 0.92, 20) / 10 - rng.binomial(10, 0.97, 20) / 10


def nearly_always_ten(rng):
    return rng.binomial(10, 0.99, 20) / 10


SKEWED_MEAN = 0.85 * 0.9 + 0.15 * 0.03 * np.sqrt(2 / np.pi)


class TestCoverage:
    @pytest.mark.parametrize(
        "draw, step, truth, promise",
        [
            (normal, 0.0, 0.9, 0.95),
            (skewed, 0.0, SKEWED_MEAN, 0.92),
            (tied, 0.1, 0.95, 0.92),
            (tied_in_pairs, 0.1, -0.05, 0.92),
            (nearly_always_ten, 0.1, 0.99, 0.92),
        ],
    )
    def test_mean(self, draw, step, truth, promise):
        rng, sets = generator(7), 1000
        found = [bootstrap_t(draw(rng), rng=rng, draws=500, step=step) for _ in range(sets)]
        hits = sum(each.low - 1e-9 <= truth <= each.high + 1e-9 for each in found)
        assert stats.binom.cdf(hits, sets, promise) > ALARM
        if draw is normal:
            assert stats.binom.sf(hits - 1, sets, 0.97) > ALARM

    @pytest.mark.parametrize(
        "draw, truth, promise", [(normal, 0.9, 0.95), (skewed, 0.8875, 0.92), (tied, 0.96973, 0.92)]
    )
    def test_iqm(self, draw, truth, promise):
        rng, sets = generator(8), 1000
        found = [bootstrap(draw(rng)[:, None], iqm, rng=rng, draws=500) for _ in range(sets)]
        hits = sum(each.low - 1e-9 <= truth <= each.high + 1e-9 for each in found)
        assert stats.binom.cdf(hits, sets, promise) > ALARM
        if draw is normal:
            assert stats.binom.sf(hits - 1, sets, 0.97) > ALARM

    @pytest.mark.parametrize("units", [3, 6, 10, 20])
    def test_many_columns_together(self, units):
        rng, sets = generator(9), 300
        hits = 0
        for _ in range(sets):
            shared = rng.normal(size=(units, 1))
            found = simultaneous(0.6 * shared + 0.8 * rng.normal(size=(units, 55)), rng=rng, draws=500)
            hits += ((found.low <= 0) & (found.high >= 0)).all()
        assert stats.binom.cdf(hits, sets, 0.95) > ALARM
