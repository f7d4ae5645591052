"""Inputs that no client should send: each gets the code and the data lines that it should.

Half of the inputs are random bytes, half are changed sessions in which some line is still a command;
`benchmarks/rules_fuzz.py` tries many more, and watches the memory.
"""

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable

import pytest

from assay.interop.captive.arguments import Output
from assay.interop.captive.lines import LineSplitter, answer_lines
from assay.interop.captive.session import LONGEST, Session
from tests.interop.captive.play import data_lines, open_words

RECORDED = (
    b"MOVE 0 0\nMOVE 1 1\nMOVE 2 2\nMOVE 3 3\nDISPLAY\nNEW\n",
    b"MODE BRIEF\nMOVE 4 0\nMOVE 1 1 7 0\nMOVE 2 3 0 7\nMODE STANDARD\nMOVE 6 6 0 0\n",
    b"FEATURES\nVERSION\nHELP\nCOND\nCOND train\nMODE FULL\nDISPLAYFULL\nMOVE 5 2\nNEW\nNEW\n",
    b"move 8 3\r\nMove 8 2\r\nmovE 8 1\r\n\r\nMOVE 8 0\r\nEXITS\r\n",
)
SPLICES = (b"MOVE", b"NEW", b" ", b"\n", b"-1", b"0", b"7", b"99999999999999999999", b"MODE BRIEF",
           b"\x00", b"\xff", b"COND test", b"GAME shape_match 5", b"PICK 1", b"#", b"MOVE 1 1 3 0", b"\t",
           b"x" * 300)  # fmt: skip
WHOLE = re.compile(rb"[0-9]+")
SLOWEST = 2.0  # seconds for one input
SILENT = {b"VERSION", b"HELP"}  # comments alone
GAMES = (
    ("shape_match", "9", "4", "4"), ("counterClockwise", "5:12"), ("position_A", "9", "0", "0"),
    ("colOrd_Sh_Bckt", "6"), ("red_then_blue", "4"), ("color_finds_bucket", "30", "crowded=true"),
)  # fmt: skip


def draw_input(chance: random.Random) -> bytes:
    """Random bytes for half of the inputs, else a changed session."""
    if chance.random() < 0.5:
        return draw_bytes(chance)
    return mutate(chance)


def draw_bytes(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randint(0, 60)) + b"\n"


def mutate(chance: random.Random) -> bytes:
    """Lines of a recorded session with up to three small changes."""
    data = chance.choice(RECORDED)
    if chance.random() < 0.7:
        lines = data.split(b"\n")
        data = b"\n".join(chance.choices(lines, k=chance.randint(1, 3)))
    for _ in range(chance.randint(0, 3)):
        at = chance.randint(0, len(data))
        end = min(len(data), at + chance.randint(0, 5))
        kind = chance.randrange(4)
        if kind == 0:
            data = data[:at] + data[end:]
        elif kind == 1:
            data = data[:at] + chance.choice(SPLICES) + data[at:]
        elif kind == 2:
            data = data[:at] + data[at:end] * chance.randint(2, 30) + data[end:]
        else:
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
    return data + b"\n"


def has_command(data: bytes, session: Session) -> bool:
    """Whether some line begins with the word of a command, so that it gets past the reader of words."""
    lines = (line.split(maxsplit=1) for line in data.split(b"\n"))
    return any(words and words[0].upper() in session.commands for words in lines)


def expect_move(words: list[bytes], session: Session) -> int | None:
    """The code of a MOVE with a right number of whole numbers; None for one that is counted."""
    episode = session.episode
    numbers = [int(word) for word in words]
    if episode.finish:
        return -4
    if len(numbers) == 2:
        if numbers[1] > 3:
            return -2
        return None if numbers[0] in {piece.id for piece in episode.pieces} else -10
    row, column, bucket_row, bucket_column = numbers
    if not (0 < row < 7 and 0 < column < 7 and bucket_row in (0, 7) and bucket_column in (0, 7)):
        return -2
    there = [piece for piece in episode.pieces if piece.cell == column + 6 * (row - 1)]
    return {0: 3, 1: None}.get(len(there), -11)


