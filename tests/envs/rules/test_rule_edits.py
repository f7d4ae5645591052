"""Edits of rules, each computed by hand and written as a rule again."""

import pytest
from playing import board

from assay.catalogue import variations
from assay.envs.rules.benchmark import RULES
from assay.envs.rules.edits import EDITS, Frame, apply_edits
from assay.envs.rules.interpreter import begin, legal_buckets, prepare
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.write import write

ALL_BUCKETS = "(1, *, *, *, [0, 1, 2, 3])\n"
THREE_LINES = "(bucket:0)\n(bucket:1)\n(bucket:2)"
LATER = 'this.color == ["BLUE", "YELLOW"]'


@pytest.mark.parametrize(
    "edit, before, after",
    [
        ({"swap_buckets": 1}, "(1,*,*,*,3)\n(1,*,*,*,1)", "(1, *, *, *, 0)\n(1, *, *, *, 2)\n"),
        ({"swap_buckets": 3}, "(*,*,*,*,[2,3])", "(*, *, *, *, [1, 2])\n"),
        ({"swap_buckets": 2}, ALL_BUCKETS + "(*,*,*,*,p+1)", ALL_BUCKETS + "(*, *, *, *, p + 1 + 2)\n"),
        ({"swap_buckets": 1}, "(bucket:Nearby)", "(bucket:Nearby + 1)\n"),
        ({"metering": 2}, "1 (1,*,red,*,0) (*,*,*,*,1)", "2 (2, *, RED, *, 0) (*, *, *, *, 1)\n"),
        ({"unmetered": True}, "1 (1,*,red,*,0) (2,*,*,*,1)", "(*, *, RED, *, 0) (*, *, *, *, 1)\n"),
        ({"line_order": "reversed"}, THREE_LINES, "(bucket:2)\n(bucket:1)\n(bucket:0)\n"),
        ({"line_order": "rotated"}, THREE_LINES, "(bucket:1)\n(bucket:2)\n(bucket:0)\n"),
        ({"priority": "T"}, "(*,*,red,*,0) (*,*,*,L1,1)", "(*, *, RED, T, 0) (*, *, *, T, 1)\n"),
        ({"priority": "T"}, "(pos:[1,2], bucket:0)", "(pos:[1, 2], pos:T, bucket:0)\n"),
        ({"priority": "R"}, "1 (color:red, postpos:L1)", "1 (color:RED, postpos:R)\n"),
        ({"exchange": True}, "(*,star,blue,*,pc) (code:last.shape==\"SQUARE\")",
         "(*, CIRCLE, BLACK, *, ps) (code:last.color == \"RED\")\n"),
        ({"add_feature": "color"}, "(*,star,*,*,0)",
         f"(*, STAR, *, *, [!({LATER}) * 0, ({LATER}) * 2])\n"),
    ],
)  # fmt: skip
def test_an_edit_by_hand(edit, before, after):
    edited = apply_edits(parse(before), edit)
    assert write(edited) == after
    assert parse(write(edited)) == edited


@pytest.mark.parametrize(
    "edit, rule",
    [
        ({"swap_buckets": 1}, "(bucket:[0,1,2,3])"),
        ({"swap_buckets": 4}, "(bucket:1)"),
        ({"metering": 2}, "(bucket:1)"),
        ({"line_order": "reversed"}, "(bucket:1)"),
        ({"priority": "T"}, "(*,*,*,T,*)"),
        ({"exchange": True}, "(bucket:1)"),
        ({"add_feature": "shape"}, "(shape:star, bucket:1)"),
        ({"add_feature": "shape"}, "(color:red, bucket:ps)"),
        ({"add_feature": "shape"}, "(color:red)"),
    ],
)
def test_an_edit_without_anything_to_change_gives_the_rule_back(edit, rule):
    assert apply_edits(parse(rule), edit) == parse(rule)


def test_an_added_feature_sends_the_later_half_to_the_opposite_bucket():
    rule = apply_edits(parse("(*,star,*,*,0) (*,square,*,*,1)"), {"add_feature": "color"})
    game = prepare(rule)
    told = legal_buckets(game, begin(game, board("red star 1, blue star 2, yellow square 3, black square 4")))
    assert {number: sorted(each) for number, each in told.items()} == {0: [0], 1: [2], 2: [3], 3: [1]}


def test_edits_are_applied_in_the_order_of_the_table():
    rule = parse("(1,*,*,*,3)\n(1,*,*,*,1)")
    both = apply_edits(rule, {"swap_buckets": 1, "line_order": "reversed"})
    assert write(both) == "(1, *, *, *, 2)\n(1, *, *, *, 0)\n"
    assert list(EDITS).index("line_order") < list(EDITS).index("swap_buckets")


def test_other_numbers_of_buckets_count_around():
    assert write(apply_edits(parse("(bucket:2)"), {"swap_buckets": 2}, Frame(buckets=3))) == "(bucket:1)\n"


def test_a_benchmark_rule_has_the_edits_that_change_it():
    """By hand: which edits there are for four rules."""
    known = {name: {axis.name for axis in variations(f"rules/{name}")} & set(EDITS)
             for name in ("shape_match", "clockwise", "position_Aread", "col1Ord_BRKY")}  # fmt: skip
    assert known == {
        "shape_match": {"swap_buckets", "priority", "exchange", "add_feature"},
        "clockwise": {"swap_buckets", "metering", "unmetered", "priority", "add_feature"},
        "position_Aread": {"priority"},
        "col1Ord_BRKY": {"metering", "unmetered", "line_order", "priority", "exchange"},
    }


def test_every_level_of_every_edit_changes_its_rule():
    for rule in RULES:
        for axis in variations(f"rules/{rule.name}"):
            if axis.name in EDITS:
                assert all(
                    apply_edits(rule.parse(), {axis.name: level}) != rule.parse() for level in axis.levels
                )
