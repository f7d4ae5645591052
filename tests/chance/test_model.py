"""A model is checked when it is made."""

from dataclasses import replace

import numpy as np
import pytest

from assay.chance.model import Model, require_horizon
from assay.errors import NotApplicable, WrongLevel
from tests.chance.models import random_model, tiger


def test_rewards_may_be_given_by_state_and_action():
    model = tiger(2)
    assert model.rewards.shape == (3, 4, 4)
    assert model.expected_rewards[1] == pytest.approx([-100, 10, -100, 10])


def test_nothing_is_paid_and_nothing_runs_after_the_end():
    model = random_model(0)
    assert (model.expected_rewards[:, model.terminal] == 0).all()
    assert (model.continuing[:, model.terminal] == 0).all() and (
        model.continuing[:, :, model.terminal] == 0
    ).all()


@pytest.mark.parametrize("changes, says", [
    ({"start": [0.5, 0.4, 0.0, 0.0]}, "the start must add up to 1"),
    ({"start": [0.5, 0.0, 0.0, 0.5]}, "cannot begin in a terminal state"),
    ({"seen": np.ones((3, 1))}, "seen must have the shape"),
    ({"rewards": np.zeros((2, 5))}, "rewards must have the shape"),
    ({"rewards": np.full((2, 4), np.nan)}, "finite"),
    ({"horizon": 0}, "whole number of steps from 1"),
    ({"discount": 1.5}, "from 0 to 1"),
    ({"transitions": np.full((2, 4, 4), 0.2)}, "row 0, 0 of the transitions must add up to 1, not 0.8"),
    ({"transitions": np.full((2, 4), 0.25)}, "actions, states, states"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(changes, says):
    with pytest.raises(WrongLevel, match=says):
        replace(random_model(0), **changes)


def test_a_model_beyond_its_limit_is_refused():
    states = 600
    with pytest.raises(NotApplicable, match="transitions"):
        Model(np.broadcast_to(np.eye(states), (100, states, states)), None, None, None, None)


def test_an_optimum_needs_a_horizon():
    with pytest.raises(NotApplicable, match="horizon"):
        require_horizon(replace(random_model(0), horizon=None))
