"""Effects and their intervals: by hand, against the linear test, and how often they hold."""

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.stats.bounded_mean import Range
from assay.stats.distinct_episodes import distinct_pairs
from assay.stats.effect import effect_intervals, linear, played


def generator(seed=0):
    return np.random.default_rng(seed)


def test_a_ratio_of_means_by_hand():
    # Losses of 1 and 3 points, distances of 4 and 4: the effect is -2 / 4.
    scores = played(np.array([[3.0], [1.0]]), np.array([4.0, 4.0]), np.array([0.0, 0.0]))
    found = effect_intervals(scores, rng=generator())
    half = stats.t.isf(0.025, 1) / 4  # standard error 1, over a distance that is certain
    assert (found.value[0], found.low[0], found.high[0]) == pytest.approx((-0.5, -0.5 - half, -0.5 + half))


def test_an_interval_is_what_the_linear_test_does_not_refuse():
    rng = generator(1)
    plain, random = rng.normal(10, 1, 8), rng.normal(0, 1, 8)
    scores = played((plain - rng.normal(3, 1, 8))[:, None], plain, random)
    found = effect_intervals(scores, rng=generator())
    reaches = []
    for end in (found.low[0], found.high[0]):
        contrast = (scores.loss - end * scores.distance)[:, 0]
        reaches.append(contrast.mean() / stats.sem(contrast))
    # At both ends varied - (1 - m) plain - m random, m = -end, lies a critical value from 0, or farther.
    assert reaches[0] >= stats.t.isf(0.025, 7) and reaches[1] <= -stats.t.isf(0.025, 7)


def test_no_distance_has_no_ends():
    rng = generator(2)
    plain, random = rng.normal(0.5, 3, 6), rng.normal(0, 3, 6)
    random -= random.mean() - plain.mean() + 0.1
    found = effect_intervals(played(rng.normal(0, 1, (6, 1)), plain, random), rng=generator())
    assert (found.low[0], found.high[0]) == (-np.inf, np.inf)


def test_below_random_play_there_is_no_effect():
    with pytest.raises(AssayError, match="nothing to lose"):
        effect_intervals(played(np.zeros((3, 1)), np.zeros(3), np.ones(3)), rng=generator())


def test_random_play_of_other_units_adds_its_error():
    rng = generator(3)
    plain = rng.normal(10, 0.1, 10)
    varied = (plain - 10 + rng.normal(0, 0.1, 10))[:, None]
    narrow = effect_intervals(played(varied, plain, np.zeros(40)), rng=generator())
    wide = effect_intervals(played(varied, plain, rng.normal(0, 5, 40)), rng=generator())
    assert np.ptp([wide.low[0], wide.high[0]]) > 5 * np.ptp([narrow.low[0], narrow.high[0]])


def test_play_that_falls_to_random_or_below_is_covered():
    """The error of random play is in the interval: without it 85% and 11% were covered, of 30 units."""
    rng, sets = generator(4), 200
    for effect in (-1.0, -4 / 3):
        held = 0
        for _ in range(sets):
            plain, random = rng.normal(10, 0.5, 30), rng.normal(0, 3, 30)
            varied = rng.normal(10 + 10 * effect, 0.5, 30)[:, None]
            found = effect_intervals(played(varied, plain, random), rng=rng)
            held += found.low[0] <= effect <= found.high[0]
        assert held >= 0.93 * sets


def test_a_known_range_holds_for_effects_too():
    rng, held, sets = generator(5), 0, 100
    for _ in range(sets):
        plain, random, varied = ((rng.random(30) < p).astype(float) for p in (0.9, 0.1, 0.8))
        found = effect_intervals(played(varied[:, None], plain, random), rng=rng, known=Range(0, 1))
        held += found.low[0] <= -0.125 <= found.high[0]
    assert held >= 0.95 * sets


def test_the_mean_of_linear_values_is_the_effect():
    rng = generator(6)
    scores = played(rng.normal(5, 1, (10, 3)), rng.normal(10, 1, 10), rng.normal(0, 1, 10))
    found = effect_intervals(scores, rng=generator())
    assert linear(scores).mean(axis=0) == pytest.approx(found.value)


class TestDistinct:
    def test_pairs_that_are_all_one_are_one_unit(self):
        assert list(distinct_pairs(["a"] * 4, ["x"] * 4)) == [True, False, False, False]
        assert list(distinct_pairs(["a"], ["x"])) == [True]

    def test_where_chance_is_at_work_pairs_that_came_out_alike_are_draws_like_any_other(self):
        # The plain task plays one episode; the axis fails it once in five. Counted once each, "x" and "y"
        # would make that a half.
        assert distinct_pairs(["a"] * 5, ["x", "x", "y", "x", "x"]).all()
        assert distinct_pairs(["a", "b", "a"], ["x", "x", "x"]).all()

    def test_without_digests_all_differ(self):
        assert distinct_pairs([None] * 3, [None] * 3).all()
        assert distinct_pairs(["a", "a"], [None, "x"]).all()
