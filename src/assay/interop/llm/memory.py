"""What a language model remembers of a series: the moves of earlier episodes and what came of them.

A series is the episodes of one task in one job, from the first to the last. They are played in this order by
one process, so that what is remembered depends neither on the number of workers nor on where a killed run was
taken up again. It is told as text, in a window with two bounds: so many episodes, and so many characters.
Episodes that the characters do not suffice for are told by one line, and the oldest are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BEGINS = "Earlier episodes of this series, the oldest first. All of them are of the same task."
SO_FAR = "This episode so far, before the moves that are repeated below:"


@dataclass
class Episode:
    """The moves of one episode, each with its response, and how it ended."""

    number: int  # from 1
    moves: list[str] = field(default_factory=list)
    errors: int = 0
    ended: str = ""

    @property
    def outcome(self) -> str:
        return f"Episode {self.number}: {self.ended} ({len(self.moves)} moves, {self.errors} errors)."


class Memory:
    """The episodes of one series; with `episodes` 0 each one begins anew."""

    def __init__(self, episodes: int, characters: int):
        self._most, self._characters = episodes, characters
        self._count = 0
        self._past: list[Episode] = []
        self._now = Episode(0)

    @property
    def told(self) -> int:
        """How many earlier episodes are told of, each by its moves or by one line."""
        return len(self._within_bounds()[0])

    def begin(self) -> None:
        self._count += 1
        self._now = Episode(self._count)

    def add(self, move: str, response: str, is_error: bool) -> None:
        self._now.moves.append(f"{move}: {response or 'nothing came of it'}")
        self._now.errors += is_error

    def end(self, how: str) -> None:
        """Keeps the episode that has just ended, if any is kept."""
        self._now.ended = how
        self._past = [*self._past, self._now][-self._most :] if self._most else []

    def tell(self, repeated: int) -> str:
        """All that is told before a move; the last `repeated` moves of this episode are told elsewhere."""
        if not self._most:
            return ""
        blocks, left = self._within_bounds()
        parts = [BEGINS, *blocks] if blocks else []
        earlier = self._now.moves[: max(0, len(self._now.moves) - repeated)]
        if kept := keep_last(earlier, left):
            parts += [SO_FAR, *kept]
        return "\n".join(parts)

    def _within_bounds(self) -> tuple[list[str], int]:
        """The text of each episode that is told, the oldest first, and the characters that are left."""
        left, blocks, in_full = self._characters, [], True
        for episode in reversed(self._past):
            whole = "\n".join([episode.outcome, *(f"  {move}" for move in episode.moves)])
            # Once one episode does not fit, all before it are told by a line: none has more than a later one.
            in_full = in_full and len(whole) <= left
            text = whole if in_full else episode.outcome
            if len(text) > left:
                break
            blocks.append(text)
            left -= len(text) + 1
        return blocks[::-1], left


def keep_last(lines: list[str], characters: int) -> list[str]:
    """The last of these lines that fit."""
    kept: list[str] = []
    for line in reversed(lines):
        characters -= len(line) + 3
        if characters < 0:
            break
        kept.append(f"  {line}")
    return kept[::-1]
