"""The types of STORI's taxonomy, on the axes of the catalogue."""

import dataclasses
from typing import get_args, get_type_hints

import pytest

from assay.catalogue import axis_of, entries, variations
from assay.core.axis import Axis
from assay.core.taxonomy import TYPES


def test_the_field_of_an_axis_takes_exactly_the_types_of_the_taxonomy():
    assert set(get_args(get_type_hints(Axis)["stochasticity"])) == {"", *TYPES}


@pytest.mark.parametrize(
    "env, name, wanted",
    [
        ("toy/discrete", "action.random", "1"),
        ("toy/discrete", "action.sticky", "1"),
        ("toy/discrete", "transition_noise", "2.1"),
        ("toy/discrete", "hidden_mode", "2.2"),
        ("toy/discrete", "image_representations", "3.1"),
        ("toy/grid", "aliased", "3.2"),
        ("gym/CartPole-v1", "observation.dropout", "3.2"),
        ("platformer/run", "observation", "0"),
        ("toy/discrete", "reward_scale", ""),
        ("gym/CartPole-v1", "reward.scale", ""),
    ],
)
def test_an_axis_has_the_type_that_its_effect_is_of(env, name, wanted):
    assert axis_of(env, name).stochasticity == wanted


def test_variations_of_any_task_that_act_on_actions_by_chance_are_of_type_1():
    drawn = [a for a in entries().variations if a.components == ("action",) and "stochastic" in a.tags]
    assert drawn and {axis.stochasticity for axis in drawn} == {"1"}


def test_no_variation_of_the_reward_has_a_type():
    paid = [a for env in ("toy/discrete", "gym/CartPole-v1") for a in variations(env)
            if a.components == ("reward",)]  # fmt: skip
    assert paid and {axis.stochasticity for axis in paid} == {""}


def test_a_type_leaves_the_digest_of_an_axis_as_it_is():
    from assay.digests.definitions import digest_of_definition

    axis = axis_of("toy/discrete", "action.random")
    assert digest_of_definition(axis) == digest_of_definition(dataclasses.replace(axis, stochasticity="3.2"))
