"""Random play on the tasks of `hackatari/*`, as benchmarks/hackatari_random.py measured it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

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
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    tasks = {task: RandomScores(row["rules"], tuple(row["scores"])) for task, row in kept["tasks"].items()}
    return RandomTable(kept["command"], kept["versions"], kept["seed"], kept["cpu_s"], tasks)
