"""The protocol by hand: whole sessions, then every kind of command and refusal in every mode."""

import json

import pytest

from assay import __version__
from assay.interop.captive.arguments import Output
from assay.interop.captive.session import LONGEST
from tests.interop.captive.play import data_lines, open_on_board, open_words, play_bytes

A = '{"id":0,"color":"RED","shape":"STAR","x":1,"y":1,"label":"A","buckets":%s}'
B = '{"id":1,"color":"BLACK","shape":"SQUARE","x":2,"y":1,"label":"B","buckets":%s}'
C = '{"id":2,"color":"BLUE","shape":"CIRCLE","x":6,"y":6,"label":"C","buckets":%s}'


def board(*pieces: str) -> str:
    return '{"id":0,"value":[' + ",".join(pieces) + "]}"


START = board(A % "[0]", B % "[0]", C % "[0]")
GREETING = f"# assay {__version__}, captive game server. Episode 1 begins."


def test_a_whole_session_line_by_line(tmp_path):
    session = open_on_board(tmp_path)
    commands = b"MOVE 0 1\nMOVE 0 0\nmove 6 6 7 7\nMOVE 2 1\nMOVE 1 2\nMOVE 1 2\nEXIT\nMOVE 1 1\n"
    assert play_bytes(session, commands).decode().splitlines() == [
        "6 0 0", GREETING, START,
        "4 0 1", "# null", START,
        "0 0 2", "# null", board(B % "[1]", C % "[1]"),
        "0 0 3", "# null", board(B % "[2]"),
        "-10 0 3", "# there is no piece with that id on the board.", board(B % "[2]"),
        "0 1 4", "# The board is clear.", board(),
        "-4 1 4", "# the episode is over; NEW begins another.", board(),
        "5 1 4", "# Goodbye.",
    ]  # fmt: skip


def test_a_whole_session_in_brief(tmp_path):
    session = open_on_board(
        tmp_path, "(1,*,*,*,0)\n(*,*,*,*,p+1)\n", (("red", "star", 1, 1),), "output=BRIEF"
    )
    assert play_bytes(session, b"MOVE 0 3\nMOVE 0 0\nMOVE 0 0\n").decode().splitlines() == [
        "6 0 0", GREETING, board(A % "[0]"),
        "4 0 1", "# null",
        "0 1 2", "# null",
        "-4 1 2", "# the episode is over; NEW begins another.",
    ]  # fmt: skip


def test_pictures_in_full(tmp_path):
    session = open_on_board(
        tmp_path, "(*,*,*,*,0)", (("red", "star", 1, 1), ("blue", "circle", 6, 6)), "output=FULL"
    )
    rule = "#---+------------------------------"
    empty = "   .    .    .    .    .    . "
    middle = [f"# {y} |{empty}" for y in (5, 4, 3, 2)]
    foot = [rule, "#   |   1    2    3    4    5    6"]
    assert session.greet().decode().splitlines()[3:] == [
        rule, "# 6 |   .    .    .    .    .   gO ", *middle, "# 1 |  r*    .    .    .    .    . ", *foot,
    ]  # fmt: skip
    assert session.answer(b"MOVE 1 1 7 7").decode().splitlines()[3:] == [
        rule, "# 6 |   .    .    .    .    .   gO ", *middle, "# 1 | [r*]   .    .    .    .    . ", *foot,
    ]  # fmt: skip
    assert session.answer(b"MOVE 6 6 7 0").decode().splitlines()[3:] == [
        rule, "# 6 |   .    .    .    .    .  ( .)", *middle, "# 1 |  r*    .    .    .    .    . ", *foot,
    ]  # fmt: skip


