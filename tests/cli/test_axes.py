"""An axis in words."""

import pytest

from assay.catalogue import axis_of
from assay.cli import axes


@pytest.mark.parametrize("name, form", [
    ("action.random", "action.random=p"),
    ("delay", "delay=n"),
    ("reward_scale", "reward_scale=x"),
    ("make_denser", "make_denser"),
    ("maximally_connected", "maximally_connected=false"),
    ("gate", "gate=handout"),
    ("transition_function", "transition_function=[...]"),
])  # fmt: skip
def test_how_an_axis_is_written(name, form):
    assert axes.form(axis_of("toy/discrete", name)) == form


def test_touching_everything_is_said_in_two_words():
    assert axes.touches(axis_of("toy/discrete", "diameter")) == "all six"
    assert axes.touches(axis_of("toy/discrete", "mdp_seed")) == "transition, reward"
