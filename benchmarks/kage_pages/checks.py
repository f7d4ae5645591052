"""Whether a file of a training is one that the page can count: its settings, its evaluations, its seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from assay.agents.ppo_config import TYPES, Config
from assay.errors import AssayError
from assay.suites import kage

EVALUATE_EVERY = 50  # iterations
MEASURES = ("return", "passed_distance", "progress", "success", "success_once", "jump_count")
AUGMENTATIONS = {(0, 0.0), (4, 0.4)}  # shift and jitter of the learners that the page knows
# Settings by which trainings of the page may differ, or which do not move what is learned.
FREE = ("precision", "shift", "jitter", "report_every")

# Settings that ppo did not have yet when older files were made, and what they would have been.
LATER = {
    "encoder": "nature", "width": 64, "signs": False, "anneal": False, "layers": 2, "separate": False,
    "normalise": False, "memory": "none", "memory_width": 64, "stack_of": 4, "clip_value": True,
}  # fmt: skip


class Counted(Protocol):
    """A training as far as it is told apart from others."""

    name: str
    learner: str
    precision: str
    seed: int


def require_settings(path: Path, given: Mapping[str, Any]) -> None:
    """Refuses a training with other settings than those that the page tells of."""
    wanted = asdict(Config(steps=kage.STEPS))
    if given.get("steps") != kage.STEPS:
        raise AssayError(f"{path} is no training of {kage.STEPS:,} steps; move it away.")
    for name, value in wanted.items():
        had = given.get(name, LATER.get(name))
        if name not in FREE and had != value:
            raise AssayError(
                f"{path} was trained with {name}={had}, and the page is of {name}={value}; move it away."
            )
    unknown = sorted(set(given) - set(wanted))
    if unknown:
        raise AssayError(f"{path} has the setting {unknown[0]}, which ppo does not have; move it away.")
    if given.get("precision") not in TYPES:
        raise AssayError(
            f"{path} has the precision {given.get('precision')!r}, not one of {', '.join(TYPES)}."
        )
    augmentation = given.get("shift", 0), given.get("jitter", 0.0)  # files before these settings have neither
    if augmentation not in AUGMENTATIONS:
        raise AssayError(
            f"{path} was trained with shift={augmentation[0]} and jitter={augmentation[1]}, which is no "
            "learner of the page; move it away."
        )


def require_evaluations(
    path: Path, tasks: Sequence[str], wanted: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Refuses a training that was not evaluated at every moment, on every task, in every measure."""
    if list(tasks) != list(wanted):
        missing = [task for task in wanted if task not in tasks]
        what = f"lacks {missing[0]}" if missing else "has others, or another order"
        raise AssayError(f"{path} was not evaluated on the {len(wanted)} tasks of its pairs: it {what}.")
    iterations = [row.get("iteration") for row in rows]
    if iterations != evaluated_at():
        lacking = [each for each in evaluated_at() if each not in iterations]
        what = f"the one after iteration {lacking[0]} is missing" if lacking else "some are there twice"
        raise AssayError(f"{path} has not the {len(evaluated_at())} evaluations of a training: {what}.")
    for row in rows:
        for measure in MEASURES:
            means = [each[0] for each in row.get(measure, ())]
            if len(means) != len(tasks) or not all(map(math.isfinite, means)):
                raise AssayError(
                    f"{path} has no {measure} of every task after iteration {row['iteration']}; train anew."
                )


def evaluated_at() -> list[int]:
    """The iterations of a whole training after which it is evaluated."""
    last = Config(steps=kage.STEPS).iterations
    return [*range(0, last, EVALUATE_EVERY), last]


def require_distinct(trainings: Iterable[tuple[Path, Counted]]) -> None:
    """Refuses two files of one seed, which would count twice."""
    seen: dict[tuple[str, str, str, int], Path] = {}
    for path, each in trainings:
        key = each.name, each.learner, each.precision, each.seed
        if key in seen:
            raise AssayError(
                f"{seen[key]} and {path} both hold {each.learner} on {each.name} in {each.precision} with "
                f"seed {each.seed}; move one away."
            )
        seen[key] = path
