"""The benchmark rules: names, sets, and that each is what its name says."""

import pytest

from assay.envs.rules.benchmark import BY_NAME, LEADER_BOARD_15, RULES, SAMPLE_4, find_rule
from assay.envs.rules.board import Board, Piece
from assay.envs.rules.interpreter import attempt, begin, legal_buckets, prepare
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.write import write
from assay.errors import UnknownName


def test_names_and_aliases_are_one_of_a_kind():
    assert len(BY_NAME) == sum(1 + len(rule.aliases) for rule in RULES)
    assert len(RULES) == 33


def test_the_sets_have_their_numbers():
    assert len(set(LEADER_BOARD_15)) == 15 and len(set(SAMPLE_4)) == 4
    assert len({find_rule(name).name for name in LEADER_BOARD_15}) == 14  # two names of one rule
    assert {find_rule(name).origin for name in SAMPLE_4} == {"the paper on the Game of Hidden Rules"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_is_read_strictly_and_written_back(rule):
    assert parse(write(rule.parse())) == rule.parse()


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownName, match="'colour_match'; did you mean color_match"):
        find_rule("colour_match")


def test_alternate_sides_goes_from_one_pair_of_buckets_to_the_other():
    game = prepare(find_rule("alternate_sides_free").parse())
    state = begin(game, Board(tuple(Piece(i, "star", "red", i + 1) for i in range(3))))
    _, state = attempt(game, state, 0, 1)  # p = 1: p / 2 * 2 = 0
    assert legal_buckets(game, state) == {1: {2, 3}, 2: {2, 3}}
    _, state = attempt(game, state, 1, 3)  # p = 3: p / 2 * 2 = 2, and 4, 5 are 0, 1
    assert legal_buckets(game, state) == {2: {0, 1}}


def test_a_color_finds_its_bucket_and_keeps_it():
    game = prepare(find_rule("color_finds_bucket").parse())
    colors = ("red", "red", "blue")
    state = begin(game, Board(tuple(Piece(i, "star", color, i + 1) for i, color in enumerate(colors))))
    _, state = attempt(game, state, 0, 2)
    assert legal_buckets(game, state) == {1: {2}, 2: {0, 1, 3}}  # blue may not take a bucket that is used
