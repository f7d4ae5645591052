"""Beliefs and what can be earned with them: a case worked by hand, then laws on random models."""

import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from assay.chance.belief import (
    belief_optimum,
    blind_optimum,
    blindfold,
    expand_beliefs,
    filter_beliefs,
    seeing_optimum,
    update_belief,
)
from assay.chance.bounds import (
    Bounds,
    Effort,
    PlayedValue,
    best_blind,
    best_over_beliefs,
    bound_optimum,
    informed_values,
    play_greedily,
    possible_returns,
    value_of_beliefs,
)
from assay.chance.model import Model
from assay.errors import NotApplicable, WrongLevel
from tests.chance.models import random_model, ring, tiger


def test_hearing_the_tiger_twice_on_one_side():
    """0.85 * 0.85 against 0.15 * 0.15: 0.7225 / 0.745."""
    beliefs = filter_beliefs(tiger(3), np.array([0, 0]), np.array([0, 0]))
    assert beliefs[0] == pytest.approx([0, 0, 0.5, 0.5])
    assert beliefs[1] == pytest.approx([0.85, 0.15, 0, 0])
    assert beliefs[2] == pytest.approx([0.7225 / 0.745, 0.0225 / 0.745, 0, 0])


def test_opening_a_door_forgets():
    assert update_belief(tiger(3), np.array([0.85, 0.15, 0, 0]), 1, 0) == pytest.approx([0, 0, 0.5, 0.5])


def test_the_tiger_worked_by_hand():
    """With one step left listening (-1) is best of a fair belief, since opening costs 45 in the mean.

    One growl leaves a chance of 0.15 for the tiger: opening is worth 0.85 * 10 - 0.15 * 100 = -6.5, so with
    two steps left both go to listening: -2. With three, listen twice. Two growls of one side (chance
    0.7225 + 0.0225) make opening worth 7.225 - 2.25 = 4.975 in all; unequal ones (0.255) leave it at -1.
    """
    assert belief_optimum(tiger(1)) == pytest.approx(-1)
    assert belief_optimum(tiger(2)) == pytest.approx(-2)
    assert belief_optimum(tiger(3)) == pytest.approx(-2 + 4.975 - 0.255)
    # The seeing agent opens the right door at once, but then does not lose sight of the tiger: 10 a step.
    assert seeing_optimum(tiger(3)) == pytest.approx(30)
    # Without ears nothing is better than to go on listening.
    assert blind_optimum(tiger(3)) == pytest.approx(-3)


def test_a_discount_counts_later_steps_less():
    model = replace(tiger(3), discount=0.5)
    assert belief_optimum(model) == pytest.approx(-1 - 0.5 + 0.25 * (4.975 - 0.255))


def best_by_trying(model):
    """The optimum over beliefs by trying every policy tree, without any belief."""

    def best(spread, left):  # of unnormalised chances of the states of a running episode
        if left == 0:
            return 0.0
        return max(
            spread @ model.expected_rewards[action]
            + sum(
                best((spread @ model.continuing[action]) * model.seen[:, seen], left - 1)
                for seen in range(model.observations)
            )
            for action in range(model.actions)
        )

    starts = (
        [model.start * model.seen[:, o] for o in range(model.observations)]
        if model.sees_start
        else [model.start]
    )
    return sum(best(start, model.horizon) for start in starts)


def best_sequence(model):
    """The best of all sequences of actions, one by one."""
    values = []
    for sequence in product(range(model.actions), repeat=model.horizon):
        spread, total = model.start, 0.0
        for action in sequence:
            total += spread @ model.expected_rewards[action]
            spread = spread @ model.continuing[action]
        values.append(total)
    return max(values)


