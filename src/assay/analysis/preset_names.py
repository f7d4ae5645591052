"""What the names of presets stand for: the settings of each beside those that all of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.plans.plan import PairsPlan
from assay.task_text import Setting, TaskText, parse


@dataclass(frozen=True)
class NamedTask:
    """A name of a suite and the task that it stands for."""

    name: str
    task: str
    shared: str  # the task with the settings that all named tasks of its env have
    beside: str  # its other settings, "" where there are none


def name_tasks(plan: PairsPlan) -> tuple[NamedTask, ...]:
    """The tasks that pairs with a baseline, and the cells of a matrix, are named after; each name once."""
    named: dict[str, str] = {}
    for pair in plan.suite.pairs:
        if pair.cell:
            named |= dict(zip(pair.cell, pair.tasks))
        elif pair.baseline:
            named[pair.name] = pair.evaluate
    texts = {name: parse(task) for name, task in named.items()}
    return tuple(
        name_task(name, text, [each for each in texts.values() if each.env == text.env])
        for name, text in texts.items()
    )


def name_task(name: str, text: TaskText, alike: Sequence[TaskText]) -> NamedTask:
    """`alike`: all named tasks of its env."""
    common = [each for each in text.settings if all(each in other.settings for other in alike)]
    others = [each for each in text.settings if each not in common]
    return NamedTask(name, str(text), text_of(text.env, common), text_of("", others))


def text_of(env: str, settings: Sequence[Setting]) -> str:
    """The settings as they are written, after the env if one is given."""
    whole = str(TaskText(env or "any/env", tuple(settings)))
    return whole if env else whole.removeprefix("any/env").removeprefix("+")
