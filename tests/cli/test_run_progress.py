"""The live line of a command at work."""

import io
import time
from contextlib import contextmanager

from assay.cli import progress
from assay.cli.progress import RunProgress
from assay.runs.progress import Standing

STANDING = Standing(1, 3, 0, 5.0, 75.0, "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@contextmanager
def followed(monkeypatch, stderr):
    monkeypatch.setattr(progress.sys, "stderr", stderr)
    monkeypatch.setattr(progress, "TICK_S", 0.01)
    follow = RunProgress()
    try:
        follow(STANDING)
        yield follow
    finally:
        follow.close()


def drawn(stderr):
    return stderr.getvalue().split("\r\033[K  ")[1:]


def test_the_clock_goes_on_while_nothing_is_told(monkeypatch):
    terminal = Terminal()
    with followed(monkeypatch, terminal) as follow:
        follow.begun -= 60  # as if a minute had passed
        until = time.monotonic() + 5
        while not drawn(terminal)[-1].startswith("1 of 3 jobs, 60 s") and time.monotonic() < until:
            time.sleep(0.01)
        lines = drawn(terminal)
    assert lines[0].startswith("1 of 3 jobs, 0 s, about 75 s left")
    assert lines[-1].startswith("1 of 3 jobs, 60 s, about 75 s left")


def test_what_is_left_grows_shorter_and_is_not_told_once_it_is_over(monkeypatch):
    with followed(monkeypatch, Terminal()) as follow:
        follow.heard -= 30
        assert ", about 45 s left" in follow.line()
        follow.heard -= 60
        assert "left" not in follow.line()


def test_nothing_is_drawn_after_the_end(monkeypatch):
    terminal = Terminal()
    with followed(monkeypatch, terminal):
        pass
    before = terminal.getvalue()
    time.sleep(0.05)
    assert terminal.getvalue() == before and before.endswith("\r\033[K")


def test_in_a_pipe_nothing_is_drawn_between_jobs(monkeypatch):
    pipe = io.StringIO()
    with followed(monkeypatch, pipe):
        time.sleep(0.05)
    assert pipe.getvalue() == "  1 of 3 jobs, 0 s, about 75 s left\n"
