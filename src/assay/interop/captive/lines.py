"""Bytes as lines, as they come in: in any pieces, of any length, in bounded memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from assay.interop.captive.session import INVALID_COMMAND, LONGEST, Session

LARGEST_BATCH = 32_768  # bytes of replies that are gathered before they are sent


class LineSplitter:
    """Keeps what follows the last newline. A line that is too long is cut, but stays longer than LONGEST."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that these bytes complete."""
        lines = (self.rest + data if self.rest else data).split(b"\n")
        self.rest = lines.pop()[: LONGEST + 1]
        return lines

    def finish(self) -> list[bytes]:
        """What stands after the last newline, at the end of input."""
        rest, self.rest = self.rest, b""
        return [rest] if rest else []


def answer_lines(session: Session, lines: list[bytes]) -> Iterator[bytes]:
    """The replies to lines, in pieces of bounded size; nothing after the reply to EXIT."""
    if len(lines) == 1:
        yield answer_safely(session, lines[0])
        return
    replies: list[bytes] = []
    size = 0
    for line in lines:
        if session.is_over:
            break
        replies.append(answer_safely(session, line))
        size += len(replies[-1])
        if size > LARGEST_BATCH:
            yield b"".join(replies)
            replies, size = [], 0
    yield b"".join(replies)


def answer_safely(session: Session, line: bytes) -> bytes:
    """The reply to a line. A fault of the server itself refuses the command and leaves the session open."""
    try:
        return session.answer(line)
    except OSError:  # a result file cannot be written: going on would lose results
        raise
    except Exception as error:
        with contextlib.suppress(Exception):
            return session.refuse(
                INVALID_COMMAND, f"the server failed on this command ({type(error).__name__})"
            )
        return b"-1 0 0\n# the server failed on this command.\n"
