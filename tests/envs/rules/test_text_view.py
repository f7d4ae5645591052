"""Hidden rules in words: drawn from an observation, read from a player."""

import re

import pytest

import assay
from assay.envs.rules.observation import Layout
from assay.envs.rules.text_view import RuleView, make_view, short_names
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
