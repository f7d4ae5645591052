"""The server on standard input and output."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType

from assay.interop.captive.lines import LineSplitter, answer_lines
from assay.interop.captive.session import Session

READ_SIZE = 65_536
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Stopped(Exception):
    """A signal asks the server to end."""


class Stopper:
    """Ends a server between two commands: at once while it waits, otherwise when it waits next.

    So no signal comes between a move and its row in a result file.
    """

    def __init__(self) -> None:
        self.is_waiting, self.signal = False, 0
        self.poller = select.poll()

    def install(self) -> None:
        for each in ENDING_SIGNALS:
            signal.signal(each, self.handle)
        # A signal that another thread takes, or that comes just before a call blocks, does not end that call.
        # The system then writes a byte here, for which `wait_to_read` waits too.
        woken, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        self.poller.register(woken, select.POLLIN)

    def handle(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        if self.is_waiting:
            raise Stopped

    def begin_waiting(self) -> None:
        self.is_waiting = True
        if self.signal:
            raise Stopped

    def wait_to_read(self, source: int) -> None:
        """Returns when `source` has something to read, or has ended; a signal raises `Stopped`."""
        self.begin_waiting()
        self.poller.register(source, select.POLLIN)
        while all(ready != source for ready, _ in self.poller.poll()):
            pass  # the byte of a signal: its handler runs before the next turn


def serve_pipe(session: Session, source: int = 0, sink: int = 1) -> int:
    """Plays until EXIT, the end of input or a signal; the exit status."""
    stopper = Stopper()
    stopper.install()
    try:
        _play(session, stopper, source, sink)
    except Stopped:
        pass
    except BrokenPipeError:  # the client is gone, as at the end of input
        pass
    finally:
        stopper.is_waiting = False
        session.end()
    return 128 + stopper.signal if stopper.signal else 0


def _play(session: Session, stopper: Stopper, source: int, sink: int) -> None:
    splitter = LineSplitter()
    _send(stopper, sink, session.greet())
    while not session.is_over:
        data = _receive(stopper, source)
        for reply in answer_lines(session, splitter.feed(data) if data else splitter.finish()):
            _send(stopper, sink, reply)
        if not data:
            return


def _receive(stopper: Stopper, source: int) -> bytes:
    while True:
        stopper.wait_to_read(source)
        try:
            data = os.read(source, READ_SIZE)
            break
        except BlockingIOError:  # another process has read it, from a pipe that does not wait
            continue
    stopper.is_waiting = False
    return data


def _send(stopper: Stopper, sink: int, data: bytes) -> None:
    stopper.begin_waiting()
    while data:
        try:
            data = data[os.write(sink, data) :]
        except BlockingIOError:
            select.select([], [sink], [])
    stopper.is_waiting = False
