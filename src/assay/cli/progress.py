"""The progress of a run on stderr, and Ctrl-C."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from typing import Any

from assay.cli.output import INDENT, INTERRUPTED, SECONDS_BETWEEN_LINES

TICK_S = 1.0  # between two drawings of a live line


class RunProgress:
    """Progress of a run on stderr: one live line on a terminal, a line now and then in a pipe.

    A job may take minutes without a message. On a terminal a thread lets the clock go on meanwhile.
    """

    def __init__(self) -> None:
        self.told, self.begun = -1e9, time.monotonic()  # one clock, whatever the phase
        self.live = sys.stderr.isatty()
        self.standing: Any = None
        self.heard = self.begun
        self.drawing, self.ended = threading.Lock(), threading.Event()
        if self.live:
            threading.Thread(target=self._tick, daemon=True).start()

    def __call__(self, standing: Any) -> None:
        self.standing, self.heard = standing, time.monotonic()
        if self.live:
            self._draw()
        elif time.monotonic() - self.told > SECONDS_BETWEEN_LINES:
            self.told = time.monotonic()
            print(f"{INDENT}{self.line()}", file=sys.stderr, flush=True)

    def line(self) -> str:
        """How far the run is; the guess of the time left counts down until the next message."""
        standing, now = self.standing, time.monotonic()
        left = (standing.seconds_left or 0.0) - (now - self.heard)
        guess = f", about {clock(left)} left" if left >= 1 else ""
        failed = f", {standing.failed} failed" if standing.failed else ""
        says = f"  {standing.says}" if standing.says else ""
        return f"{standing.done} of {standing.total} jobs{failed}, {clock(now - self.begun)}{guess}{says}"

    def close(self) -> None:
        self.ended.set()
        if self.live:
            with self.drawing:
                print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _tick(self) -> None:
        while not self.ended.wait(TICK_S):
            if self.standing is not None:
                self._draw()

    def _draw(self) -> None:
        room = shutil.get_terminal_size().columns - len(INDENT) - 1
        with self.drawing:
            if not self.ended.is_set():  # after close() nothing may be drawn
                print(f"\r\033[K{INDENT}{self.line()[:room]}", end="", file=sys.stderr, flush=True)


class Interrupts:
    """Ctrl-C, heard even where an agent's own code swallows it: between jobs, or at once if pressed again."""

    def __init__(self, says: str) -> None:
        self.says, self.count = says, 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self.before = signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(self, *error: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self.before)

    def _heard(self, *about: object) -> None:
        self.count += 1
        if self.count > 1:  # every record is whole at every moment, so there is nothing to wait for
            print(f"\r\033[K{self.says}" if sys.stderr.isatty() else self.says, file=sys.stderr, flush=True)
            os._exit(INTERRUPTED)
        raise KeyboardInterrupt

    def check(self) -> None:
        if self.count:
            raise KeyboardInterrupt


def clock(seconds: float) -> str:
    if seconds < 2 * 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"