def check_reply(line: bytes, session: Session) -> int | None:
    """Answers one line and holds the reply against the table of the protocol; the code of its status."""
    words = line.split()
    mode, attempts, finish = session.output, session.episode.attempts, session.episode.finish
    expected: int | None = None
    is_move = bool(words) and words[0].upper() == b"MOVE"
    well_formed = is_move and len(words) in (3, 5) and all(WHOLE.fullmatch(word) for word in words[1:])
    if well_formed:
        expected = expect_move(words[1:], session)
    reply = session.answer(line)
    data = data_lines(reply)
    if not words:
        assert reply == b""
        return None
    command = words[0].upper()
    assert reply.endswith(b"\n")
    if command in SILENT or reply.startswith(b"# OK, "):
        assert not data and (command in SILENT or command in (b"MODE", b"COND"))
        return None
    if command in (b"DISPLAY", b"DISPLAYFULL", b"FEATURES"):
        assert len(data) == 1 and data[0].startswith("{")
        return None
    code, after, count = map(int, data[0].split())
    if command == b"NEW":
        assert (code, len(data)) in ((6, 2), (2, 2)) and count == 0
        return code
    if well_formed:
        assert len(data) == (1 if mode is Output.BRIEF else 2)
        assert code == expected if expected is not None else code in (0, 4, 7)
        assert count == attempts + (expected is None)
        return code
    assert len(data) == 1 and (after, count) == (finish, attempts)
    assert code == (-2 if is_move or command in (b"MODE", b"COND") else 5 if command == b"EXIT" else -1), line
    session.is_over = False  # after EXIT: the fuzzing goes on with the same session
    return code


def fuzz(
    count: int, seed: int, watch: Callable[[int], None] = lambda done: None
) -> tuple[Counter[int | None], Counter[str]]:
    """How often each code was the answer, and how many inputs are random, changed, and hold a command."""
    chance = random.Random(seed)
    sessions = [open_words(*words, f"seed={seed}", output=Output.BRIEF) for words in GAMES]
    codes, inputs = Counter[int | None](), Counter[str]()
    blocks = 0
    for i in range(count):
        session = sessions[i // 2 % len(sessions)]
        if i % 2:
            kind, data = "random", draw_bytes(chance)
        else:
            kind, data = "changed", mutate(chance)
            while not has_command(data, session):
                inputs["changed and drawn anew"] += 1
                data = mutate(chance)
        inputs[kind] += 1
        inputs[f"{kind}, with a command"] += has_command(data, session)
        begun = time.process_time()
        splitter = LineSplitter()
        for line in splitter.feed(data):
            codes[check_reply(line, session)] += 1
        assert time.process_time() - begun < SLOWEST, data
        if i == count // 2:
            blocks = sys.getallocatedblocks()
        watch(i + 1)
    # What atoms remember of new kinds of pieces, and no more.
    assert sys.getallocatedblocks() - blocks < 60_000
    return codes, inputs


EVERY_CODE = {None, 0, 2, 3, 4, 5, 6, 7, -1, -2, -4, -10, -11}


def test_ten_thousand_inputs():
    codes, inputs = fuzz(10_000, seed=1)
    assert set(codes) == EVERY_CODE  # so none was tested in vain
    assert inputs["random"] == inputs["changed, with a command"] == 5_000


@pytest.mark.slow
def test_half_a_million_inputs():
    codes, inputs = fuzz(500_000, seed=2)
    assert set(codes) == EVERY_CODE and inputs["changed, with a command"] == 250_000


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_bytes_in_any_pieces_give_the_same_replies(size):
    chance = random.Random(3)
    data = b"".join(draw_input(chance) for _ in range(200)).replace(b"EXIT", b"")
    replies = []
    for step in (size, len(data)):
        session, splitter = open_words("shape_match", "9", "seed=4"), LineSplitter()
        pieces = [data[at : at + step] for at in range(0, len(data), step)]
        replies.append(b"".join(b"".join(answer_lines(session, splitter.feed(piece))) for piece in pieces))
    assert replies[0] == replies[1]


def test_an_endless_line_takes_bounded_memory():
    session, splitter = open_words("shape_match", "9", output=Output.BRIEF), LineSplitter()
    for _ in range(2_000):
        assert splitter.feed(b"MOVE 1 " * 10_000) == []
        assert len(splitter.rest) <= LONGEST + 1
    (reply,) = answer_lines(session, splitter.feed(b"\n"))
    assert data_lines(reply) == ["-2 0 0"]
