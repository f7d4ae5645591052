"""What an axis declares: levels typed by hand, words for people, and how params fields become axes."""

import math
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from assay.catalogue import entries, variations
from assay.core.axis import Axis, as_plain_number, axes, axis, group, show_value, stochastic_tags, structure
from assay.core.variation import Channel, no_draw
from assay.errors import WrongLevel

SLIP = Axis("slip", ("transition",), "dose", float, 0.0, (0.1, 0.5), "chance to slip", "me", low=0, high=1)
STEPS = replace(SLIP, name="steps", type=int, neutral=1, low=1, high=None)
COLOUR = replace(SLIP, name="colour", kind="choice", type=str, neutral="red", choices=("red", 2))


def pair(value):
    """A setting of two numbers, the smaller first."""
    first, second = value
    if first > second:
        raise WrongLevel("the smaller first.")
    return first, second


pair.takes = "two numbers"


@pytest.mark.parametrize(
    "of, value, typed",
    [
        (SLIP, 1, 1.0),
        (SLIP, np.float32(0.5), 0.5),
        (STEPS, 3.0, 3),
        (STEPS, np.int64(3), 3),
        (COLOUR, 2, 2),
        (replace(SLIP, type=bool), True, True),
        (replace(SLIP, type=str), "word", "word"),
        (replace(SLIP, type=pair), (1, 2), (1, 2)),
    ],
)
def test_a_value_is_typed(of, value, typed):
    found = of.to_level(value)
    assert found == typed and type(found) is type(typed)


@pytest.mark.parametrize(
    "of, value, says",
    [
        (SLIP, 1.5, r"slip takes a number from 0 to 1 \(chance to slip\), not 1.5\."),
        (SLIP, math.nan, "not nan"),
        (SLIP, True, "not True"),  # a truth is no number, though Python counts with it
        (SLIP, 4e38, "not 4e\\+38"),  # beyond float32
        (STEPS, 1.5, "steps takes a whole number from 1 up"),
        (STEPS, 0, "not 0"),
        (COLOUR, 2.0, "one of red, 2"),  # 2.0 == 2, and is another kind of value
        (replace(SLIP, type=bool), 1, "true or false"),
        (replace(SLIP, type=str), 1, "a word"),
        (replace(SLIP, type=pair), (2, 1), "slip takes two numbers, not .*: the smaller first"),
        (replace(SLIP, type=pair), 3, "slip takes two numbers"),
    ],
)
def test_what_it_cannot_be_is_refused_in_words(of, value, says):
    with pytest.raises(WrongLevel, match=says):
        of.to_level(value)


def test_components_and_directions_are_known_words():
    with pytest.raises(ValueError, match="'slip' declares \\['rewrad'\\]"):
        replace(SLIP, components=("rewrad",))
    with pytest.raises(ValueError, match="components are initial, "):
        replace(SLIP, components=())
    with pytest.raises(ValueError, match="'slip' has the direction 'worse'; there are simplification"):
        replace(SLIP, direction="worse")


def test_a_direction_is_that_of_the_axis_unless_a_level_has_its_own():
    found = replace(SLIP, direction="harder", directions=((0.1, "neutral"),))
    assert [found.direction_of(level) for level in found.levels] == ["neutral", "harder"]
    assert SLIP.direction_of(0.5) == ""  # nobody says


def test_values_are_shown_short():
    assert show_value(None) == "nothing" and show_value("a") == "'a'"
    assert len(show_value("x" * 100)) == 60 and show_value("x" * 100).endswith("...")


def test_plain_numbers():
    assert as_plain_number(np.uint8(3)) == 3 and as_plain_number(2.5) == 2.5
    assert [as_plain_number(each) for each in (True, "1", None, np.ones(1), np.bool_(1))] == [None] * 5


@dataclass(frozen=True)
class Looks:
    hue: int = axis("observation", 0, low=0, levels=(90,), means="hue", origin="me")


@dataclass(frozen=True)
class Params:
    slip: float = axis("transition reward", 0.5, levels=(0.1,), means="slips", origin="me")
    size: int = structure("initial", 8, levels=(4,), means="size", origin="me")
    looks: Looks = group(Looks)
    plain: int = 3  # no axis


def test_params_fields_are_axes_in_the_order_written():
    slip, size, hue = axes(Params)
    assert (slip.name, slip.components, slip.neutral, slip.type) == (
        "slip", ("transition", "reward"), 0.5, float,
    )  # fmt: skip
    assert (size.name, size.kind) == ("size", "structure") and hue.name == "looks.hue"
    static = {f.name: f.metadata.get("static") for f in fields(Params)}
    assert static == {"slip": False, "size": True, "looks": None, "plain": None}


def test_axes_that_let_chance_in_are_tagged_so():
    """A channel of any task is stochastic where its record draws, and nowhere else."""
    assert stochastic_tags("action") == ("stochastic", "stochastic-action")
    for each in entries().variations:
        assert isinstance(each.acts, Channel)
        expected = () if each.acts.draw is no_draw else stochastic_tags(each.components[0])
        assert each.tags == expected, each.name
    tagged = {each.name for each in variations("toy/discrete") if "stochastic-transition" in each.tags}
    assert tagged == {"transition_noise", "hidden_mode", "state_jump"}
