"""The seven training appearances that KAGE-Bench's pairs and dose-response sets share."""

from __future__ import annotations

from typing import NamedTuple

from assay.suites import kage

NAMES = ("plain", "skeleton", "colors", "image", "images", "skeleton-image", "skeleton-images")


class Appearance(NamedTuple):
    """What is trained on, and what it is evaluated on, itself first; texts of tasks."""

    train: str
    tasks: tuple[str, ...]


def appearances() -> dict[str, Appearance]:
    """By name, in the order in which the suites first train on them."""
    paired: dict[str, list[str]] = {}
    for suite in kage.SUITES:
        for pair in suite.pairs:
            tasks = paired.setdefault(pair.train, [pair.train])
            if pair.evaluate not in tasks:
                tasks.append(pair.evaluate)
    assert len(paired) == len(NAMES)
    return {name: Appearance(train, tuple(tasks)) for name, (train, tasks) in zip(NAMES, paired.items())}
