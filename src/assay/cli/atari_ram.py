"""`assay atari ram`: a game's memory on the terminal, cell by cell, with a line for commands."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.cli.atari_live import draw_picture, play_live
from assay.cli.output import is_terminal
from assay.cli.play_screen import CLEAR, takes_colors, wrap, write
from assay.errors import AssayError
from assay.interop.workbench import Workbench
from assay.interop.workbench_files import save_variation

HELP = """\
n [FRAMES] [ACTION]   play frames: `n`, `n 30`, `n 30 UP`
live                  play with the arrow keys and the space bar; Enter or q comes back
poke CELL VALUE       write a cell once; a cell is a number, 0 to 127, or a name
freeze CELL [VALUE]   write it after every frame; free CELL, free all
find up|down|equal|changed|=57|+4|-4   cells that changed so since the last search; mark begins anew
name CELL NAME        give a cell a name; names lists them
rule HOOK RULE        try a rule of a rule file: rule frame {when: ball_x > 80, set: {ball_y: 100}}
draft, drop           show what a file would say; drop the rules
save FILE NAME [WHAT IT DOES] [touches=initial,transition] [direction=harder]
keep, back            keep this moment, go back to it;  reset [SEED] begins an episode
help, quit"""
ACROSS, DOWN = 16, 8  # cells
TABLE = 5 + 4 * ACROSS  # columns of the table of cells
NARROWEST, WIDEST = 32, 80  # columns of a picture beside it
LISTED = 16  # found cells that are listed
MOST_FRAMES = 100_000  # of one command
CHANGED, FROZEN, FOUND, PLAIN, DIM = (
    "\033[1;38;5;214m",
    "\033[1;38;5;39m",
    "\033[38;5;34m",
    "\033[0m",
    "\033[2m",
)


def run(task: str, force: bool) -> None:
    """Reads commands until there are no more of them."""
    session = Session(Workbench(task if "/" in task else f"atari/{task}"), force)
    session.show("`help` lists the commands.")
    while not session.is_over:
        line = ask()
        if line is None:
            break
        session.answer(line)


def ask() -> str | None:
    """A line without blanks around it; None where there are no more."""
    if is_terminal():
        write("ram> ", end="")
    try:
        line = sys.stdin.readline()
    except (UnicodeDecodeError, KeyboardInterrupt):
        return None
    return line.strip() if line else None


class Session:
    """A workbench and what its user asks of it."""

    def __init__(self, bench: Workbench, force: bool):
        self.bench, self.force, self.is_over = bench, force, False
        self.commands: dict[str, Callable[[list[str]], str]] = {
            "n": self.play, "live": self.live, "poke": self.poke, "freeze": self.freeze, "free": self.free,
            "find": self.find, "mark": self.mark, "name": self.name, "names": self.names,
            "draft": self.draft, "drop": self.drop, "save": self.save, "keep": self.keep, "back": self.back,
            "reset": self.reset, "help": lambda words: HELP, "quit": self.quit,
        }  # fmt: skip

    def answer(self, line: str) -> None:
        """Does what one line says, and shows the game after it.

        A mistake is told in a sentence; in a pipe, where nobody could correct it, it ends the command.
        """
        try:
            said = self.obey(line)
        except AssayError as error:
            if not is_terminal():
                raise
            said = str(error)
        if not self.is_over:
            self.show(said)

    def obey(self, line: str) -> str:
        first, _, rest = line.partition(" ")
        if first == "rule":  # its text is YAML, whose quotes stay
            hook, _, text = rest.strip().partition(" ")
            self.bench.add_rule(hook, text.strip())
            return "the rule acts from now on"
        try:
            words = shlex.split(line)
        except ValueError:
            raise AssayError("a quotation mark is left open.") from None
        if not words:
            return ""
        if words[0] not in self.commands:
            raise AssayError(f"{words[0]!r} is no command; `help` lists them.")
        return self.commands[words[0]](words[1:])

    # Commands

    def play(self, words: list[str]) -> str:
        frames = number_of(words[0], 1, MOST_FRAMES) if words else 1
        played = self.bench.play(frames, words[1] if len(words) > 1 else "NOOP")
        return "" if played == frames else "the episode is over; `reset` begins another"

    def live(self, words: list[str]) -> str:
        if not (is_terminal() and sys.stdin.isatty()):
            raise AssayError("live needs a terminal; play frames with `n 30 UP`.")
        play_live(self.bench, self.draw)
        return ""

    def poke(self, words: list[str]) -> str:
        cell, value = require(words, 2, "poke CELL VALUE")
        self.bench.poke(self.bench.cell_of(cell), number_of(value, 0, 255))
        return ""

    def freeze(self, words: list[str]) -> str:
        require(words, 1, "freeze CELL [VALUE]")
        cell = self.bench.cell_of(words[0])
        self.bench.freeze(cell, number_of(words[1], 0, 255) if len(words) > 1 else None)
        return f"cell {cell} is held at {self.bench.frozen[cell]}"

    def free(self, words: list[str]) -> str:
        (which,) = require(words, 1, "free CELL, or free all")
        self.bench.free(None if which == "all" else self.bench.cell_of(which))
        return ""

    def find(self, words: list[str]) -> str:
        (relation,) = require(words, 1, "find up|down|equal|changed|=57|+4|-4")
        return self.tell_found(self.bench.find(relation))

    def mark(self, words: list[str]) -> str:
        self.bench.look_anew()
        return "a new search: play, then `find up` and so on"

    def tell_found(self, found: list[int]) -> str:
        cells = self.bench.cells
        told = [f"{each}={cells[each]}{f' ({name})' if (name := self.bench.label_of(each)) else ''}"
                for each in found[:LISTED]]  # fmt: skip
        more = ", ..." if len(found) > LISTED else ""
        return f"{len(found)} {'cell' if len(found) == 1 else 'cells'}: {', '.join(told)}{more}"

    def name(self, words: list[str]) -> str:
        cell, name = require(words, 2, "name CELL NAME")
        self.bench.name_cell(self.bench.cell_of(cell), name)
        return ""

    def names(self, words: list[str]) -> str:
        return (
            ", ".join(f"{name} {cell}" for name, cell in self.bench.labels().items()) or "no cell has a name"
        )

    def draft(self, words: list[str]) -> str:
        return "\n".join(self.bench.draft()) if self.bench.rules or self.bench.frozen else "nothing is tried"

    def drop(self, words: list[str]) -> str:
        self.bench.drop_rules()
        return ""

    def save(self, words: list[str]) -> str:
        require(words, 2, "save FILE NAME [WHAT IT DOES] [touches=initial,transition] [direction=harder]")
        keys = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        means = " ".join(word for word in words[2:] if "=" not in word) or "what was tried on the workbench"
        task = save_variation(self.bench, Path(words[0]), words[1], means, keys, self.force)
        here = Path(words[0]).resolve().parent == Path.cwd()
        place = "" if here else f" from {Path(words[0]).parent}, where the file stands"
        return (
            f"saved; agents play it as {task}{place}, you with `assay atari ram {task}` and `live`; "
            f"`assay check {task}` proves what it touches"
        )

    def keep(self, words: list[str]) -> str:
        self.bench.keep()
        return "this moment is kept; `back` returns to it"

    def back(self, words: list[str]) -> str:
        self.bench.go_back()
        return ""

    def reset(self, words: list[str]) -> str:
        self.bench.reset(number_of(words[0], 0, 2**63) if words else None)
        return ""

    def quit(self, words: list[str]) -> str:
        self.is_over = True
        return ""

    # The screen

    def show(self, said: str = "") -> None:
        """On a terminal the cells and the game, and what was said; in a pipe what was said alone."""
        if is_terminal():
            write(CLEAR + "\n".join([*self.draw(), *wrap(said)]))
        elif said:
            write(said)

    def draw(self) -> list[str]:
        """The cells, and the picture beside them where the terminal has room for it."""
        size, bench = shutil.get_terminal_size(), self.bench
        cells = bench.cells.tolist()
        head = f"{bench.task}  frame {bench.host.frame}  score {bench.score:g}  lives {bench.host.lives}"
        table = [" " * 5 + "".join(f"{column:>4}" for column in range(ACROSS))]
        for first in range(0, ACROSS * DOWN, ACROSS):
            row = "".join(self.paint(each, cells) for each in range(first, first + ACROSS))
            table.append(f"{first:>4} {row}")
        room = min(size.columns - TABLE - 2, WIDEST)
        if room >= NARROWEST and takes_colors():
            picture = draw_picture(bench.host.render(), room, size.lines - 4)
            table += [" " * TABLE] * (len(picture) - len(table))
            picture += [""] * (len(table) - len(picture))
            table = [f"{left}  {right}" for left, right in zip(table, picture)]
        return [head[: size.columns - 1], *table]

    def paint(self, cell: int, cells: list[int]) -> str:
        """One cell: changed, frozen, or still among those that a search left."""
        bench, text = self.bench, f"{cells[cell]:>3}"
        found = not bench.candidates.all() and bool(bench.candidates[cell])
        sign = "*" if cell in bench.frozen else "!" if cell in bench.changed else "?" if found else " "
        if not takes_colors():
            return sign + text
        ink = {"*": FROZEN, "!": CHANGED, "?": FOUND, " ": DIM if cells[cell] == 0 else ""}[sign]
        return f"{ink}{'?' if found else ' '}{text}{PLAIN}" if ink or found else f" {text}"


def require(words: list[str], count: int, usage: str) -> Any:
    """The first `count` words, or AssayError with the usage."""
    if len(words) < count:
        raise AssayError(f"write {usage}.")
    return words[:count]


def number_of(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise AssayError(f"{text!r} is not a whole number from {low} to {high}.")
    return int(text)
