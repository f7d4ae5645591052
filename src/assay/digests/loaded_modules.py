"""Whether the user's modules in memory are those that lie on the disk.

A digest is taken of files, and a Python process runs what it imported: in a notebook the two may differ.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from weakref import WeakKeyDictionary

from assay.digests.imports import Stamp, stamp
from assay.errors import AssayError

HEADER = 16  # bytes: a magic number, flags, and of the source its time and its size
PLAIN = bytes(4)  # flags of a cached module that is compared by time and size

# The source of each module when it was first asked about.
_first_seen: WeakKeyDictionary[ModuleType, bytes] = WeakKeyDictionary()


def require_as_loaded(files: Mapping[str, Path]) -> None:
    """Refuses modules, given with their files, whose file changed since this process imported them."""
    for name, path in files.items():
        module = sys.modules.get(name)
        if module is None or not is_of_file(module, path):
            continue
        source = path.read_bytes()
        if _first_seen.setdefault(module, source) != source or was_changed_before(module, stamp(path)):
            raise AssayError(
                f"{path} has changed since this Python process imported it, so what would run is not what is "
                "recorded; restart the process (in a notebook, the kernel) and call again."
            )


def is_of_file(module: ModuleType, path: Path) -> bool:
    file = getattr(module, "__file__", None)
    return bool(file) and Path(str(file)).resolve() == path.resolve()


def was_changed_before(module: ModuleType, source: Stamp) -> bool:
    """Whether the source is another than the one that Python compiled when it imported the module.

    Python stores the time and the size of the source beside what it compiled. Where it could not store them,
    nothing is known.
    """
    cached = getattr(module, "__cached__", None)
    plainly = type(getattr(module, "__loader__", None)) is SourceFileLoader
    if (
        not plainly
        or sys.dont_write_bytecode
        or not cached
        or not os.access(os.path.dirname(cached), os.W_OK)
    ):
        return False
    try:
        with open(cached, "rb") as file:
            header = file.read(HEADER)
    except OSError:
        return False
    if len(header) < HEADER or header[4:8] != PLAIN:
        return False
    seconds, size = (int.from_bytes(header[at : at + 4], "little") for at in (8, 12))
    return (seconds, size) != (source.changed // 10**9 & 0xFFFFFFFF, source.size & 0xFFFFFFFF)
