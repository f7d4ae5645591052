"""Result files by hand, in both formats, and the transcript."""

import csv
import re

import pytest

from assay.errors import AssayError
from assay.interop.captive.arguments import Output
from assay.interop.captive.results import AppendedFile
from tests.interop.captive.play import open_words, play_bytes, write_board, write_rule

LONG = "#nickname,rule_name,trial_id,board_id,number_of_pieces,number_of_moves,move_acc,if_clear"


def open_logged(folder, *options: str):
    rule = write_rule(folder / "any_to_0.txt", "(*,*,*,*,0)")
    board = write_board(folder / "board.json", (("red", "star", 1, 1), ("blue", "star", 2, 1)))
    log = (f"log={folder / 'log.csv'}", "log.nickname=me", "log.run=3")
    return open_words(rule, board, *log, *options, output=Output.STANDARD)


def lines(path) -> list[str]:
    return path.read_text().splitlines()


COMMANDS = b"MOVE 0 1\nMOVE 0 0\nMOVE 1 0\nNEW\nMOVE 0 3\nNEW\nNEW\nMOVE 0 0\nEXIT\n"


def test_long(tmp_path):
    session = open_logged(tmp_path)
    play_bytes(session, COMMANDS)
    session.end()
    assert lines(tmp_path / "log.csv") == [
        LONG,
        "me,any_to_0,3,0,2,3,0.6666666666666666,1",
        "me,any_to_0,3,1,2,1,0.0,0",
        "me,any_to_0,3,2,2,0,0.0,0",
        "me,any_to_0,3,3,2,1,1.0,0",
    ]


def test_compact(tmp_path):
    session = open_logged(tmp_path, "log.format=Compact")
    play_bytes(session, COMMANDS)
    session.end()
    assert lines(tmp_path / "log.csv") == [
        "#.nickname,rule_name,trial_id", "#number_of_moves,number_of_errors,if_clear", ".me,any_to_0,3",
        "3,1,1", "1,1,0", "0,0,0", "1,0,0",
    ]  # fmt: skip


def test_a_row_is_there_as_soon_as_its_episode_ends(tmp_path):
    session = open_logged(tmp_path)
    session.answer(b"MOVE 0 0")
    assert len(lines(tmp_path / "log.csv")) == 1
    session.answer(b"MOVE 1 0")
    assert len(lines(tmp_path / "log.csv")) == 2
    session.answer(b"MOVE 1 0")
    session.answer(b"NEW")
    session.end()
    assert len(lines(tmp_path / "log.csv")) == 3


def test_an_episode_that_begins_in_stalemate_has_one_row(tmp_path):
    rule = write_rule(tmp_path / "none.txt", "(*,triangle,*,*,0)")
    board = write_board(tmp_path / "board.json")
    log = (f"log={tmp_path / 'log.csv'}", "log.nickname=a,b", "log.run=0")
    session = open_words(rule, board, *log)
    session.answer(b"NEW")
    session.end()
    assert lines(tmp_path / "log.csv")[1:] == ['"a,b",none,0,0,3,0,0.0,0', '"a,b",none,0,1,3,0,0.0,0']


def test_a_log_is_begun_anew_or_appended_to(tmp_path):
    for options, count in (((), 2), ((), 2), (("log.append=true",), 3), (("log.append=true",), 4)):
        session = open_logged(tmp_path, *options)
        session.end()
        assert len(lines(tmp_path / "log.csv")) == count
        assert lines(tmp_path / "log.csv").count(LONG) == 1


def test_a_file_that_holds_something_else_is_never_written_over(tmp_path):
    (tmp_path / "log.csv").write_text("(bucket:0)\n")
    for options in ((), ("log.append=true",)):
        with pytest.raises(AssayError, match="holds something else than these results"):
            open_logged(tmp_path, *options)
    assert lines(tmp_path / "log.csv") == ["(bucket:0)"]


def test_results_of_another_client_are_not_begun_anew(tmp_path):
    path = tmp_path / "log.csv"
    AppendedFile(path, LONG + "\n", append=False, keep=True).close()
    with pytest.raises(AssayError, match="holds results already; write logappend"):
        AppendedFile(path, LONG + "\n", append=False, keep=True)
    AppendedFile(path, LONG + "\n", append=True, keep=True).close()


