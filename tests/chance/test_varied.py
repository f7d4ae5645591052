"""Models behind channels of actions and observations."""

import numpy as np
import pytest

from assay.chance.belief import belief_optimum, seeing_optimum
from assay.chance.channel import noiseless, other, replacement
from assay.chance.information import choose_uniformly, next_state_entropy, visit_by_observation
from assay.chance.model import Model
from assay.chance.varied import behind_channel, behind_sticky, forget, seen_through
from assay.errors import NotApplicable, WrongLevel
from tests.chance.models import random_model, ring


def test_a_noiseless_channel_changes_nothing():
    model = random_model(0)
    same = behind_channel(model, noiseless(2))
    assert np.allclose(same.transitions, model.transitions)
    assert np.allclose(same.expected_rewards, model.expected_rewards)
    assert np.allclose(seen_through(model, noiseless(2)).seen, model.seen)


def test_a_channel_of_actions_is_noise_on_the_ring():
    """On the ring of two actions, noise is doing the other one: two such noises in turn."""
    twice = behind_channel(ring(5, 0.1), other(2, 0.2))
    assert np.allclose(twice.transitions, ring(5, 0.1 * 0.8 + 0.9 * 0.2).transitions)


def test_rewards_follow_the_action_that_is_executed():
    model = random_model(1)
    fair = behind_channel(model, replacement(2, 1.0))
    assert np.allclose(fair.expected_rewards, model.expected_rewards.mean(axis=0))


def test_sticky_actions_at_chance_0_change_no_optimum():
    model = random_model(2)
    assert seeing_optimum(behind_sticky(model, 0.0)) == pytest.approx(seeing_optimum(model))
    assert belief_optimum(behind_sticky(model, 0.0)) == pytest.approx(belief_optimum(model))


def test_at_chance_1_the_first_action_is_the_only_choice():
    """A sure repetition: the best of the two constant sequences."""
    model = random_model(3, horizon=5, ends=0)
    values = []
    for action in range(2):
        worth = np.zeros(model.states)
        for _ in range(5):
            worth = model.expected_rewards[action] + model.transitions[action] @ worth
        values.append(worth)
    assert seeing_optimum(behind_sticky(model, 1.0)) == pytest.approx(model.start @ np.max(values, axis=0))


def test_what_a_sticky_channel_remembers_is_no_part_of_the_state():
    """Three steps on a ring of two actions: the first is as chosen. Later, to one who knows state and chosen
    action only, the action before is a coin, so that the other one is executed with chance 0.4 / 2.
    """
    model = Model(**{**vars(ring(4, 0.0)), "horizon": 3})
    sticky = behind_sticky(model, 0.4)
    visits = visit_by_observation(sticky, choose_uniformly(sticky))
    alone, own = forget(sticky, visits)
    assert (sticky.memories, alone.memories, alone.states) == (3, 1, 4)
    assert own.states == pytest.approx(visits.states.reshape(4, 3).sum(axis=1))
    assert np.allclose(alone.seen, model.seen) and np.allclose(alone.start, model.start)
    # Without knowing the time: a third of the steps repeat nothing.
    other = 2 / 3 * 0.4 / 2
    assert next_state_entropy(alone, own) == pytest.approx(
        -other * np.log2(other) - (1 - other) * np.log2(1 - other)
    )
    assert forget(model, visits)[0] is model


def test_what_does_not_fit_is_refused():
    with pytest.raises(WrongLevel, match="4 states are no multiple of 3 memories"):
        Model(**{**vars(ring(4, 0.1)), "memories": 3})
    with pytest.raises(WrongLevel, match="the channel must have the shape"):
        behind_channel(ring(4, 0.1), noiseless(3))
    with pytest.raises(WrongLevel, match="the channel must have the shape"):
        seen_through(ring(4, 0.1), noiseless(3))
    with pytest.raises(WrongLevel, match="from 0 to 1"):
        behind_sticky(ring(4, 0.1), 1.5)
    size = 1000
    wide = Model(np.broadcast_to(np.eye(size), (10, size, size)), np.zeros((10, size)), np.ones((size, 1)),
                 np.full(size, 1 / size), np.zeros(size, bool))  # fmt: skip
    with pytest.raises(NotApplicable, match="transitions"):
        behind_sticky(wide, 0.5)
