"""The arithmetic of sets, by hand."""

import pytest
from playing import legal

from assay.envs.rules.board import Piece
from assay.envs.rules.set_arithmetic import Seen, combine, compare, negate, reduce_to_buckets, wrap

PIECE = Seen(Piece(0, "star", "red", 1), 0)


@pytest.mark.parametrize(
    "operator, left, right, result",
    [
        ("+", {1, 2}, {10, 20}, {11, 21, 12, 22}),
        ("-", {1, 2}, {1}, {0, 1}),
        ("*", {2}, {0, 3}, {0, 6}),
        ("/", {7, -7}, {2}, {3, -3}),  # toward zero
        ("/", {7}, {-2, 0}, {-3}),  # nothing from a divisor of 0
        ("%", {7, -7}, {4}, {3, -3}),  # the sign of what is divided
        ("%", {7}, {-4}, {3}),
        ("%", {7}, {0}, set()),
        ("+", {1}, set(), set()),
        ("*", set(), {1}, set()),
        ("+", {"RED"}, {1}, set()),
        ("+", {"RED", 2}, {1}, {3}),
        ("+", {PIECE}, {1}, set()),
        ("+", {2**31 - 1}, {1}, {-(2**31)}),
        ("/", {-(2**31)}, {-1}, {-(2**31)}),
    ],
)
def test_all_pairs_are_joined(operator, left, right, result):
    assert combine(operator, frozenset(left), frozenset(right)) == result


@pytest.mark.parametrize(
    "operator, left, right, holds",
    [
        ("==", {1, 2}, {2, 3}, True),
        ("==", {1}, {2}, False),
        ("!=", {1}, {1}, False),
        ("!=", {1}, {1, 2}, True),
        ("<", {1, 9}, {2}, True),
        (">=", {1}, {2}, False),
        ("<=", {2}, {2}, True),
        (">", {3}, {2}, True),
        ("==", {"RED"}, {"RED"}, True),
        ("==", {"RED"}, {"red"}, False),
        ("!=", {"RED"}, {"BLUE"}, True),
        ("<", {"A"}, {"B"}, False),
        ("==", {"1"}, {1}, False),
        ("!=", {"1"}, {1}, False),
        ("==", {1}, set(), False),  # the published game says true here
        ("!=", set(), {1}, False),
        ("==", {PIECE}, {PIECE}, False),
    ],
)
def test_some_pair_must_satisfy_a_relation(operator, left, right, holds):
    assert compare(operator, frozenset(left), frozenset(right)) == ({1} if holds else set())


def test_negation_asks_for_emptiness():
    assert negate(frozenset()) == {1} and negate(frozenset({0})) == set()


def test_buckets_are_reduced():
    assert reduce_to_buckets(frozenset({-1, 4, 6, "RED", PIECE}), 4) == {3, 0, 2}
    assert reduce_to_buckets(frozenset({-1, 4}), 3) == {2, 1}


def test_numbers_wrap_at_32_bits():
    assert [wrap(each) for each in (2**31, -(2**31) - 1, 2**32 + 5, 7)] == [-(2**31), 2**31 - 1, 5, 7]


def test_the_idiom_anything_first_then_the_next_one():
    rule, pieces = "(bucket:[!p*[0,1,2,3], p+1])", "red star 1, red star 2"
    assert legal(rule, pieces)[0] == [0, 1, 2, 3]
    assert legal(rule, pieces, [(0, 3)]) == {1: [0]}


def test_a_comparison_with_an_undefined_variable_is_not_true():
    assert legal("(code:1==p) (bucket:2)", "red star 1") == {0: [2]}
