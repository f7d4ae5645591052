"""Compiled programs are kept on the disk: workers, a resumed run and the next exam load what one compiled."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

import jax

from assay.results.record import digest_of

MOST_BYTES = 512 * 2**20


def folder() -> Path:
    """One per kind of processor: a program made for another one may not run on this."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    words = [platform.machine()]
    with suppress(OSError):
        told = Path("/proc/cpuinfo").read_text().splitlines()
        words += sorted({line for line in told if line.startswith(("model name", "flags", "Features"))})
    return base / "assay" / "programs" / digest_of(word.encode() for word in words)[:12]


def keep_programs() -> None:
    """Turns the cache on, where its folder can be written; without it everything works, only later."""
    place = folder()
    with suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
    if os.access(place, os.W_OK):
        jax.config.update("jax_compilation_cache_dir", str(place))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
        shrink(place)


def shrink(place: Path) -> None:
    """Removes the programs that were written first, down to MOST_BYTES; somebody else may do so at once."""
    left = 0
    with suppress(OSError):
        for path in sorted(place.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            left += path.stat().st_size
            if left > MOST_BYTES:
                path.unlink(missing_ok=True)
