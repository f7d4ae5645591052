"""Rules that accept the same moves are alike, whatever their texts; an edit that leads there is no axis."""

import pytest

from assay.catalogue import variations
from assay.envs.rules.edit_effect import plays_alike
from assay.envs.rules.language.parse import parse

CLOCKWISE = "(1,*,*,*,[0,1,2,3])\n(*,*,*,*,p+1)"


@pytest.mark.parametrize(
    "one, other",
    [
        (CLOCKWISE, "(*,*,*,*,p+1)\n(1,*,*,*,[0,1,2,3])"),  # a line that offers nothing is skipped
        ("(bucket:0)", "(bucket:[0, 4])"),
        ("(color:red, bucket:0)", "(color:red, bucket:0)\n(color:green)"),  # no piece is green
    ],
)
def test_rules_that_accept_the_same_moves_are_alike(one, other):
    assert plays_alike(parse(one), parse(other))


@pytest.mark.parametrize(
    "one, other",
    [
        ("(bucket:0)", "(bucket:1)"),
        ("(1,*,*,*,3)\n(1,*,*,*,1)", "(1,*,*,*,1)\n(1,*,*,*,3)"),
        (CLOCKWISE, "(1,*,*,*,[0,1,2,3])\n(*,*,*,*,p+3)"),  # alike at the first move
        ("(bucket:0)", "(count:8, bucket:0)\n(bucket:1)"),  # until the last piece
    ],
)
def test_rules_that_differ_at_one_moment_are_not(one, other):
    assert not plays_alike(parse(one), parse(other))


def test_an_edit_that_is_not_felt_is_no_axis_of_its_rule():
    assert "line_order" not in {axis.name for axis in variations("rules/clockwise")}
    [order] = [axis for axis in variations("rules/first_lap_any_direction") if axis.name == "line_order"]
    assert order.levels == ("reversed",)
