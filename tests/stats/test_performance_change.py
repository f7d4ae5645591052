"""Performance change: hand-computed cases, what is undefined, and how often intervals hold the truth."""

import math

import numpy as np
import pytest

from assay.stats.kept_share import fieller
from assay.stats.performance_change import (
    Scores,
    Told,
    change_of_means,
    ends_around,
    is_told_from_random,
    performance_change,
)


def scores(agent, random):
    return Scores(np.array(agent, float), np.array(random, float))


def test_the_change_is_that_of_the_margins_over_random_play():
    # Margins: 11 - 1 = 10 on the original, 8 - 2 = 6 on the variation; (6 - 10) / 10.
    change = performance_change(scores([7, 8, 9, 8], [2, 2]), scores([10, 11, 12, 11], [1, 1]))
    assert change.value == pytest.approx(-0.4)
    assert change.low < -0.4 < change.high


def test_below_random_play_a_rise_is_still_a_rise():
    # Margins -10 and -5: the agent gains half of what it lacked, and |Mo - Ro| keeps the sign.
    change = performance_change(scores([5, 4, 6, 5], [10, 10]), scores([0, 1, -1, 0], [10, 10]))
    assert change.value == pytest.approx(0.5)
    assert change.low < 0.5 < change.high


def test_without_random_errors_it_is_fiellers_interval_or_a_little_wider():
    rng = np.random.default_rng(1)
    plain = rng.normal(10, 2, 8)
    varied = 0.5 * plain + rng.normal(0, 1, 8)
    change = performance_change(scores(varied, [0, 0]), scores(plain, [0, 0]))
    other = fieller(varied, plain, np.zeros(2), 0.95)
    assert change.value == pytest.approx(other.value - 1)
    assert change.low <= other.low - 1 + 1e-9 and other.high - 1 - 1e-9 <= change.high
    assert change.high - change.low < 2.2 * (other.high - other.low)


def test_random_play_that_is_not_told_from_the_agent_leaves_no_scale():
    assert performance_change(scores([5, 6, 7], [0, 1]), scores([1, -1, 0.5], [0, 1, 0.3])) is None


def test_the_errors_of_random_play_count():
    rng = np.random.default_rng(2)
    plain, varied = rng.normal(10, 1, 30), rng.normal(8, 1, 30)
    sure = performance_change(scores(varied, np.zeros(40)), scores(plain, np.zeros(40)))
    noise = rng.normal(0, 10, (2, 40))
    noise -= noise.mean(axis=1, keepdims=True)
    unsure = performance_change(scores(varied, noise[0]), scores(plain, noise[1]))
    assert unsure.value == pytest.approx(sure.value)
    assert unsure.high - unsure.low > 1.5 * (sure.high - sure.low)


def test_a_control_that_plays_the_same_episodes_has_the_width_of_what_goes_unseen():
    same = np.random.default_rng(3).normal(50, 10, 30)
    change = performance_change(scores(same, [0, 1, 2]), scores(same, [0, 1, 2]))
    assert change.value == 0
    assert (change.low, change.high) == pytest.approx((-math.log(20) / 30, math.log(20) / 30))


def test_episodes_that_all_score_nothing_are_not_proof_of_nothing():
    plain = np.random.default_rng(4).normal(100, 5, 30)
    change = performance_change(scores(np.zeros(30), [0, 0]), scores(plain, [1, 1]))
    assert change.low <= change.value - math.log(20) / 30
    assert change.high >= change.value + math.log(20) / 30


def test_one_unit_has_no_interval():
    change = performance_change(scores([5], [0, 1]), scores([10], [0, 1]))
    assert change.value < 0 and change.low == -math.inf and change.high == math.inf


def test_few_noisy_seeds_decide_nothing():
    change = performance_change(scores([2, 9, 4], [0, 0]), scores([30, 20, 26], [0, 0]))
    assert change.low < -1 and change.high > -0.5


def test_an_agent_is_told_from_random_play_on_either_side():
    assert is_told_from_random(scores([5, 6, 5, 6], [0, 1, 0, 1]))
    assert is_told_from_random(scores([-5, -6, -5, -6], [0, 1, 0, 1]))
    assert not is_told_from_random(scores([0, 1, 2, -1], [0, 1, 0, 1]))


def test_ends_that_nothing_refutes_are_infinite():
    assert ends_around(1.0, lambda value: False) == (-math.inf, math.inf)
    low, high = ends_around(1.0, lambda value: abs(value) > 3)
    assert (low, high) == pytest.approx((-3, 3))


def test_published_means_without_errors_give_the_plain_ratio():
    change = change_of_means(Told(7, 0), Told(21, 0), Told(0, 0), Told(1, 0))
    assert change == pytest.approx((7 / 20 - 1,) * 3, abs=1e-6)


def test_a_published_mean_within_the_error_of_random_play_has_no_change():
    assert change_of_means(Told(7, 1), Told(2, 1), Told(0, 0), Told(1, 1)) is None


@pytest.mark.parametrize("kind", ["normal", "skewed"])
def test_intervals_hold_the_truth(kind):
    """Planted changes of -50%, ten episodes: at least 95% of intervals should hold them, less noise."""
    rng, hits, defined = np.random.default_rng(5), 0, 0
    draw = {"normal": lambda n: rng.normal(10, 3, n), "skewed": lambda n: rng.gamma(1, 10, n)}[kind]
    for _ in range(100):
        varied, plain = Scores(draw(10) / 2, rng.normal(0, 1, 60)), Scores(draw(10), rng.normal(0, 1, 60))
        change = performance_change(varied, plain)
        if change is not None:
            defined += 1
            hits += change.low <= -0.5 <= change.high
    assert defined > 60
    assert hits / defined > 0.9
