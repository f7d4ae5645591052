import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.tendency import CANNOT_TELL, CONTRADICTED, HOLDS, falls, is_lowest, peaks_inside, stays

WORLDS = 400


def levels(means, seeds, rng, spread=1.0):
    """Seeds share a part, as seeds that share an MDP do."""
    shared = rng.normal(0, spread, seeds)
    return [mean + shared + rng.normal(0, spread, seeds) for mean in means]


def share(question, word, means, seeds=20, **asked):
    rng = np.random.default_rng(7)
    return np.mean([question(levels(means, seeds, rng), **asked).word == word for _ in range(WORLDS)])


def test_a_fall_is_the_mean_difference_of_the_ends_seed_by_seed():
    found = falls([np.array([4.0, 6, 8, 10]), np.array([9.0, 9, 9, 9]), np.array([1.0, 2, 5, 8])])
    assert found.word == HOLDS and found.differences[0].value == -3.0  # of -3, -4, -3, -2


def test_what_rises_contradicts_a_fall_and_what_is_alike_cannot_be_told():
    up = [np.arange(8.0), np.arange(8.0) + np.array([5, 6, 5, 6, 5, 6, 5, 6])]
    assert falls(up).word == CONTRADICTED
    assert falls([np.arange(8.0), np.arange(8.0)]).word == CANNOT_TELL


def test_few_seeds_that_are_all_alike_show_nothing():
    assert falls([np.full(8, 5.0), np.zeros(8)]).word == CANNOT_TELL
    assert falls([np.full(20, 5.0), np.zeros(20)]).word == HOLDS


def test_five_of_a_hundred_experiments_without_a_fall_show_one():
    assert share(falls, HOLDS, (0, 0)) <= 0.08  # 5%, and three standard errors of 400 worlds
    assert share(falls, HOLDS, (1, 0)) > 0.8


def test_a_best_level_inside_is_seen_and_rarely_where_there_is_none():
    assert share(peaks_inside, HOLDS, (0, 2, 3, 2, 0)) > 0.9
    assert share(peaks_inside, HOLDS, (0, 0, 0, 0, 0)) <= 0.08
    assert share(peaks_inside, HOLDS, (0, 1, 2, 3, 3)) <= 0.08  # the last is as good as the best inside
    assert share(peaks_inside, CONTRADICTED, (0, 1, 2, 3, 5)) > 0.9
    assert share(peaks_inside, CONTRADICTED, (0, 3, 3, 3, 3)) <= 0.08


def test_the_lowest_is_below_every_other():
    assert share(is_lowest, HOLDS, (3, 0, 3, 2), which=1) > 0.9
    assert share(is_lowest, HOLDS, (3, 0, 3, 0), which=1) <= 0.08
    assert share(is_lowest, CONTRADICTED, (3, 0, 3, -3), which=1) > 0.9
    assert share(is_lowest, CONTRADICTED, (0, 0, 0, 0), which=1) <= 0.08


def test_what_stays_is_shown_to_lie_within_the_margin():
    assert share(stays, HOLDS, (0, 0, 0), margin=2.0) > 0.9
    assert share(stays, HOLDS, (0, 0, 2), margin=2.0) <= 0.08
    assert share(stays, CONTRADICTED, (0, 0, 5), margin=2.0) > 0.9
    assert share(stays, CONTRADICTED, (0, 2, 2), margin=2.0) <= 0.08


@pytest.mark.parametrize(
    "question", [lambda: falls([np.zeros(5)]), lambda: falls([np.zeros(5), np.zeros(4)]),
                 lambda: peaks_inside([np.zeros(5)] * 2), lambda: falls([np.zeros(3)] * 2)],
)  # fmt: skip
def test_levels_that_cannot_be_compared_are_refused(question):
    with pytest.raises(AssayError, match="levels with the same seeds"):
        question()


def test_a_margin_is_positive():
    with pytest.raises(AssayError, match="positive"):
        stays([np.zeros(5)] * 2, margin=0.0)