# command -> status without finish and attempts, or None for no status; whether a board follows in STANDARD
ROWS = [
    (b"MOVE 0 0", "0", True),
    (b"MOVE 0 1", "4", True),
    (b"MOVE 1 1 7 0", "0", True),
    (b"MoVe 1 2 0 0", "4", True),
    (b"MOVE 1 2 0 7\r", "4", True),
    (b"  move\t0   1 ", "4", True),
    (b"MOVE 0 4", "-2", True),
    (b"MOVE 0 99999999999999999999999999", "-2", True),
    (b"MOVE 9 0", "-10", True),
    (b"MOVE 99999999999999999999999999 0", "-10", True),
    (b"MOVE 000000000000000000000000 1", "4", True),
    (b"MOVE 0 1 0 0", "-2", True),
    (b"MOVE 7 1 0 0", "-2", True),
    (b"MOVE 1 7 0 0", "-2", True),
    (b"MOVE 1 1 3 0", "-2", True),  # the published server dies of it
    (b"MOVE 1 1 0 3", "-2", True),
    (b"MOVE 1 1 8 8", "-2", True),
    (b"MOVE 3 3 0 0", "3", True),
    (b"MOVE", "-2", False),
    (b"MOVE 1", "-2", False),
    (b"MOVE 1 2 3", "-2", False),
    (b"MOVE 1 1 0 0 0", "-2", False),
    (b"MOVE 0 -1", "-2", False),
    (b"MOVE -1 1", "-2", False),
    (b"MOVE 0 1.0", "-2", False),
    (b"MOVE 0 one", "-2", False),
    (b"MOVE 0 +1", "-2", False),
    (b"MOVE 0 \xd9\xa1", "-2", False),
    (b"MOVE \xff\xfe \x00", "-2", False),
    (b"MOVE 0 1 \x00", "-2", False),
    (b"MOVE " + b"1 " * LONGEST, "-2", False),
    (b"x" * (LONGEST + 1), "-1", False),
    (b"PICK 0", "-1", False),
    (b"GAME rule.txt 5", "-1", False),
    (b"0 1", "-1", False),
    (b"-", "-1", False),
    (b"# a comment", "-1", False),
    (b"\x00", "-1", False),
    (b"\xff\xfe\xfd", "-1", False),
    (b"MOVE0 1", "-1", False),
    (b"MODE", "-2", False),
    (b"MODE LOUD", "-2", False),
    (b"MODE BRIEF FULL", "-2", False),
    (b"COND sideways", "-2", False),
    (b"COND test", "-2", False),  # without a condition; the published server dies of it
    (b"EXIT", "5", False),
    (b"NEW", "6", True),
]


@pytest.mark.parametrize("command, code, shows", ROWS, ids=[repr(row[0][:30]) for row in ROWS])
@pytest.mark.parametrize("mode", Output)
def test_the_status_and_the_number_of_data_lines(tmp_path, mode, command, code, shows):
    session = open_on_board(tmp_path, "(*,*,*,*,0)")
    session.answer(b"MODE " + mode.value.encode())
    reply = session.answer(command)
    lines = data_lines(reply)
    is_move = command.split()[0].upper() == b"MOVE"
    counted = int(is_move and code in ("0", "4", "7"))
    assert lines[0] == f"{code} 0 {counted}"
    assert len(lines) == 1 + (shows and (mode is not Output.BRIEF or command == b"NEW"))
    assert reply.decode().splitlines()[1].startswith("# ") and reply.endswith(b"\n")
    pictures = reply.count(b"\n#---+")
    assert pictures == (2 if shows and mode is Output.FULL else 0)
    assert data_lines(session.answer(b"DISPLAY"))[0].startswith('{"id":0')  # the session goes on


@pytest.mark.parametrize("mode", Output)
def test_commands_without_a_status(tmp_path, mode):
    session = open_on_board(tmp_path)
    assert session.answer(b"mode " + mode.value.lower().encode()) == f"# OK, mode={mode.value}\n".encode()
    assert session.answer(b"COND") == b"# OK, cond=none\n"
    shown = session.answer(b"DISPLAY").decode()
    assert shown.startswith(START + "\n") and len(shown.splitlines()) == (10 if mode is Output.FULL else 1)
    assert len(session.answer(b"DISPLAYFULL").decode().splitlines()) == 10
    for command in (b"VERSION", b"help"):
        assert session.answer(command) and not data_lines(session.answer(command))
    assert json.loads(session.answer(b"FEATURES")) == {
        "shape": ["STAR", "SQUARE", "CIRCLE"],
        "color": ["RED", "BLACK", "BLUE"],
    }
    assert session.answer(b"") == session.answer(b" \t\r") == b""


def test_an_episode_that_begins_in_stalemate(tmp_path):
    session = open_on_board(tmp_path, "(*,triangle,*,*,0)")
    assert data_lines(session.greet()) == ["2 2 0", board(A % "[]", B % "[]", C % "[]")]
    assert data_lines(session.answer(b"MOVE 0 0"))[0] == "-4 2 0"
    assert data_lines(session.answer(b"NEW"))[0] == "2 2 0"


def test_lines_that_count_0_are_a_stalemate_and_no_crash(tmp_path):
    assert data_lines(open_on_board(tmp_path, "0 (*,*,*,*,0)\n0 (*,*,*,*,1)").greet())[0] == "2 2 0"


