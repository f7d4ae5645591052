"""`assay play` in a terminal of a given size: what stands on the screen, and how a game is left."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

TASK = "rules/shape_match+board=example:corners"
CLEAR = "\033[H\033[2J\033[3J"


class Terminal:
    """A game in a terminal of its own; `screen` is what was written since it was cleared last."""

    def __init__(self, *words, verb=("play",), columns=80, rows=24, **environment):
        self.main, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        known = {
            name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay", *verb, *words],
            stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
            env=known | {"TERM": "xterm-256color"} | environment,
        )  # fmt: skip
        os.close(inner)
        self.written, self._decode = "", codecs.getincrementaldecoder("utf-8")().decode

    def read_until(self, wanted, seconds=120):
        end = time.monotonic() + seconds
        while wanted not in self.written:
            ready, _, _ = select.select([self.main], [], [], max(0, end - time.monotonic()))
            assert ready, f"{wanted!r} did not come: {self.written[-2000:]}"
            try:
                self.written += self._decode(os.read(self.main, 65536))
            except OSError:  # the other side is gone
                assert wanted in self.written, self.written[-2000:]
        return self.screen

    @property
    def screen(self):
        return self.written.rpartition(CLEAR)[2].replace("\r\n", "\n")

    def type(self, words, wanted):
        """Types a line, and returns the screen once it shows what is wanted."""
        self.written = CLEAR + self.screen
        os.write(self.main, words.encode() + b"\n")
        return self.read_until(wanted)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.main)


@pytest.fixture
def open_game():
    games = []

    def start(*words, **settings):
        games.append(Terminal(*words, **settings))
        return games[-1]

    yield start
    for game in games:
        game.close()


def plain(text):
    return re.sub(r"\033\[[0-9;]*m", "", text)


@pytest.mark.slow
def test_a_game_of_two_episodes_on_a_terminal(open_game):
    game = open_game(TASK, "--episodes", "2")
    screen = game.read_until("> ")
    assert plain(screen).startswith(f"{TASK}  episode 1 of 2  0 moves, 0 errors\n\n \\0/")
    screen = game.type("1 2", "denied")
    assert "\033[1;38;5;160m[2]\033[0m" in screen  # the bucket that was tried, in red
    assert "\033[1;38;5;160m[\033[0m" in screen and "[ 1 R★]" in plain(screen)
    assert "   1 x cell 1 (red star) to bucket 2: denied" in plain(screen)
    assert "there is no bucket 7; buckets go from 0 to 3." in game.type("1 7", "from 0 to 3")
    assert "Write two numbers" in game.type("help", "ends the game.")
    for words in ("1 0", "6 3", "31 2"):
        game.type(words, f"to bucket {words[-1]}: accepted")
    screen = plain(game.type("36 1", "Enter begins the next episode"))
    assert "[  .  ]" in screen and "5 moves, 1 error, score -1." in screen
    screen = plain(game.type("", "errors of earlier episodes: 1"))
    assert "episode 2 of 2  0 moves, 0 errors" in screen
    game.type("quit", "1 episode finished, 1 error, score -1.")
    assert game.process.wait(60) == 0


@pytest.mark.slow
def test_a_small_terminal_without_colours_and_an_interrupt(open_game):
    game = open_game(TASK, columns=40, rows=18, NO_COLOR="1")
    screen = game.read_until("> ")
    assert "   1 | R★  .   .   .   .   B● |\n" in screen
    screen = game.type("1 1 2", "denied")
    assert "\033" not in screen and "   1 |[R★] .   .   .   .   B● |\n" in screen
    assert max(map(len, screen.splitlines())) <= 40 and len(screen.splitlines()) <= 18
    game.written = ""
    os.killpg(game.process.pid, signal.SIGINT)
    assert "Traceback" not in game.read_until("No episode was finished.")
    assert game.process.wait(60) == 0