@pytest.mark.parametrize("seed", range(8))
def test_the_programme_over_beliefs_finds_what_trying_every_policy_finds(seed):
    model = random_model(seed, sees_start=seed % 2 == 0, ends=seed % 3)
    assert belief_optimum(model) == pytest.approx(best_by_trying(model), abs=1e-9)
    assert blind_optimum(model) == pytest.approx(best_sequence(model), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_blind_below_beliefs_below_seeing_and_bounds_around(seed):
    model = random_model(seed, states=5, actions=3, observations=2, horizon=4, ends=seed % 2)
    beliefs = belief_optimum(model)
    assert blind_optimum(model) <= beliefs + 1e-9
    assert beliefs <= seeing_optimum(model) + 1e-9
    bounds = bound_optimum(model, rng=np.random.default_rng(seed), episodes=2000)
    # Four standard errors: a mean of episodes may by chance lie above what its policy is worth.
    assert bounds.lower.value - 2 * (bounds.lower.high - bounds.lower.value) <= beliefs
    assert beliefs <= bounds.informed + 1e-9
    assert bounds.informed <= bounds.qmdp + 1e-9
    assert bounds.qmdp <= seeing_optimum(model) + 1e-9


def test_where_all_is_seen_the_three_agree():
    model = replace(random_model(3), seen=np.eye(4))
    assert belief_optimum(model) == pytest.approx(seeing_optimum(model))
    best = best_over_beliefs(model, rng=np.random.default_rng(0))
    assert best.value == pytest.approx(seeing_optimum(model)) and "tells the state" in best.how


def test_a_greedy_policy_earns_what_it_is_worth():
    """On the ring without noise and with sight, greedy on the exact values is optimal: the mean is exact."""
    model = ring(4, 0.0, horizon=6)
    played = play_greedily(model, informed_values(model), rng=np.random.default_rng(0), episodes=4000)
    assert played.low - 0.1 < seeing_optimum(model) < played.high + 0.1
    assert value_of_beliefs(model, informed_values(model)[-1]) == pytest.approx(seeing_optimum(model))


def test_beliefs_that_recur_are_one_node():
    """Without noise a walker on a ring soon knows where it is, so a long horizon costs nothing."""
    assert len(expand_beliefs(ring(8, 0.0, horizon=100, look=2)).paid) < 60
    assert belief_optimum(ring(8, 0.0, horizon=1000, look=2)) > 980


def test_too_many_beliefs_are_refused_and_bounded_instead():
    model = random_model(1, states=6, actions=4, observations=3, horizon=30)
    with pytest.raises(NotApplicable, match="too many for an exact optimum"):
        belief_optimum(model, most_work=10**5)
    effort = Effort(exact=10**5, episodes=500)
    best = best_over_beliefs(model, rng=np.random.default_rng(0), effort=effort)
    assert best.value is None and best.low < best.high
    assert "informed bound" in best.how and "500 episodes" in best.how
    blind = best_blind(model, effort=effort)
    assert blind.value is None and blind.low < blind.high
    # With no work allowed for bounds either, no number is given at all.
    nothing = Effort(exact=1, bounds=1)
    beliefs = best_over_beliefs(model, rng=np.random.default_rng(0), effort=nothing)
    for none in (beliefs, best_blind(model, effort=nothing)):
        assert none[:3] == (None, None, None) and "not computed" in none.how


@pytest.mark.parametrize("seed", range(6))
def test_a_blind_agent_s_bounds_hold(seed):
    model = random_model(seed, states=5, actions=3, horizon=6, ends=seed % 2)
    bounded = best_blind(model, effort=Effort(exact=1))
    low, high = bounded[1:3] if bounded.value is None else (bounded.value, bounded.value)
    assert low - 1e-9 <= blind_optimum(model) <= high + 1e-9


def test_blind_is_blind():
    model = random_model(2)
    assert blindfold(model).observations == 1
    assert belief_optimum(blindfold(model)) == blind_optimum(model)


def test_impossible_histories_are_refused():
    model = ring(4, 0.0, horizon=4)
    with pytest.raises(WrongLevel, match="excludes observation 2"):
        update_belief(model, np.array([1.0, 0, 0, 0]), 0, 2)
    with pytest.raises(WrongLevel, match="has 2 observations, not 1"):
        filter_beliefs(model, np.array([0]), np.array([0]))
    with pytest.raises(WrongLevel, match="actions 0 to 1"):
        update_belief(model, np.array([1.0, 0, 0, 0]), 5, 0)
    with pytest.raises(WrongLevel, match="add up to 1"):
        update_belief(model, np.array([1.0, 1.0, 0, 0]), 0, 0)


def rare_loss(chance: float, loss: float) -> Model:
    """Two states that look alike pay 1; an accident that is too rare to be drawn pays -loss a step later."""
    transitions = np.zeros((2, 3, 3))
    transitions[:, :2] = [(1 - chance) / 2, (1 - chance) / 2, chance]
    transitions[:, 2] = [0.5, 0.5, 0]
    rewards = np.ones((2, 3, 3))
    rewards[:, 2] = -loss
    seen = np.array([[0.6, 0.4], [0.4, 0.6], [0.5, 0.5]])
    return Model(transitions, rewards, seen, np.array([0.5, 0.5, 0]), np.zeros(3, bool), horizon=3)


@pytest.mark.parametrize(("chance", "loss"), [(1 / 5000, 5000.0), (1 / 2000, 1000.0)])
def test_a_loss_too_rare_to_be_drawn_is_allowed_for(chance, loss):
    model = rare_loss(chance, loss)
    optimum = belief_optimum(model)
    assert possible_returns(model) == (2 - loss, 3)  # accidents have a step between them, and none begins
    for seed in range(10):
        best = best_over_beliefs(model, rng=np.random.default_rng(seed), effort=Effort(exact=1))
        assert best.low <= optimum <= best.high + 1e-9 and "97.5% confidence" in best.how


def test_a_policy_that_seems_to_earn_more_than_is_possible_gives_no_lower_end(monkeypatch):
    above = PlayedValue(9.0, 8.0, 10.0, 100)
    monkeypatch.setattr(
        sys.modules["assay.chance.bounds"], "bound_optimum", lambda *_, **__: Bounds(above, 5.0, 4.0)
    )
    best = best_over_beliefs(rare_loss(0.1, 1.0), rng=np.random.default_rng(0), effort=Effort(exact=1))
    assert best[:3] == (None, None, 4.0) and "contradicts" in best.how
