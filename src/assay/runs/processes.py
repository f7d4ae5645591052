"""The processes that we start ignore Ctrl-C, and end when their parent does. Imports no jax."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Processes started inside never receive Ctrl-C, not even before their first line; we receive it after.

    The tracker of multiprocessing starts first: where it starts with a worker, it lifts the block.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """Starts a thread that ends this process when its parent is gone, for whatever reason."""
    parent = multiprocessing.parent_process()

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    if parent is not None:
        threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
