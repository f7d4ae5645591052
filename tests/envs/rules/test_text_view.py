"""Hidden rules in words: drawn from an observation, read from a player."""

import json
import re

import pytest

import assay
from assay.envs.rules.observation import Layout
from assay.envs.rules.text_signs import short_names
from assay.envs.rules.text_view import OVER_AT_START, RuleView, describe_rule, make_view
from assay.errors import AssayError
from assay.tasks import resolve

CORNERS = "rules/shape_match+board=example:corners"
DRAWN = """\
 \\0/                                              \\1/
     +------------------------------------------+
   6 | 31 K■    .      .      .      .    36 Y▲ |
   5 |   .      .      .      .      .      .   |
   4 |   .      .      .      .      .      .   |
   3 |   .      .      .      .      .      .   |
   2 |   .      .      .      .      .      .   |
   1 |[ 1 R★]   .      .      .      .     6 B● |
     +------------------------------------------+
 \\3/                                              [2]
         1      2      3      4      5      6"""


def view_of(text):
    resolved = resolve(text)
    return make_view(resolved.settings, {each.name: each.value for each in resolved.text.settings})


@pytest.fixture(scope="module")
def played():
    """The view of a task, and what is seen after a move that is denied and after one that is accepted."""
    env, view = assay.make(CORNERS), view_of(CORNERS)
    env.reset(seed=0)
    return view, env.step(view.read("1 2"))[0], env.step(view.read("1 1 0"))[0]


def test_the_board_with_what_was_denied(played):
    view, denied, _ = played
    drawn = view.draw(denied, tried=view.read("1 2"))
    assert drawn.splitlines() == DRAWN.splitlines()
    assert view.tell(denied) == "denied"


def test_an_accepted_move_is_told(played):
    view, _, accepted = played
    assert view.tell(accepted) == "accepted: red star into bucket 0"
    assert "R★" not in view.draw(accepted)


def test_colours_of_a_terminal_change_no_letter(played):
    view, denied, _ = played
    colored = view.draw(denied, tried=2, colors=True)
    bracket, star = "\033[1;38;5;160m[\033[0m", "\033[1;38;5;160;48;5;255mR★\033[0m"
    assert f"{bracket}\033[38;5;245m 1 \033[0m{star}" in colored  # what was tried keeps its own colour
    assert "\033[1;38;5;16;48;5;255mK■\033[0m" in colored
    assert re.sub(r"\033\[[0-9;]*m", "", colored) == view.draw(denied, tried=2)


def test_a_narrow_board_leaves_out_the_numbers_of_cells(played):
    view, denied, _ = played
    lines = view.draw(denied, tried=view.read("1 2"), compact=True).splitlines()
    assert max(map(len, lines)) == 35 and lines[7] == "   1 |[R★] .   .   .   .   B● |"


def test_moves_and_endings_are_told_in_words(played):
    view, denied, accepted = played
    assert view.name_move(denied, 2) == "cell 1 (red star) to bucket 2"
    assert view.name_move(accepted, 2) == "cell 1 (empty) to bucket 2"
    assert view.is_error(denied) and not view.is_error(accepted)
    assert view.tell(accepted, brief=True) == "accepted"
    assert view.sum_up(accepted, False) == "it was cut off at the limit of moves"
    assert view.sum_up(accepted, True) == "no move was left that the rule accepts"
    assert view.sum_up([0] * 40, True) == "the board was cleared"


def test_the_signs_are_explained():
    view = view_of(CORNERS)
    says = "R red, K black, B blue, Y yellow; ■ square, ★ star, ● circle, ▲ triangle."
    assert view.legend == says and says in view.help
    assert view_of(CORNERS + "+hide_shape").legend == "R red, K black, B blue, Y yellow."


def test_moves_are_read_by_cell_or_by_column_and_row():
    view = RuleView(Layout(), view_of(CORNERS).vocabulary)
    assert view.read("3 2") == 10 and view.read(" 1 4 2") == (19 - 1) * 4 + 2 and view.read("36,3") == 143
    assert view.action_names[10] == "cell 3 to bucket 2" and len(view.action_names) == 144


@pytest.mark.parametrize(
    "words, says",
    [("", "no move"), ("left", "no move"), ("3", "no move"), ("37 0", "no cell 37"), ("0 0", "no cell 0"),
     ("3 4", "no bucket 4"), ("7 1 0", "no column 7"), ("-3 1", "no move"), ("1 1 1 1", "no move"),
     ("9999999999 1", "no move")],
)  # fmt: skip
def test_what_is_no_move_is_one_sentence(words, says):
    with pytest.raises(AssayError, match=says):
        RuleView(Layout(), view_of(CORNERS).vocabulary).read(words)


def test_pieces_may_be_named_by_number():
    view = view_of(CORNERS + "+actions=pieces")
    assert view.read("3 1") == 13 and view.action_names[13] == "piece 3 to bucket 1"
    with pytest.raises(AssayError, match="from 0 to 3"):
        view.read("4 0")


def test_hidden_features_are_not_told():
    view = view_of(CORNERS + "+hide_color")
    assert view.name_piece(2, 1) == "star" and "?★" in view.draw([5] + [0] * 39)
    assert view_of(CORNERS + "+hide_shape").name_piece(1, 3) == "blue piece"


