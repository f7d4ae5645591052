"""Classes of difficulty: planted ones are found, and what is all alike is one class."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.difficulty_classes import distances, find_classes


def draw(means, runs=40, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(mean, 1.0, runs) for mean in means]


def test_distances_by_hand():
    # Of four pairs one is larger, two smaller, one equal: P = 1.5 / 4.
    apart = distances([np.array([1.0, 3.0]), np.array([2.0, 3.0])])
    np.testing.assert_allclose(apart, [[0, 0.25], [0.25, 0]])


def test_planted_classes_are_found_in_the_order_of_their_difficulty():
    found = find_classes(draw([9, 1, 9.2, 1.1, 5]), rng=np.random.default_rng(1), draws=50)
    assert [set(members) for members in found.members] == [{1, 3}, {4}, {0, 2}]
    assert min(found.stability) > 0.9


def test_rules_that_are_all_alike_are_one_class():
    found = find_classes(draw([3, 3, 3, 3]), rng=np.random.default_rng(1), draws=20)
    assert len(found.members) == 1 and found.silhouette == 0


@pytest.mark.parametrize("rules", [2, 3, 8])
def test_rules_whose_runs_never_overlap_are_classes_of_their_own(rules):
    runs = [np.arange(20.0) + 100 * i for i in range(rules)]
    found = find_classes(runs, rng=np.random.default_rng(0), draws=30)
    assert found.members == tuple((i,) for i in range(rules)) and min(found.stability) == 1


def test_too_few_draws_are_refused():
    with pytest.raises(AssayError, match="5 draws cannot tell"):
        find_classes(draw([1, 9]), rng=np.random.default_rng(0), draws=5)


def test_a_class_without_reason_is_unstable():
    """Three classes are asked for where there are none: they do not come back."""
    found = find_classes(draw([3, 3, 3, 3, 3, 3]), rng=np.random.default_rng(1), draws=50, classes=3)
    assert min(found.stability) < 0.7


@pytest.mark.parametrize("samples, classes", [([], None), (draw([1, 2]), 3), (draw([1, 2]), 0)])
def test_impossible_numbers_are_refused(samples, classes):
    with pytest.raises(AssayError):
        find_classes(samples, rng=np.random.default_rng(0), classes=classes)
