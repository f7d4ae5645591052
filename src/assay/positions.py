"""Positions in texts that cannot be read: an error that holds one, and sentences that name it.

The parsers of task texts, of the rule files of games and of their expressions share this.
"""

from __future__ import annotations

WIDEST = 100_000  # a line has fewer columns


class Unreadable(Exception):
    """What is wrong with a text, and where: at a character, counted from 0, or at a `place` of a file."""

    def __init__(self, says: str, at: int = 0):
        super().__init__(says)
        self.says, self.at = says, at


def place(line: int, column: int) -> int:
    """A line and a column, counted from 0, as one number; adding to it moves along the line."""
    return line * WIDEST + column


def tell_in_file(source: str, at: int, says: str) -> str:
    """The sentence on an error at a `place` of a file."""
    line, column = divmod(at, WIDEST)
    end = "" if says.endswith("?") else "."
    return f"{source}, line {line + 1}, column {column + 1}: {says}{end}"


def tell_in_text(kind: str, text: str, at: int, says: str) -> str:
    """The sentence on an error from a character of a short text on."""
    return f"in the {kind} {text!r}, from character {at + 1} on: {says}"
