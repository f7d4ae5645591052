"""The axes that stand at neutral in every program of a plan, beside those that a task names.

They are decided with the plan and kept in it: a variation that assay learns later is in no program of an
earlier plan, so its jobs stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.catalogue import env_entry, variations
from assay.core.axis import Axis
from assay.errors import AssayError
from assay.task_text import TaskText


def companions_of(texts: Iterable[TaskText]) -> tuple[str, ...]:
    """By name, those of all native envs of these tasks."""
    envs = dict.fromkeys(text.env for text in texts if env_entry(text.env).native)
    return tuple(dict.fromkeys(axis.name for env in envs for axis in variations(env) if joins(axis)))


def joins(axis: Axis) -> bool:
    """Whether an axis can stand at neutral in every task: traced, no double of a key of the env's own."""
    if axis.kind == "structure" or axis.same_as:
        return False
    try:
        return bool(axis.to_level(axis.neutral) == axis.neutral)
    except AssayError:
        return False  # its neutral says "as the env has it", which is no level
