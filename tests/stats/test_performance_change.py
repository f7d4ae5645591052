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

UNSEEN = 1 - 0.05 ** (1 / 30)


def scores(agent, random):
    return Scores(np.array(agent, float), np.array(random, float))


def test_the_change_is_that_of_the_margins_over_random_play():
    # Margins: 11 - 1 = 10 on the original, 8 - 2 = 6 on the variation; (6 - 10) / 10.
    change = performance_change(scores([7, 8, 9, 8], [2, 2]), scores([10, 11, 12, 11], [1, 1]))
    assert change.value == pytest.approx(-0.4)
    assert change.low < -0.4 < change.high


def test_below_random_play_there_is_no_margin_to_lose():
    assert performance_change(scores([5, 4, 6, 5], [10, 10]), scores([0, 1, -1, 0], [10, 10])) is None
    assert change_of_means(Told(5, 0.1), Told(0, 0.1), Told(10, 0.1), Told(10, 0.1)) is None


def test_without_random_errors_it_is_fiellers_interval_or_a_little_wider():
    rng = np.random.default_rng(1)
    plain, varied = rng.normal(10, 2, 60), rng.normal(5, 8, 60)
    change = performance_change(scores(varied, [0, 0]), scores(plain, [0, 0]))
    other = fieller(varied, plain, np.zeros(2), 0.95)
    assert change.value == pytest.approx(other.value - 1)
    assert change.low <= other.low - 1 + 1e-9 and other.high - 1 - 1e-9 <= change.high
    assert change.high - change.low < 1.3 * (other.high - other.low)


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
    # Of 30 episodes, a kind of up to 9.5% shows none once in twenty. On the variation each of them costs a
    # margin; on the original they would leave a margin of 90.5%, of which 100% is 110.5%.
    change = performance_change(scores([10] * 30, [0, 0]), scores([10] * 30, [0, 0]))
    assert change.value == 0
    assert (change.low, change.high) == pytest.approx((-UNSEEN, 1 / (1 - UNSEEN) - 1))
    assert change.high - change.low < 0.3


def test_half_a_point_of_noise_does_not_hide_what_goes_unseen():
    noisy = np.tile([20.0, 21.0], 15)
    change = performance_change(scores(noisy[::-1], [-20, -20]), scores(noisy, [-20, -20]))
    assert change.low == pytest.approx(-UNSEEN) and change.high > UNSEEN


def test_the_lowest_score_that_was_seen_anywhere_may_come_again():
    # Random play scored -10 once: an episode of the agent's that falls to it loses two margins.
    change = performance_change(scores([10] * 30, [-10, 10]), scores([10] * 30, [0, 0]))
    assert change.low <= -2 * UNSEEN


def test_a_margin_that_may_be_nothing_bounds_nothing():
    random = [-30, 30] + [0] * 998
    change = performance_change(scores([1] * 30, random), scores([1] * 30, random))
    assert change.high == math.inf and change.low > -math.inf


def test_episodes_that_all_score_nothing_are_not_proof_of_nothing():
    plain = np.random.default_rng(4).normal(100, 5, 30)
    change = performance_change(scores(np.zeros(30), [0, 0]), scores(plain, [1, 1]))
    assert change.low <= change.value - UNSEEN and change.value + UNSEEN <= change.high


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


def test_intervals_hold_a_rare_collapse_beside_slight_noise():
    """3% of varied episodes lose everything: 40% of agents show none. Student's t alone holds 87%."""
    rng, hits = np.random.default_rng(6), 0
    for _ in range(150):
        varied = np.where(rng.random(30) < 0.03, 0, rng.normal(10, 0.1, 30))
        change = performance_change(
            Scores(varied, rng.normal(0, 1, 60)), Scores(rng.normal(10, 0.1, 30), rng.normal(0, 1, 60))
        )
        hits += change.low <= -0.03 <= change.high
    assert hits >= 0.96 * 150