def test_the_move_that_causes_a_stalemate(tmp_path):
    session = open_on_board(tmp_path, "(*,star,*,*,0)")
    reply = session.answer(b"MOVE 0 0").decode().splitlines()
    assert reply[:2] == ["0 2 1", "# Stalemate: no piece can move."]
    assert reply[2] == board(B % "[]", C % "[]")


def test_an_immovable_piece(tmp_path):
    session = open_on_board(tmp_path, "(*,star,*,*,0)")
    assert data_lines(session.answer(b"MOVE 1 0"))[0] == "7 0 1"


def test_a_crowded_cell_is_reached_by_id(tmp_path):
    pieces = (("red", "star", 1, 1), ("blue", "star", 1, 1), ("red", "star", 2, 2))
    session = open_on_board(tmp_path, "()", pieces, "crowded=true", "output=FULL")
    assert data_lines(session.answer(b"MOVE 1 1 0 0"))[0] == "-11 0 0"
    assert "# 1 |  r* g*" in session.greet().decode()
    accepted = session.answer(b"MOVE 1 0").decode()
    assert accepted.startswith("0 0 1\n") and "# 1 |  r*( " + " )" in accepted
    assert data_lines(session.answer(b"MOVE 1 1 0 0"))[0] == "0 0 2"


def test_memory_is_new_in_each_episode(tmp_path):
    session = open_on_board(tmp_path, "(bucket:[!p * 2, p + 1])")
    first = session.text.write(session.episode)
    session.answer(b"MOVE 0 2")
    assert data_lines(session.answer(b"NEW")) == ["6 0 0", first.decode().strip()]


def test_buckets_can_be_hidden(tmp_path):
    session = open_on_board(tmp_path, "()", (("red", "star", 1, 1),), "buckets=hidden")
    assert data_lines(session.greet())[1] == board(A.partition(',"buckets"')[0] + "}")


def test_random_boards_have_no_label():
    session = open_words("shape_match", "2", "seed=3", output=Output.STANDARD)
    pieces = json.loads(data_lines(session.greet())[1])["value"]
    assert [list(piece) for piece in pieces] == [["id", "color", "shape", "x", "y", "buckets"]] * 2


def test_property_pieces_show_their_properties(tmp_path):
    (tmp_path / "rule.txt").write_text("(size:[1..2], bucket:1)")
    (tmp_path / "board.json").write_text(
        '{"value":[{"id":"3","x":1,"y":2,"image":"cat.png","size":2},{"id":4,"x":1,"y":3,"size":3}]}'
    )
    session = open_words(str(tmp_path / "rule.txt"), str(tmp_path / "board.json"), output=Output.STANDARD)
    assert data_lines(session.greet())[1] == board(
        '{"id":3,"x":1,"y":2,"image":"cat.png","size":2,"label":"D","buckets":[1]}',
        '{"id":4,"x":1,"y":3,"size":3,"label":"E","buckets":[]}',
    )
    assert json.loads(session.answer(b"FEATURES")) == {"image": ["cat.png"], "size": [2, 3]}


def test_commands_sent_ahead_are_never_lost(tmp_path):
    commands = b"MOVE 0 0\nNEW\n" * 50 + b"EXIT\n"
    one_by_one = play_bytes(open_on_board(tmp_path), commands, pieces=3)
    at_once = play_bytes(open_on_board(tmp_path), commands, pieces=10**6)
    assert one_by_one == at_once and one_by_one.count(b"0 0 1\n# null\n") == 50
    assert one_by_one.endswith(b"5 0 0\n# Goodbye.\n")


def test_a_last_line_without_its_end_is_a_command(tmp_path):
    assert play_bytes(open_on_board(tmp_path), b"MOVE 0 1").endswith((START + "\n").encode())


def test_replies_hold_what_a_client_sent_only_in_printable_letters(tmp_path):
    session = open_on_board(tmp_path)
    for word in (b"\x1b[31m", b"\xe2\x80\xa8", b"a" * 1000, b"\x07'\""):
        reply = session.answer(word)
        assert reply.decode().replace("\n", "").isprintable() and len(reply) < 300


def test_a_number_beyond_18_digits_names_no_piece(tmp_path):
    session = open_on_board(tmp_path)
    for number in (b"9" * 18, b"1" + b"0" * 18, b"9" * 23, b"9" * 5000):
        assert session.answer(b"MOVE %b 0" % number).startswith(b"-10 0 0\n")
    assert session.answer(b"MOVE 0 " + b"9" * 23).startswith(b"-2 0 0\n")
    assert session.answer(b"MOVE " + b"0" * 30 + b" 0").startswith(b"0 0 1\n")  # it is still the piece 0
