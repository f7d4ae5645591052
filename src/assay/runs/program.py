"""One compiled program for all levels of all axes of an env.

Every traced axis that a task leaves out, a companion, is added to it at neutral, where by law it changes
nothing. All tasks of one env then have one structure: plain, varied and trained-under runs share one
program, and it depends on the task and on the plan's companions alone, so a job gives the same bits whichever
jobs were planned beside it.

Where observations are pictures, axes of the observation are no companions: twenty filters at neutral make a
frame a hundred times as costly, and compiling a program for each axis takes seconds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.catalogue import axis_of, variations
from assay.core import step as loop
from assay.core.env import Task
from assay.errors import AssayError
from assay.native import build_native
from assay.task_text import Setting, TaskText, parse
from assay.tasks import Resolved, resolve

LARGE = 4096  # numbers of an observation; one with more is costly to make


@cache
def program(text: str, companions: tuple[str, ...]) -> Task:
    """The native task of a text, with the companions that it does not name added at neutral."""
    resolved = resolve(parse(text))
    plain = build_native(resolved).task
    if has_large_observations(plain):
        companions = tuple(name for name in companions if not touches_only_the_observation(resolved, name))
    together = in_catalogue_order(resolved, companions)
    if together is None:
        return plain
    # Each axis is tried alone first: one that does not fit this task's spaces stays out for all its levels.
    present = {setting.name for setting in resolved.text.settings}
    settings = tuple(
        setting for setting in together if setting.name in present or fits(resolved.text, setting)
    )
    return build_native(TaskText(resolved.text.env, settings)).task


def has_large_observations(task: Task) -> bool:
    """Whether observations are costly to make, as pictures are."""
    return bool(np.prod(loop.spaces(task)["observation"].shape) > LARGE)


def touches_only_the_observation(resolved: Resolved, name: str) -> bool:
    return axis_of(resolved.text.env, name).components == ("observation",)


@cache
def build_alone(text: str) -> Task:
    """The native task of a text as it is, without companions.

    An agent that does not look then makes a step in a tenth of the time, and its programs compile in seconds.
    """
    return build_native(resolve(parse(text))).task


def in_catalogue_order(resolved: Resolved, companions: tuple[str, ...]) -> list[Setting] | None:
    """The text's settings and those of its companions; None if the text orders its channels otherwise."""
    known = variations(resolved.text.env)
    names = [axis.name for axis in known]
    written = {setting.name: setting for setting in resolved.text.settings}
    if not set(written) <= set(names):
        return None  # a variation of the user's own has a program of its own
    foreign = [name for name in written if name not in {a.name for a in resolved.entry.axes}]
    if foreign != sorted(foreign, key=names.index):
        return None  # channels act in the order written
    return [
        written.get(axis.name) or Setting(axis.name, axis.neutral)
        for axis in known
        if axis.name in written or axis.name in companions
    ]


def fits(text: TaskText, setting: Setting) -> bool:
    try:
        build_native(replace(text, settings=(*text.settings, setting)))
    except AssayError:
        return False
    return True


def stack_tasks(tasks: list[Task]) -> Task:
    """Tasks of one program as one task, whose leaves have a first axis for the tasks."""
    together: Task = jax.tree.map(stack_leaves, *tasks)
    return together


def stack_leaves(*leaves: Any) -> jax.Array:
    # By numpy: jax takes ten times as long, which is as long as an evaluation.
    return jnp.asarray(np.stack([np.asarray(leaf, jnp.result_type(leaf)) for leaf in leaves]))


def signature(task: Task) -> Any:
    """A key that is equal for tasks that can be stacked."""
    leaves, structure = jax.tree.flatten(task)
    return structure, tuple((np.shape(leaf), jnp.result_type(leaf).name) for leaf in leaves)
