"""Distances between action distributions, by hand."""

import math

import numpy as np
import pytest

from assay.stats.policy_shift import (
    LEAST,
    choice_changed,
    kl_divergence,
    largest_divergence,
    total_variation,
)

PLAIN = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [1.0, 0.0, 0.0]])
VARIED = np.array([[0.1, 0.8, 0.1], [0.1, 0.8, 0.1], [0.0, 0.5, 0.5]])


def test_by_hand():
    assert total_variation(PLAIN, VARIED) == pytest.approx([0.6, 0.0, 1.0])
    assert choice_changed(PLAIN, VARIED).tolist() == [True, False, True]
    nats = kl_divergence(PLAIN, VARIED)
    assert nats[0] == pytest.approx(0.7 * math.log(7) + 0.2 * math.log(0.25), abs=1e-5)
    assert nats[1] == 0
    # The first action has 1 of plain play and a third of LEAST, mixed in, of varied play.
    assert nats[2] == pytest.approx(math.log(3 / LEAST), abs=1e-4)


def test_equal_distributions_have_no_distance_to_the_last_bit():
    rng = np.random.default_rng(0)
    some = rng.dirichlet(np.ones(5), size=100).astype(np.float32)
    for measure in (total_variation, kl_divergence, choice_changed):
        assert (measure(some, some.copy()) == 0).all()


def test_kl_is_finite_and_has_its_bound_where_a_greedy_policy_changes_its_mind():
    for actions in (2, 8):
        one, other = np.eye(actions)[:2]
        assert kl_divergence(one, other) == pytest.approx(largest_divergence(actions), rel=1e-5)
        assert kl_divergence(one, other) <= largest_divergence(actions)


def test_kl_depends_on_the_direction():
    assert kl_divergence(PLAIN, VARIED)[2] != pytest.approx(kl_divergence(VARIED, PLAIN)[2])


def test_among_equally_likely_actions_one_in_common_is_no_change():
    tied, other = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])
    assert not choice_changed(tied, other)
    assert choice_changed(tied, np.array([0.1, 0.2, 0.7]))
