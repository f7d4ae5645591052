"""`assay atari ram`: a game's memory on the terminal, cell by cell, with a line for commands."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from assay.cli.atari_live import draw_picture, play_live
from assay.cli.output import is_terminal
from assay.cli.play_screen import CLEAR, takes_colors, wrap, write
from assay.errors import AssayError
from assay.interop.workbench import Workbench
from assay.interop.workbench_files import save_variation
from assay.interop.workbench_rules import ELSEWHERE, HERE, require_hook

HELP = """\
n [FRAMES] [ACTION]   play frames: `n`, `n 30`, `n 30 UP`
live                  play with the arrow keys and the space bar; Enter or q comes back
poke CELL VALUE       write a cell once; a cell is a number, 0 to 127, or a name
freeze CELL [VALUE]   write it after every frame; free CELL, free all
find up|down|equal|changed|=57|+4|-4   cells that changed so since the last search; mark begins anew
name CELL NAME        give a cell a name; names lists them
rule HOOK RULE        try a rule of a rule file: rule frame {when: ram[49] > 80, set: {ram[54]: 100}};
                      `help rule` lists the hooks
draft, drop           show what a file would say; drop the rules
save FILE NAME [WHAT IT DOES] [touches=initial,transition] [direction=harder]
keep, back            keep this moment, go back to it;  reset [SEED] begins an episode
help [rule], quit; Ctrl-C clears the line, once more it leaves"""
HELP_RULE = "\n".join(
    [
        *(f"rule {name} {hook.example}\n    {hook.runs}; it may {', '.join(hook.touches)}"
          for name, hook in HERE.items()),
        f"In rule files alone: {', '.join(ELSEWHERE)}. docs/atari-rules.md explains the language.",
    ]
)  # fmt: skip
ACROSS, DOWN = 16, 8  # cells
TABLE = 5 + 4 * ACROSS  # columns of the table of cells
BETWEEN = 2  # columns between the cells and the picture
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


class Command(NamedTuple):
    """What a command does with its words, and how many it takes."""

    act: Callable[[list[str]], str]
    form: str
    fewest: int = 0
    most: int | None = 0  # None: any number


def run(task: str, force: bool, seed: int) -> None:
    """Reads commands until there are no more of them."""
    game = task if "/" in task.partition("+")[0] else f"atari/{task}"
    session = Session(Workbench(game, seed), force)
    session.show("\n".join(["`help` lists the commands.", *tell_missing_picture()]))
    while not session.is_over:
        try:
            line = ask()
            if line is None:
                session.leave()
            else:
                session.answer(line)
        except KeyboardInterrupt:
            session.interrupt()


def ask() -> str | None:
    """A line without blanks around it; None where there are no more."""
    if is_terminal():
        write("ram> ", end="")
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return None
    return line.strip() if line else None


class Session:
    """A workbench and what its user asks of it."""

    def __init__(self, bench: Workbench, force: bool):
        self.bench, self.force, self.is_over = bench, force, False
        self.saved: list[str] = []  # the draft as it was saved last
        self.is_warned = False  # the previous line asked to leave, with something unsaved
        self.is_cleared = False  # the previous line was cleared by Ctrl-C
        save = "save FILE NAME [WHAT IT DOES] [touches=initial,transition] [direction=harder]"
        self.commands = {
            "n": Command(self.play, "n [FRAMES] [ACTION]", most=2),
            "live": Command(self.live, "live"),
            "poke": Command(self.poke, "poke CELL VALUE", 2, 2),
            "freeze": Command(self.freeze, "freeze CELL [VALUE]", 1, 2),
            "free": Command(self.free, "free CELL, or free all", 1, 1),
            "find": Command(self.find, "find up|down|equal|changed|=57|+4|-4", 1, 1),
            "mark": Command(self.mark, "mark"),
            "name": Command(self.name, "name CELL NAME", 2, 2),
            "names": Command(self.names, "names"),
            "draft": Command(self.draft, "draft"),
            "drop": Command(self.drop, "drop"),
            "save": Command(self.save, save, 2, None),
            "keep": Command(self.keep, "keep"),
            "back": Command(self.back, "back"),
            "reset": Command(self.reset, "reset [SEED]", most=1),
            "help": Command(self.help, "help, or help rule", most=1),
            "quit": Command(self.quit, "quit"),
        }

    def answer(self, line: str) -> None:
        """Does what one line says, and shows the game after it.

        A mistake is told in a sentence; in a pipe, where nobody could correct it, it ends the command.
        """
        was_warned, self.is_cleared = self.is_warned, False
        try:
            said = self.obey(line)
        except AssayError as error:
            if not is_terminal():
                raise
            said = str(error)
        except KeyboardInterrupt:
            if not is_terminal():
                raise
            said = "stopped"
        self.is_warned = self.is_warned and not was_warned
        if not self.is_over:
            self.show(said)

    def obey(self, line: str) -> str:
        first, _, rest = line.partition(" ")
        if first == "rule":  # its text is YAML, whose quotes stay
            hook, _, text = rest.strip().partition(" ")
            if not hook:
                raise AssayError("write rule HOOK RULE; `help rule` shows an example of each hook.")
            require_hook(hook)
            if not text.strip():
                raise AssayError(f"write the rule, such as rule {hook} {HERE[hook].example}.")
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
        command = self.commands[words[0]]
        require(words[1:], command)
        return command.act(words[1:])

    def interrupt(self) -> None:
        """Ctrl-C: the line is cleared, for the terminal has forgotten it; once more leaves."""
        if self.is_cleared or not is_terminal():
            self.is_over = True
            return
        self.is_cleared = True
        unsaved = " What is tried is not saved." if self.is_unsaved() else ""
        write(f"\nThe line is cleared; Ctrl-C once more leaves.{unsaved}")

    def leave(self) -> None:
        """The end of what is typed, as Ctrl-D, is a `quit`."""
        self.answer("quit")

    def is_unsaved(self) -> bool:
        bench = self.bench
        return bool(bench.rules or bench.frozen) and bench.draft() != self.saved

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
        cell, value = words
        self.bench.poke(self.bench.cell_of(cell), number_of(value, 0, 255))
        return ""

    def freeze(self, words: list[str]) -> str:
        cell = self.bench.cell_of(words[0])
        self.bench.freeze(cell, number_of(words[1], 0, 255) if len(words) > 1 else None)
        return f"cell {cell} is held at {self.bench.frozen[cell]}"

    def free(self, words: list[str]) -> str:
        (which,) = words
        self.bench.free(None if which == "all" else self.bench.cell_of(which))
        return ""

    def find(self, words: list[str]) -> str:
        (relation,) = words
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
        cell, name = words
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
        keys = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        means = " ".join(word for word in words[2:] if "=" not in word) or "what was tried on the workbench"
        task = save_variation(self.bench, Path(words[0]), words[1], means, keys, self.force)
        self.saved = self.bench.draft()
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

    def help(self, words: list[str]) -> str:
        if words and words != ["rule"]:
            raise AssayError(f"write {self.commands['help'].form}, without {words[0]!r}.")
        return HELP_RULE if words else HELP

    def quit(self, words: list[str]) -> str:
        """Leaves; a person who would lose something is asked once."""
        if is_terminal() and self.is_unsaved() and not self.is_warned:
            self.is_warned = True
            return "what is tried is not saved; `save FILE NAME` saves it, and a second `quit` leaves"
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
        room = min(size.columns - TABLE - BETWEEN, WIDEST)
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


def tell_missing_picture() -> list[str]:
    """A sentence on why a terminal shows no picture of the game; none where it shows one, or in a pipe."""
    columns = shutil.get_terminal_size().columns
    if not is_terminal():
        return []
    if not takes_colors():
        return ["Without colours there is no picture of the game."]
    if columns >= TABLE + BETWEEN + NARROWEST:
        return []
    return [
        f"The window is too narrow for the picture of the game: it has {columns} columns, and the picture "
        f"stands beside the cells from {TABLE + BETWEEN + NARROWEST} on."
    ]


def require(words: list[str], command: Command) -> None:
    """Refuses too few or too many words, with the form of the command."""
    if len(words) < command.fewest:
        raise AssayError(f"write {command.form}.")
    if command.most is not None and len(words) > command.most:
        raise AssayError(f"write {command.form}, without {' '.join(words[command.most :])!r}.")


def number_of(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise AssayError(f"{text!r} is not a whole number from {low} to {high}.")
    return int(text)
