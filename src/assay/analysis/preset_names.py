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
    trained: str | None = None  # those of the task trained on, where that is another one


def name_tasks(plan: PairsPlan) -> tuple[NamedTask, ...]:
    """The tasks that pairs with a baseline, and the cells of a matrix, are named after; each name once."""
    named: dict[str, tuple[str, str]] = {}  # the tasks trained on and evaluated on
    for pair in plan.suite.pairs:
        if pair.cell:
            named |= {name: (task, task) for name, task in zip(pair.cell, pair.tasks)}
        elif pair.baseline:
            # What was not trained has one side.
            named[pair.name] = (pair.train if plan.trains else pair.evaluate, pair.evaluate)
    texts = {name: (parse(train), parse(evaluate)) for name, (train, evaluate) in named.items()}
    every = [text for both in texts.values() for text in both]
    return tuple(
        name_task(name, *both, [each for each in every if each.env == both[1].env])
        for name, both in texts.items()
    )


def name_task(name: str, train: TaskText, text: TaskText, alike: Sequence[TaskText]) -> NamedTask:
    """`alike`: all named tasks of its env."""
    common = [each for each in text.settings if all(each in other.settings for other in alike)]
    beside, trained = (
        text_of("", [each for each in one.settings if each not in common]) for one in (text, train)
    )
    return NamedTask(name, str(text), text_of(text.env, common), beside, None if train == text else trained)


def text_of(env: str, settings: Sequence[Setting]) -> str:
    """The settings as they are written, after the env if one is given."""
    whole = str(TaskText(env or "any/env", tuple(settings)))
    return whole if env else whole.removeprefix("any/env").removeprefix("+")
