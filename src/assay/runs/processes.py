"""The processes that we start ignore Ctrl-C, end when their parent does, and do not run the user's script.

Imports no jax.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any

HIDDEN = ("__file__", "__spec__")  # by which Python finds the script that was started


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Processes started inside never receive Ctrl-C, not even before their first line; we receive it after.

    The tracker of multiprocessing starts first: where it starts with a worker, it lifts the block. Nor do
    these processes run the script that started them (`hide_main_script`).
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with hide_main_script():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def hide_main_script() -> Iterator[None]:
    """Processes spawned inside do not run the user's script, which then needs no `__main__` guard.

    Python runs the main script again in each of them, for functions that stand there. Ours stand in modules,
    and so do agents, which workers import by name.
    """
    main = sys.modules["__main__"]
    hidden: dict[str, Any] = {name: value for name, value in vars(main).items() if name in HIDDEN}
    vars(main).pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(hidden)


def end_with_parent() -> None:
    """Starts a thread that ends this process when its parent is gone, for whatever reason."""
    parent = multiprocessing.parent_process()

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    if parent is not None:
        threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
