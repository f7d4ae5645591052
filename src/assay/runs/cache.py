"""The cache of compiled programs on the disk, which workers, resumed runs and later exams share."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

import jax

from assay.results.record import digest_of

MOST_BYTES = 512 * 2**20


def folder() -> Path:
    """The cache folder, one per kind of processor: a program compiled for one may not run on another."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    words = [platform.machine()]
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        words += sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    return base / "assay" / "programs" / digest_of(word.encode() for word in words)[:12]


def keep_programs() -> None:
    """Turns the cache on if its folder can be written; without it all programs are compiled anew."""
    cache = folder()
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    if os.access(cache, os.W_OK):
        jax.config.update("jax_compilation_cache_dir", str(cache))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
        shrink(cache)


def shrink(cache: Path) -> None:
    """Removes the oldest programs beyond MOST_BYTES; another process may do so at the same time."""
    total = 0
    with suppress(OSError):
        for path in sorted(cache.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            total += path.stat().st_size
            if total > MOST_BYTES:
                path.unlink(missing_ok=True)
