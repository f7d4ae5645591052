"""Whose the losses of an exam are: the agent's, the task's, or open."""

from __future__ import annotations

import math

from assay.analysis.exam import AxisFinding, Exam
from assay.plans.question import CARRY
from assay.stats.verdict import BREAKS

AGENT, TASK, OPEN = "agent", "task", "open"
GROUPS = (AGENT, TASK, OPEN)  # in the order in which a report speaks of them


def group_of(finding: AxisFinding) -> str:
    """Whose a break of a frozen agent is; a share that is not sure is nobody's yet."""
    if finding.whose is None or not finding.whose.sure:
        return OPEN
    return TASK if finding.whose.word == "the task" else AGENT


def broken(exam: Exam, group: str) -> list[AxisFinding]:
    """The breaks of frozen agents in one group, the greatest loss first."""
    breaks = [f for f in exam.findings if f.word == BREAKS and f.arm == CARRY and group_of(f) == group]
    return sorted(breaks, key=lambda each: (math.isnan(each.effect.value), each.effect.value))


def broken_axes(exam: Exam) -> dict[str, int]:
    """How many axes are in each group, every axis once: the agent's before the open before the task's."""
    counts: dict[str, int] = {}
    told: set[str] = set()
    for group in (AGENT, OPEN, TASK):
        axes = {finding.axis for finding in broken(exam, group)} - told
        counts[group] = len(axes)
        told |= axes
    return counts
