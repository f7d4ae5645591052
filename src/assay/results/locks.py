"""Which workers are alive: a process that works on a run holds a lock on a file of its own, `locks/<worker>`.

The kernel releases a lock when its process ends, for whatever reason: no pid can be recycled, no clock can be
wrong, and other containers see it as well. A forked child inherits its parent's locks and would
keep a dead parent's jobs from being redone, so workers are spawned.
"""

from __future__ import annotations

import fcntl
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

FOLDER = "locks"
_GATE = "gate"  # locked shared while a worker's file appears, exclusively while files are removed


class Worker:
    """This process as a worker on a run: a name and a lock, held until `leave` or the end of the process."""

    def __init__(self, run: Path) -> None:
        self.name = uuid.uuid4().hex
        self._path = run / FOLDER / self.name
        with open(run / FOLDER / _GATE, "w") as gate:
            # Behind the gate: without a lock yet, the file could be taken for that of a dead worker.
            fcntl.flock(gate, fcntl.LOCK_SH)
            self._file = open(self._path, "w")  # noqa: SIM115 - open as long as the worker lives
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def leave(self) -> None:
        self._path.unlink(missing_ok=True)
        self._file.close()


def is_alive(run: Path, worker: str) -> bool:
    """Whether the process behind a worker's name still holds its lock."""
    try:
        with open(run / FOLDER / worker) as file:
            return not _take(file, fcntl.LOCK_SH)  # shared: two processes may ask at once
    except FileNotFoundError:
        return False


@contextmanager
def alone(run: Path) -> Iterator[bool]:
    """Yields whether this process may sweep: no other one sweeps, and no worker is just being made."""
    with open(run / FOLDER / _GATE, "w") as gate:
        yield _take(gate, fcntl.LOCK_EX)


def sweep(run: Path) -> None:
    """Remove the lock files of dead workers; call it inside `alone` only."""
    for path in (run / FOLDER).iterdir():
        if path.name != _GATE and not is_alive(run, path.name):
            path.unlink(missing_ok=True)


def _take(file: IO[Any], how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
