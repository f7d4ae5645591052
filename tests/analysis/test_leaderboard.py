"""Standings by hand: costs until mastery, entries apart, and the page."""

import pytest

from assay.analysis.leaderboard import Refused, Submission, find_standings
from assay.report.leaderboard_page import as_json, leaderboard_page

CLEAN = (0,) * 10


def submission(player, *runs, rule="r"):
    cleared = tuple(tuple(True for _ in run) for run in runs)
    return Submission(player, rule, f"{player}.jsonl.gz", tuple(runs), cleared)


def test_errors_after_mastery_do_not_count():
    board = find_standings([submission("a", (3, 2, *CLEAN, 50), (1, 0, *CLEAN, 50))], enough_runs=2)
    (entry,) = board.rules[0].ranked
    assert entry.costs == (5.0, 1.0) and entry.cost == 3 and entry.errors == (55 + 51) / 2


def test_an_entry_that_did_not_learn_is_listed_apart():
    never = (1,) * 12
    board = find_standings(
        [
            submission("a", (4, *CLEAN, 0), (2, *CLEAN, 0), never),
            submission("b", (4, *CLEAN, 0), never, never),
        ],
        enough_runs=3,
    )
    (standings,) = board.rules
    assert [entry.player for entry in standings.ranked] == ["a"] and standings.ranked[0].cost == 4
    assert [(entry.player, entry.mastered) for entry in standings.not_learned] == [("b", 1)]
    assert [rank.name for rank in board.players.ranks] == ["a", "b"]


def test_too_few_runs_are_listed_apart_and_rank_nobody():
    board = find_standings([submission("a", (4, *CLEAN)), submission("b", (1, *CLEAN))])
    assert board.rules[0].ranked == () and len(board.rules[0].too_few) == 2 and board.players.ranks == ()


def test_the_cheapest_comes_first():
    board = find_standings([submission("a", (4, *CLEAN)), submission("b", (1, *CLEAN))], enough_runs=1)
    assert [entry.player for entry in board.rules[0].ranked] == ["b", "a"]
    assert board.players.ranks[0].rating == pytest.approx(0.5 * 0.6931471805599453)


def test_the_page_escapes_and_names_the_refused():
    board = find_standings([submission("a", (4, *CLEAN))], [Refused("<x>.jsonl.gz", "it is cut off.")], (), 1)
    page = leaderboard_page(board, [("Board seed", "7")])
    assert "&lt;x&gt;.jsonl.gz" in page and "it is cut off." in page and "<x>" not in page
    assert as_json(board)["rules"][0]["ranked"][0]["cost"] == 4


def test_ties_are_ordered_by_all_errors_and_then_by_name():
    late = [submission(name, (4, *CLEAN, more)) for name, more in (("c", 0), ("a", 9), ("b", 0))]
    board = find_standings(late, enough_runs=1)
    assert [entry.player for entry in board.rules[0].ranked] == ["b", "c", "a"]
    assert [rank.name for rank in board.players.ranks] == ["b", "c", "a"]
    never = [submission(name, (each,) * 12) for name, each in (("x", 3), ("z", 1), ("y", 1))]
    assert [entry.player for entry in find_standings(never, enough_runs=1).rules[0].not_learned] == [
        "y",
        "z",
        "x",
    ]
    assert [entry.player for entry in find_standings(late).rules[0].too_few] == ["b", "c", "a"]
