"""Which files are opened and which modules are imported while an agent, an env or a variation is at work.

Python reports both by audit events, but not files that libraries in C open by themselves. A hook cannot be
removed, so there is one per process, and it notes only what happens inside `watching()`.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

OF_THE_SYSTEM = tuple(map(Path, ("/proc", "/dev", "/sys", "/etc", "/usr/share", "/usr/lib")))
# Below the user's cache folder, what programs keep to be faster; models and data are kept there too.
SPEED_CACHES = ("assay", "fontconfig", "jax", "matplotlib", "mesa_shader_cache", "mesa_shader_cache_db", "uv")
SCRIPTS = Path(sysconfig.get_path("scripts"))
MADE_NEW = os.O_CREAT | os.O_EXCL


@dataclass
class Seen:
    """What was read and imported; a file that was made here before it was read is no source."""

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)  # top-level modules

    def __or__(self, other: Seen) -> Seen:
        return Seen(self.read | other.read, self.written | other.written, self.imported | other.imported)

    def add(self, other: Seen) -> None:
        """Adds a later record to this one; a file that was written before it was read is no source."""
        self.read |= other.read - self.written
        self.written |= other.written
        self.imported |= other.imported


@cache
def open_records() -> list[Seen]:
    """The records of the `watching()` blocks that are open in this process; the first call adds the hook."""
    opened: list[Seen] = []

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if not opened:
            return
        if event == "open":
            note_open(opened, *arguments[:3])
        elif event == "sqlite3.connect":
            note_open(opened, arguments[0], "r", 0)
        elif event == "subprocess.Popen":  # files that another program is given to read count as read here
            for word in arguments[1] if isinstance(arguments[1], (list, tuple)) else ():
                note_open(opened, word, "r", 0)
        elif event == "import":
            for seen in opened:
                seen.imported.add(str(arguments[0]).partition(".")[0])

    sys.addaudithook(note)
    return opened


def note_open(opened: list[Seen], path: Any, mode: Any, flags: Any) -> None:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return  # a file descriptor: its file was opened before
    absolute = os.path.abspath(os.fsdecode(path))
    makes, reads = what_it_does(mode or "", flags or 0)
    for seen in opened:
        if makes:
            seen.written.add(absolute)
        elif reads and absolute not in seen.written:
            seen.read.add(absolute)


def what_it_does(mode: str, flags: int) -> tuple[bool, bool]:
    """Whether opening a file so makes it anew, and whether what it held before can be read."""
    if mode:
        return bool(set(mode) & set("wx")), "r" in mode or "+" in mode
    makes = bool(flags & os.O_TRUNC) or flags & MADE_NEW == MADE_NEW
    return makes, flags & os.O_ACCMODE != os.O_WRONLY


@contextmanager
def watching() -> Iterator[Seen]:
    """Notes what is opened and imported inside; what is already in memory is not noted again."""
    seen, opened = Seen(), open_records()
    opened.append(seen)
    try:
        yield seen
    finally:
        opened[:] = [each for each in opened if each is not seen]


def files_read(seen: Seen, leave_out: tuple[Path, ...] = ()) -> set[Path]:
    """The files that were read and may decide a result; bytecode counts as the module it was made from."""
    script = started_script()
    return {
        path
        for path in map(as_source, sorted(seen.read))
        if path.is_file()
        and not is_noise(path)
        and path.parent != SCRIPTS  # the command itself: torch looks into what was started
        and path != script
        and not any(path.is_relative_to(each) for each in leave_out)
    }


def started_script() -> Path | None:
    """The script that this process was started with, unless it is also imported as a module.

    torch reads it to look for markers of its own; that decides no result.
    """
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None)
    others = [getattr(each, "__file__", None) for each in list(sys.modules.values()) if each is not main]
    if not script or os.path.abspath(script) in (os.path.abspath(file) for file in others if file):
        return None
    return Path(os.path.abspath(script))


def as_source(text: str) -> Path:
    path = Path(text)
    if path.suffix == ".pyc" and path.parent.name == "__pycache__":
        try:
            return Path(source_from_cache(text))
        except (ValueError, NotImplementedError):
            return path
    return path


@cache
def libraries() -> tuple[Path, ...]:
    """Python's own files, what is installed beside them, and assay itself, all with their real paths too."""
    prefixes = {Path(prefix) for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
    folders = {prefix / "lib" for prefix in prefixes} | {Path(__file__).parents[1]}
    installed = {Path(entry) for entry in sys.path if "site-packages" in entry or "dist-packages" in entry}
    return tuple({*folders, *installed, *(each.resolve() for each in folders | installed)})


def is_noise(path: Path) -> bool:
    """Whether a file cannot be a source: of the system, of a library, a cache of compiled programs."""
    folders = (*OF_THE_SYSTEM, *speed_caches(), *libraries())
    return any(path.is_relative_to(each) for each in folders) or path.name == "pyvenv.cfg"


def speed_caches() -> list[Path]:
    """Folders whose files change only how long something takes."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    programs = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    return [*(caches / name for name in SPEED_CACHES), *([Path(programs)] if programs else [])]
