"""The small files that keep what an experiment found: a number for each seed, level and measure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "playground"
# Measures of a seed: mean over the reports of training, as a share of the optimum, of noise-free rollouts,
# and the score in the end.
KEPT = ("area", "area_share", "area_length", "rollout", "trained", "evaluated")
DIGITS = 5


@dataclass(frozen=True)
class Level:
    """One level of an experiment, over seeds."""

    train: str
    evaluate: str
    point: Mapping[str, Any]
    units: Mapping[str, Sequence[float]]  # by measure: the value of each seed
    curve: Sequence[Sequence[float]] = ()  # (reports, step and mean score over seeds)


@dataclass(frozen=True)
class Record:
    """An experiment with one agent."""

    suite: str
    agent: str
    settings: Mapping[str, Any]  # other than the suite's
    steps: int
    seeds: Sequence[int]
    levels: Sequence[Level]
    versions: Mapping[str, str]
    device: str
    seconds: float
    cpu_seconds: float


def path_of(suite: str, agent: str, folder: Path = FOLDER) -> Path:
    return folder / f"{suite}--{agent}.json"


def write(record: Record, folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = path_of(record.suite, record.agent, folder)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps(rounded(asdict(record)), separators=(",", ":")) + "\n")
    aside.rename(path)


def read(suite: str, agent: str, folder: Path = FOLDER) -> Record | None:
    path = path_of(suite, agent, folder)
    if not path.exists():
        return None
    fields = json.loads(path.read_text())
    record = Record(**fields)
    return replace(record, levels=tuple(Level(**level) for level in fields["levels"]))


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    return value
