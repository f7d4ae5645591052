"""The axes that are compiled into every program of a plan at neutral, beside those that a task names.

The plan records them: a variation that is added to assay later is in no program of an earlier plan, so the
jobs of that plan stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.catalogue import env_entry, variations
from assay.core.axis import Axis
from assay.core.variation import Field
from assay.errors import AssayError
from assay.task_text import TaskText


def companions_of(texts: Iterable[TaskText]) -> tuple[str, ...]:
    """The names of the companions of all native envs of these tasks."""
    envs = dict.fromkeys(text.env for text in texts if env_entry(text.env).native)
    return tuple(
        dict.fromkeys(axis.name for env in envs for axis in variations(env) if can_be_companion(axis))
    )


def can_be_companion(axis: Axis) -> bool:
    """Whether an axis can be neutral in every task: it is traced, and no other name for an env's own axis."""
    if axis.kind == "structure" or axis.same_as or sets_another_axis(axis):
        return False
    try:
        return bool(axis.to_level(axis.neutral) == axis.neutral)
    except AssayError:
        return False  # its neutral means "as the env has it", which is not a level


def sets_another_axis(axis: Axis) -> bool:
    """Whether it acts by setting the field of another axis; both in one program would be one record twice."""
    return isinstance(axis.acts, Field) and axis.acts.name != axis.name
