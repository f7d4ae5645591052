"""Short forms for tests of the captive server: sessions in one line, replies as codes and data lines."""

from __future__ import annotations

import json
from pathlib import Path

from assay.interop.captive.arguments import Output, read_arguments
from assay.interop.captive.files import Files
from assay.interop.captive.lines import LineSplitter, answer_lines
from assay.interop.captive.opening import open_session
from assay.interop.captive.session import Session

CLOCKWISE = "(1,*,*,*,0)\n(*,*,*,*,p+1)\n"
PIECES = (("red", "star", 1, 1), ("black", "square", 2, 1), ("blue", "circle", 6, 6))


def write_board(path: Path, pieces=PIECES, **more) -> str:
    """A board file; pieces are (colour, shape, x, y)."""
    value = [dict(zip(("id", "color", "shape", "x", "y"), (i, *each))) for i, each in enumerate(pieces)]
    path.write_text(json.dumps({"id": 0, "value": value} | more))
    return str(path)


def write_rule(path: Path, text: str = CLOCKWISE) -> str:
    path.write_text(text)
    return str(path)


def open_words(*words: str, files: Files = Files(), output: Output = Output.FULL) -> Session:
    return open_session(read_arguments(words), files, output)


def open_on_board(folder: Path, rule: str = CLOCKWISE, pieces=PIECES, *options: str) -> Session:
    """A session on one board, in STANDARD mode unless told otherwise."""
    words = (write_rule(folder / "rule.txt", rule), write_board(folder / "board.json", pieces))
    return open_words(*words, *options, output=Output.STANDARD)


def data_lines(reply: bytes) -> list[str]:
    """What a client sees: all lines but comments."""
    return [line for line in reply.decode().splitlines() if not line.startswith("#")]


def play_bytes(session: Session, data: bytes, pieces: int = 7) -> bytes:
    """All replies to bytes that come in small pieces, as a pipe brings them."""
    splitter, replies = LineSplitter(), [session.greet()]
    for at in range(0, len(data), pieces):
        for reply in answer_lines(session, splitter.feed(data[at : at + pieces])):
            replies.append(reply)
        if session.is_over:
            break
    replies += [] if session.is_over else list(answer_lines(session, splitter.finish()))
    return b"".join(replies)