def test_the_transcript(tmp_path):
    session = open_logged(tmp_path, f"detailedTranscript={tmp_path / 'moves.csv'}")
    play_bytes(
        session, b"MOVE 0 1\nMOVE 5 5 0 0\nMOVE 0 0\nMOVE 9 9\nMOVE 1 0\nMOVE 1 0\nNEW\nMOVE 2 2\nMOVE 1 2\n"
    )
    session.end()
    rows = list(csv.DictReader(lines(tmp_path / "moves.csv")))
    assert list(rows[0]) == [
        "#playerId", "trialListId", "seriesNo", "ruleId", "episodeNo", "episodeId", "moveNo", "timestamp",
        "mover", "reactionTime", "objectType", "objectId", "y", "x", "bucketId", "by", "bx", "code",
        "objectCnt",
    ]  # fmt: skip
    told = (
        "episodeNo",
        "moveNo",
        "objectType",
        "objectId",
        "y",
        "x",
        "bucketId",
        "by",
        "bx",
        "code",
        "objectCnt",
    )
    assert [tuple(row[key] for key in told) for row in rows] == [
        ("0", "0", "RED_STAR", "0", "1", "1", "1", "7", "7", "4", "2"),
        ("0", "1", "RED_STAR", "0", "1", "1", "0", "7", "0", "0", "2"),
        ("0", "2", "BLUE_STAR", "1", "1", "2", "0", "7", "0", "0", "1"),
        ("1", "0", "BLUE_STAR", "1", "1", "2", "2", "0", "7", "4", "2"),
    ]
    assert all(row["#playerId"] == "me" and row["ruleId"] == "any_to_0" for row in rows)
    assert all(re.fullmatch(r"\d{8}-\d{6}\.\d{3}", row["timestamp"]) for row in rows)
    assert all(float(row["reactionTime"]) >= 0 for row in rows)
    assert len({row["episodeId"] for row in rows}) == 2


def test_a_long_episode_keeps_little_back(tmp_path):
    session = open_logged(tmp_path, f"detailedTranscript={tmp_path / 'moves.csv'}")
    for _ in range(2000):
        session.answer(b"MOVE 0 1")
    assert len(session.results.waiting) < 1000 < len(lines(tmp_path / "moves.csv"))


def test_a_place_that_cannot_be_written_is_refused_at_the_start(tmp_path):
    with pytest.raises(AssayError, match="cannot be written"):
        open_logged(tmp_path, f"detailedTranscript={tmp_path}")


def test_a_refused_new_loses_nothing_of_the_episode_that_goes_on(tmp_path):
    rule = write_rule(tmp_path / "any.txt", "(bucket:[0,1,2,3])")
    never = write_rule(tmp_path / "hex.txt", "(shape:hexagon)")
    log = (f"log={tmp_path / 'log.csv'}", "log.nickname=me", "log.run=0",
           f"detailedTranscript={tmp_path / 'moves.csv'}")  # fmt: skip
    session = open_words(rule, "3", "seed=5", f"condTrain={never}", *log, output=Output.BRIEF)
    play_bytes(session, b"MOVE 0 0\nCOND test\nNEW\nMOVE 1 0\nMOVE 2 1\nEXIT\n")
    session.end()
    assert lines(tmp_path / "log.csv") == [LONG, "me,any,0,0,3,3,1.0,1"]
    assert len(lines(tmp_path / "moves.csv")) == 1 + 3


def test_one_file_is_not_both_log_and_transcript(tmp_path):
    with pytest.raises(AssayError, match=r"log and detailedTranscript are both .*; name two files"):
        open_logged(tmp_path, f"detailedTranscript={tmp_path}/x/../log.csv")
    assert not (tmp_path / "log.csv").exists()


def test_rows_of_another_format_are_not_added_to_a_file(tmp_path):
    open_logged(tmp_path).end()
    before = lines(tmp_path / "log.csv")
    with pytest.raises(
        AssayError, match="holds results of the format Long, and results of the format Compact"
    ):
        open_logged(tmp_path, "log.append=true", "log.format=Compact")
    assert lines(tmp_path / "log.csv") == before
    session = open_logged(tmp_path, "log.append=true")
    session.end()
    assert len(lines(tmp_path / "log.csv")) == len(before) + 1
