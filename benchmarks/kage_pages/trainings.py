"""The trainings that `kage_results.py` left, one file each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError

from .appearances import appearances
from .checks import MEASURES, require_distinct, require_evaluations, require_settings

BLIND = "blind.json"  # lies beside the trainings
PLAIN_LEARNER, AUGMENTED = "ppo", "augmented"
PRECISION = "bfloat16"


@dataclass(frozen=True)
class Training:
    """One training and its evaluations."""

    name: str  # of the training appearance
    seed: int
    learner: str
    precision: str
    seconds: float
    device: str
    jax: str
    tasks: tuple[str, ...]  # what was evaluated, the training appearance first
    iterations: np.ndarray  # (evaluations,)
    steps: np.ndarray  # (evaluations,)
    means: dict[str, np.ndarray]  # by measure, (evaluations, tasks)

    def column(self, measure: str, task: str) -> np.ndarray:
        """The means over episodes of one task, (evaluations,)."""
        return self.means[measure][:, self.tasks.index(task)]

    def own(self, measure: str) -> np.ndarray:
        """The means on the training appearance, (evaluations,)."""
        return self.means[measure][:, 0]

    def __str__(self) -> str:
        return f"{self.name} seed {self.seed}"


def read_training(path: Path) -> Training:
    record: dict[str, Any] = json.loads(path.read_text())
    config, rows = record["config"], record["evaluations"]
    names = {each.train: name for name, each in appearances().items()}
    if record["tasks"][0] not in names:
        raise AssayError(f"{path} is no training on an appearance of KAGE-Bench; move it away.")
    name = names[record["tasks"][0]]
    require_settings(path, config)
    require_evaluations(path, record["tasks"], appearances()[name].tasks, rows)
    augmented = config.get("shift", 0) or config.get("jitter", 0)  # files before these settings have neither
    return Training(
        name,
        record["seed"],
        AUGMENTED if augmented else PLAIN_LEARNER,
        config["precision"],
        record["seconds"],
        record["device"],
        record["jax"],
        tuple(record["tasks"]),
        np.array([row["iteration"] for row in rows]),
        np.array([row["steps"] for row in rows]),
        {each: np.array([[mean for mean, _ in row[each]] for row in rows]) for each in MEASURES},
    )


def read_trainings(folder: Path) -> tuple[Training, ...]:
    """All of a folder, in the order of appearances and seeds."""
    order = list(appearances())
    paths = sorted(path for path in folder.glob("*.json") if path.name != BLIND)
    trainings = [read_training(path) for path in paths]
    require_distinct(zip(paths, trainings))
    return tuple(sorted(trainings, key=lambda each: (order.index(each.name), each.seed)))


def select(
    trainings: Iterable[Training], name: str = "", learner: str = PLAIN_LEARNER, precision: str = PRECISION
) -> tuple[Training, ...]:
    """Those of one learner and precision, on one appearance or on all."""
    return tuple(
        each
        for each in trainings
        if each.learner == learner and each.precision == precision and name in ("", each.name)
    )


def by_task(trainings: Iterable[Training]) -> dict[str, tuple[Training, ...]]:
    """By the text of the training appearance."""
    groups: dict[str, tuple[Training, ...]] = {}
    for each in trainings:
        groups[each.tasks[0]] = (*groups.get(each.tasks[0], ()), each)
    return groups
