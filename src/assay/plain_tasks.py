"""The plain side of a task: the env alone, with what makes it a task at all."""

from __future__ import annotations

from assay.catalogue import variations
from assay.task_text import TaskText
from assay.tasks import Resolved


def plain_side(resolved: Resolved) -> TaskText:
    """The env alone, with those settings that make it what it is, such as the rule of rules/custom.

    No list of axes names them, and they are structure: without them there may be no task at all.
    """
    listed = {axis.name for axis in variations(resolved.text.env)}
    makes = resolved.structure.keys() - listed
    settings = (each for each in resolved.text.settings if each.name in makes)
    return TaskText(resolved.text.env, tuple(settings))
