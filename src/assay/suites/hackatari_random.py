"""Random play on the tasks of `hackatari/*`, as benchmarks/hackatari_random.py measured it.

Every performance change is made of these scores, so the table carries a digest, and one that was edited since
is refused before anything is computed from it. Reports count its bytes in their analysis digest besides.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError

FILE = Path(__file__).with_name("hackatari_random.json")


class RandomScores(NamedTuple):
    """Episodes of random play on one task; those of a game and of its variations are pairs."""

    rules: str  # a digest of the rules at the time
    scores: tuple[float, ...]


class RandomTable(NamedTuple):
    """All that was measured, and how."""

    command: str
    versions: dict[str, str]
    seed: int
    cpu_s: float
    tasks: dict[str, RandomScores]


@cache
def random_table() -> RandomTable:
    return read_table(FILE)


def read_table(file: Path) -> RandomTable:
    """The table of a file, whose digest is checked."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    if kept.get("digest") != digest_of_table(kept):
        raise AssayError(
            f"random play in {file} is not as it was measured: its digest does not hold. Install assay "
            f"again, or measure it with `{kept['command']}`."
        )
    tasks = {task: RandomScores(row["rules"], tuple(row["scores"])) for task, row in kept["tasks"].items()}
    return RandomTable(kept["command"], kept["versions"], kept["seed"], kept["cpu_s"], tasks)


def digest_of_table(kept: Mapping[str, Any]) -> str:
    """The SHA-256 of what was measured, and how; the time that it took is left out."""
    measured = {name: kept[name] for name in ("command", "versions", "seed", "tasks")}
    return hashlib.sha256(json.dumps(measured, sort_keys=True).encode()).hexdigest()
