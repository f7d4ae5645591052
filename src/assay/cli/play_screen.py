"""The screen of `assay play`: one picture of the game that fits the terminal, and plain lines in a pipe."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from assay.cli.output import is_terminal
from assay.envs.rules.text_signs import IN_LETTERS
from assay.envs.text_views import TextView

CLEAR = "\033[H\033[2J\033[3J"
RIGHT, WRONG, NEITHER = "+", "x", "-"  # before a move that was accepted, or not, or that nothing came of
LOG = 8  # moves that are listed at most
PROMPT = 4  # lines for the player's answer, a hint on it, and the next answer
GOOD, BAD = "\033[1;38;5;34m", "\033[1;38;5;160m"


@dataclass(frozen=True)
class Tried:
    """One move of an episode and what came of it."""

    move: str
    response: str
    sign: str


@dataclass
class Tally:
    """How an episode goes."""

    number: int  # from 1
    tried: list[Tried] = field(default_factory=list)
    score: float = 0.0
    ended: str = ""  # "" while it goes on

    @property
    def errors(self) -> int:
        return sum(each.sign == WRONG for each in self.tried)

    @property
    def is_unplayed(self) -> bool:
        """Whether it was over before a move could be made."""
        return bool(self.ended) and not self.tried

    @property
    def outcome(self) -> str:
        if self.is_unplayed:
            return self.ended
        how = self.ended or "left before its end"
        return f"{how}, {count(len(self.tried), 'move')}, {count(self.errors, 'error')}, score {self.score:g}"


class Sight(NamedTuple):
    """What there is to see after a reset, or after an action."""

    observation: Any
    info: Mapping[str, Any]
    action: int | None = None
    before: Mapping[str, Any] | None = None  # the info before the action


def sign_of(view: TextView, observation: Any) -> str:
    """The sign of the move that led to an observation."""
    return WRONG if view.is_error(observation) else RIGHT if view.is_accepted(observation) else NEITHER


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def takes_colors() -> bool:
    """Whether colours may be written: to a terminal that has them, unless the player wants none."""
    return is_terminal() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


class Screen:
    """Draws a game. On a terminal each picture replaces the last one, and is fitted into its size."""

    def __init__(self, view: TextView, title: str, episodes: int):
        self._view, self._title, self._episodes = view, title, episodes

    def show(self, sight: Sight, tally: Tally, before: Sequence[Tally]) -> None:
        legend = wrap(self._view.legend_of(sight.observation))
        lines = [*self._head(tally, before), "", *self._board(sight), "", *legend]
        log = [self._line(tally, number) for number in range(len(tally.tried))]
        if not is_terminal():
            # A pipe keeps all that was written before, so that only the last move is new.
            write("\n".join(["", *lines, *log[-1:]]))
            return
        size = shutil.get_terminal_size()
        room = size.lines - len(lines) - PROMPT
        if room < 1:  # the legend goes first, then the blank lines
            lines = [line for line in lines[: len(lines) - len(legend)] if line]
            room = size.lines - len(lines) - PROMPT
        listed = [line for each in log[-LOG:] for line in wrap(each)]
        shown = listed[-max(1, room) :] if listed else []
        write(CLEAR + "\n".join([*lines, *map(tint, shown)]))

    def _head(self, tally: Tally, before: Sequence[Tally]) -> list[str]:
        now = f"{self._title}  episode {tally.number} of {self._episodes}"
        moves = f"{count(len(tally.tried), 'move')}, {count(tally.errors, 'error')}"
        errors = " ".join(str(each.errors) for each in before[-10:])
        return wrap(f"{now}  {moves}") + ([f"errors of earlier episodes: {errors}"] if errors else [])

    def _board(self, sight: Sight) -> list[str]:
        draw = partial(self._view.draw, sight.observation, sight.action, info=sight.info, before=sight.before)
        columns = shutil.get_terminal_size().columns if is_terminal() else 10_000
        compact = find_width(draw()) > columns
        needed = find_width(draw(compact=compact))
        says = f"The board needs {needed} columns, and this terminal has {columns}: widen it."
        too_narrow = wrap(says) if needed > columns else []
        return [*draw(colors=takes_colors(), compact=compact).splitlines(), *too_narrow]

    @staticmethod
    def _line(tally: Tally, number: int) -> str:
        tried = tally.tried[number]
        return f"{number + 1:>4} {tried.sign} {tried.move}: {tried.response or 'nothing came of it'}"

    def say(self, text: str) -> None:
        write("\n".join(wrap(text)))

    def ask(self, prompt: str) -> str | None:
        """A line of the player's, without blanks around it; None where there are no more."""
        write(prompt, end="")
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:  # bytes that are no text are no move either
            return "?!"
        except KeyboardInterrupt:  # as Ctrl-D
            return None
        return line.strip() if line else None


def write(text: str, end: str = "\n") -> None:
    """Prints a text; where the locale has no signs of pieces, letters stand for them."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(IN_LETTERS).encode(encoding, "replace").decode(encoding)
    print(text, end=end, flush=True)


def find_width(drawing: str) -> int:
    """The columns that a drawing without colours takes."""
    return max(map(len, drawing.splitlines()))


def tint(line: str) -> str:
    """A line of the log with its sign in colour, where colours are taken."""
    if not takes_colors():
        return line
    for sign, ink in ((RIGHT, GOOD), (WRONG, BAD)):
        before, found, after = line.partition(f" {sign} ")
        if found and before.strip().isdigit():
            return f"{before} {ink}{sign}\033[0m {after}"
    return line


def wrap(text: str) -> list[str]:
    """Lines no wider than the terminal, broken at blanks."""
    columns = shutil.get_terminal_size().columns if is_terminal() else 10_000
    return [line for each in text.splitlines() for line in textwrap.wrap(each, columns) or [""]]
