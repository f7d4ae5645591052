"""U by hand, and the chance of it against what can be counted."""

from itertools import combinations

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.wins import count_wins, harder


def test_pairs_are_counted_by_hand_with_ties_as_halves():
    # 3 beats 1 and 2; 2 beats 1 and ties 2; 2 again.
    assert count_wins(np.array([3, 2, 2]), np.array([1, 2])) == 2 + 1.5 + 1.5


def test_both_ways_come_to_all_pairs():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 30), rng.integers(0, 5, 20)
    assert count_wins(a, b) + count_wins(b, a) == 600


def test_the_exact_chance_is_the_share_of_orders():
    a, b = np.array([5.0, 9, 7]), np.array([1.0, 6, 2, 3])
    both = np.concatenate([a, b])
    us = [count_wins(both[list(c)], np.delete(both, list(c))) for c in combinations(range(7), 3)]
    found = harder(a, b)
    assert found.method == "exact" and found.u == 11 and found.pairs == 12
    assert found.chance == pytest.approx(np.mean(np.array(us) >= found.u))


def test_with_ties_the_normal_one_is_used_and_the_sides_are_told_apart():
    a, b = np.arange(40) // 2, np.arange(40) // 2 + 5
    assert harder(a, b).method == "normal"
    assert harder(b, a).chance < 0.05 < 0.95 < harder(a, b).chance


def test_samples_of_one_value_tell_nothing():
    assert harder(np.full(5, 2.0), np.full(6, 2.0)) == (15.0, 30, 1.0, "normal")


def test_missing_values_are_refused():
    with pytest.raises(AssayError):
        harder(np.array([1.0, np.nan]), np.array([1.0]))


@pytest.mark.parametrize(
    "a, b, chance", [([5, 5, 5], [3, 3, 3], 1 / 20), ([5, 5], [3, 3], 1 / 6), ([4], [3, 2, 2, 2], 1 / 5)]
)
def test_tied_values_of_few_runs_are_counted(a, b, chance):
    found = harder(np.array(a, float), np.array(b, float))
    assert found.method == "exact" and found.chance == pytest.approx(chance)
