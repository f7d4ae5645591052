"""Positioned errors, by hand, and that both parsers tell places through them."""

import pytest

from assay.envs.atari.rule_yaml import BadRules
from assay.envs.atari.rulefile import read_rules
from assay.errors import BadText
from assay.positions import place, tell_in_file, tell_in_text
from assay.task_text import parse


def test_a_place_counts_lines_and_columns_from_1():
    assert tell_in_file("mine.yaml", place(2, 4), "this is wrong") == (
        "mine.yaml, line 3, column 5: this is wrong."
    )
    assert tell_in_file("mine.yaml", place(0, 3) + 2, "is it?") == "mine.yaml, line 1, column 6: is it?"
    assert tell_in_text("task", "a/b+c", 4, "no") == "in the task 'a/b+c', from character 5 on: no"


def test_a_task_is_told_from_the_character_of_its_setting():
    with pytest.raises(BadText, match=r"from character 14 on: "):
        parse("toy/discrete+de lay=4")


def test_an_expression_of_a_rule_file_is_told_by_its_own_column():
    text = "game: Pong\nvariations:\n  a:\n    means: b\n    direction: harder\n    touches: [transition]\n"
    rule = '    frame:\n      - {when: "1 )", set: {"ram[3]": 1}}\n'
    with pytest.raises(BadRules, match=r"mine.yaml, line 8, column 19: '\)' does not belong here"):
        read_rules(text + rule, "mine.yaml")
