"""Sorts the losses of an exam by cause: the agent, the task, or not known."""

from __future__ import annotations

import math

from assay.analysis.exam import AxisFinding, Exam
from assay.plans.question import CARRY
from assay.stats.verdict import BREAKS

AGENT, TASK, OPEN = "agent", "task", "open"
GROUPS = (AGENT, TASK, OPEN)  # in the order of reports


def group_of(finding: AxisFinding) -> str:
    """The cause of a frozen agent's break; open where the task's share of the loss is not sure."""
    if finding.whose is None or not finding.whose.sure:
        return OPEN
    return TASK if finding.whose.word == "the task" else AGENT


def breaks_in_group(exam: Exam, group: str) -> list[AxisFinding]:
    """The breaks of frozen agents in one group, the greatest loss first."""
    breaks = [f for f in exam.findings if f.word == BREAKS and f.arm == CARRY and group_of(f) == group]
    return sorted(breaks, key=lambda each: (math.isnan(each.effect.value), each.effect.value))


def count_broken_axes(exam: Exam) -> dict[str, int]:
    """How many axes are in each group; an axis in several counts once: agent before open before task."""
    counts: dict[str, int] = {}
    counted: set[str] = set()
    for group in (AGENT, OPEN, TASK):
        axes = {finding.axis for finding in breaks_in_group(exam, group)} - counted
        counts[group] = len(axes)
        counted |= axes
    return counts
