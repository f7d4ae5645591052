"""Where a text cannot be read: an error that knows the place, and the sentences that tell it.

Shared by all that is parsed: the texts of tasks, and the rule files of games with their expressions.
"""

from __future__ import annotations

WIDEST = 100_000  # a line has fewer columns


class Unreadable(Exception):
    """What is wrong with a text, and at which place: a character from 0 on, or a `place` of a file."""

    def __init__(self, says: str, at: int = 0):
        super().__init__(says)
        self.says, self.at = says, at


def place(line: int, column: int) -> int:
    """A line and a column, from 0 on, in one number: places further along the line are a sum."""
    return line * WIDEST + column


def tell_in_file(source: str, at: int, says: str) -> str:
    """The sentence for something wrong at a `place` of a file."""
    line, column = divmod(at, WIDEST)
    end = "" if says.endswith("?") else "."
    return f"{source}, line {line + 1}, column {column + 1}: {says}{end}"


def tell_in_text(kind: str, text: str, at: int, says: str) -> str:
    """The sentence for something wrong from a character of a short text on."""
    return f"in the {kind} {text!r}, from character {at + 1} on: {says}"
