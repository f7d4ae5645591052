"""Trial lists and modifiers as records."""

from pathlib import Path

import pytest

from assay.envs.rules.random_boards import BoardDraw
from assay.envs.rules.trial_lists import (
    BENCHMARK_MODIFIER,
    FIELD_OF,
    combine,
    expand_names,
    read_trials,
    split_combination,
)
from assay.errors import AssayError


def test_columns_have_types_and_any_order():
    (trial,) = read_trials(
        "crowded,rule_id,max_boards,shapes,b,continue,condTrain,feedback_switches\n"
        "TRUE,TD/1,5,star; circle,1.5,false,cond.txt,free\n"
    )
    assert (trial.crowded, trial.rule_id, trial.max_boards) == (True, "TD/1", 5)
    assert (trial.shapes, trial.b, trial.can_continue) == (("star", "circle"), 1.5, False)
    assert (trial.cond_train, trial.feedback_switches, trial.min_points) == ("cond.txt", "free", None)


def test_unknown_columns_are_kept_and_named():
    (trial,) = read_trials("rule_id,mood\nx,good\n")
    assert trial.others == (("mood", "good"),)


def test_boards_that_a_row_asks_for():
    (trial,) = read_trials("rule_id,min_objects,max_objects,min_shapes,max_shapes\nx,5,7,2,3\n")
    assert trial.board_draw() == BoardDraw((5, 7), (2, 3), (4, 4))


def test_a_modifier_replaces_what_it_has():
    assert split_combination("R:clockwise:fast") == ("clockwise", "fast")
    run = combine("clockwise", BENCHMARK_MODIFIER)
    assert run.rule_id == "clockwise" and run.board_draw() == BoardDraw((9, 9), (4, 4), (4, 4))
    (row, change) = read_trials("rule_id,b,max_boards,note\nx,1,5,one\n,2,,two\n")
    changed = row.modify(change)
    assert (changed.rule_id, changed.b, changed.max_boards, changed.others) == (
        "x",
        2.0,
        5,
        (("note", "two"),),
    )


def test_folders_expand(tmp_path):
    (tmp_path / "arrows").mkdir()
    for name in ("up.svg", "down.svg"):
        (tmp_path / "arrows" / name).touch()
    assert expand_names(("star", "arrows/*"), tmp_path) == ("star", "arrows/down", "arrows/up")
    with pytest.raises(AssayError, match="names a folder"):
        expand_names(("arrows/*",))


@pytest.mark.parametrize(
    "text, says",
    [
        ("", "no row below"),
        ("b\n", "no row below"),
        ("b,b\n1,2", "'b' twice"),
        ("b\nx", "b in row 1 of the trial list .line 2. is 'x', which is no number"),
        ("max_boards\n1.5", "no whole number"),
        ("crowded\nmaybe", "true or false"),
        ("feedback_switches\nall", "fixed or free"),
        ("b\n1,2", "2 entries for 1 columns"),
    ],
)
def test_lists_that_are_refused(text, says):
    with pytest.raises(AssayError, match=says):
        read_trials(text)


@pytest.mark.parametrize("text", ["clockwise", "R:clockwise", "R::fast", "S:a:b", "R:a:b:c"])
def test_combinations_that_are_refused(text):
    with pytest.raises(AssayError, match="R:rule:modifier"):
        split_combination(text)


def test_the_page_on_the_server_names_every_column():
    page = (Path(__file__).parents[3] / "docs" / "rules-protocol.md").read_text()
    assert [name for name in FIELD_OF if f"`{name}`" not in page] == []