def test_letters_of_colours_differ():
    assert short_names(("RED", "BLACK", "BLUE", "BROWN")) == ("R", "K", "B", "O")


def begun(text):
    env, view = assay.make(text), view_of(text)
    return env, view, *env.reset(seed=0)


def test_legal_buckets_are_drawn_where_the_task_shows_them():
    _, view, observation, _ = begun(CORNERS + "+show_buckets")
    last = " ".join(view.draw(observation).splitlines()[-2:])
    assert last == "cells that each bucket takes now: [0] 1; [1] 36; [2] 31; [3] 6"
    assert "takes" not in view_of(CORNERS).draw([0] * 40)


def test_kinds_of_pieces_are_explained():
    text = 'rules/custom+rule="(bucket:0)"+pieces_table=example:kinds+pieces=4'
    _, view, observation, info = begun(text)
    assert "#1 red square size=1 kind=tool; #2 blue star size=2 kind=tool;" in view.help
    there = {int(look) for look in observation[:36] if look}
    assert {int(number) for number in re.findall("#([0-9])", view.legend_of(observation))} == there
    assert "size" in view.record_start(observation, info)["board"]["value"][0]


def test_a_legend_of_kinds_is_bounded():
    view = view_of('rules/custom+rule="(bucket:0)"+pieces_table=example:kinds')
    many = RuleView(view.layout, view.vocabulary, kinds=view.kinds * 100)
    assert many.legend.endswith("; and 488 more kinds.") and len(many.legend) < 600


def test_pieces_have_their_numbers_where_players_name_them():
    env, view, observation, info = begun(CORNERS + "+actions=pieces")
    cells = list(info["cells"])
    drawn = view.draw(observation, info=info)
    piece = cells.index(1)
    assert f"| {piece:>2} R★" in drawn
    action = view.read(f"piece {piece} to bucket 0")
    assert view.name_move(observation, action, info) == f"piece {piece} (red star, cell 1) to bucket 0"
    after, *_, told = env.step(action)
    assert view.tell(after).startswith("accepted")
    assert "   1 |[  .  ]" in view.draw(after, action, info=told, before=info)
    assert view.name_move(after, action, told) == f"piece {piece} (not on the board) to bucket 0"
    assert "not which number" in view.explanation and "number that the board shows" in view.help


def test_pieces_that_share_a_cell_are_all_numbered():
    view = view_of(CORNERS + "+actions=pieces")
    info = {"cells": [1, 1, 6, 0], "legal_buckets": [0] * 4}
    seen = [6] + [0] * 39
    assert "pieces that share a cell: cell 1: 0 1" in view.draw(seen, info=info)
    assert view.name_move(seen, 0, info) == "piece 0 (black star, cell 1) to bucket 0"
    assert view.name_move(seen, 4, info) == "piece 1 (cell 1) to bucket 0"  # the board does not show it


def test_a_game_that_is_over_before_it_begins():
    env, view, _, info = begun('rules/custom+rule="(bucket:p)"')
    assert view.why_over(info) == OVER_AT_START
    observation, *_ = env.step(0)
    assert view.sum_up(observation, True) == OVER_AT_START and not view.is_accepted(observation)
    assert not view.why_over(begun(CORNERS)[3])


def test_what_is_recorded_can_be_played_again(tmp_path):
    env, view, observation, info = begun("rules/shape_match+pieces=4+shapes=2+colors=2")
    path = tmp_path / "board.json"
    path.write_text(json.dumps(view.record_start(observation, info)["board"]))
    again = begun(f'rules/shape_match+board="{path}"')[2]
    assert list(again[:36]) == list(observation[:36])
    cell = int(info["cells"][2])
    after = env.step(view.read(f"{cell} 1"))[0]
    facts = view.record_move(observation, after, view.read(f"{cell} 1"), info)
    assert (facts["cell"], facts["bucket"], facts["piece"]) == (cell, 1, 2)
    assert facts["response"] in ("accepted", "denied")


def test_the_rule_is_told_before_and_after_its_edits():
    def told(text):
        return dict(describe_rule(resolve(text).settings))

    assert told('rules/custom+rule="(bucket:0)"') == {"rule": "(bucket:0)"}
    both = told('rules/custom+rule="(bucket:0)"+swap_buckets=1')
    assert both["plain rule"] == "(bucket:0)" and both["edited rule"] != "(bucket:0)"


@pytest.mark.parametrize(
    "words", ["cell 36 to bucket 3", "36 -> 3", "36, 3", "36 to 3", "Cell 36 into bucket 3"]
)
def test_moves_may_be_written_in_words(words):
    view = view_of(CORNERS)
    assert view.action_names[view.read(words)] == "cell 36 to bucket 3"


def test_numbers_of_large_boards_keep_their_digits_in_brackets():
    view = RuleView(Layout(columns=12, rows=12), view_of(CORNERS).vocabulary)
    seen = [0] * 143 + [1] + [0] * 4
    assert " [144 R■]|" in view.draw(seen, tried=143 * 4)
