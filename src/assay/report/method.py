"""How to read the numbers of an exam: the terms of its report and what they mean there."""

from __future__ import annotations

import math

from assay.analysis.exam import Exam
from assay.report.attribution import cuts
from assay.report.proofs import proofs

ALL = "all"  # actions of an agent that leaves none out
NOT_RETRAINED = " A given agent is not retrained, so only an optimum can tell here."


def method(exam: Exam) -> list[tuple[str, str]]:
    """How to read the numbers: a term and what it means here."""
    least, sure = f"{100 * exam.margin:g}%", f"{100 * exam.coverage:g}%"
    unit = (
        "A seed: one agent trained from scratch. The episodes of one agent are averaged first, because "
        "they are not independent; intervals speak of the algorithm, over seeds."
        if exam.unit == "seed"
        else "An episode of the one given agent. Intervals speak of this agent, not of its algorithm."
    )
    return [
        *proofs(exam),
        *cuts(exam),
        ("Unit", unit),
        (
            "Effect",
            "(varied − plain) / (plain − random), of means over paired units: 0% is no change, −100% a fall "
            "from the plain score to that of random play, which is measured on the plain task."
            + say_random(exam),
        ),
        ("Margin", f"A loss of up to {least} is taken as too small to matter."),
        (
            "Verdict",
            f"An axis breaks from a level if there and at every stronger one the whole interval is a loss of "
            f"more than {least}. It holds to a level if up to there no interval reaches a loss of {least}. "
            f"Otherwise it cannot be told.",
        ),
        (
            "Intervals",
            f"Simultaneous: with {sure} confidence all effects of this examination lie within their "
            f"intervals at once, so looking at many axes does not make false alarms more likely. They "
            f"include the error of random play and are longer on the side to which {exam.unit}s are skewed. "
            f"Where there are too few {exam.unit}s to judge the skew, no interval is given.",
        ),
        *endless(exam),
        ("Scores", f"Means over {exam.unit}s, throughout."),
        (
            "Whose loss",
            "The task’s where the optimum, or an agent retrained there, loses at least two thirds as much; "
            "the agent’s where it loses at most one third as much; otherwise both, which is listed with the "
            "agent’s. “Perhaps” marks a share whose interval allows another answer: such a loss cannot be "
            "attributed." + NOT_RETRAINED * (exam.unit == "episode"),
        ),
    ]


def endless(exam: Exam) -> list[tuple[str, str]]:
    """What an end without a bound means; nothing where every interval has both ends."""
    ends = [end for each in exam.findings for level in each.levels for end in level.effect[1:]]
    if not any(map(math.isinf, [*ends, *exam.headline.score[1:]])):
        return []
    return [("No bound", f"So few {exam.unit}s set no limit on that side: the true value may lie anywhere.")]


def say_random(exam: Exam) -> str:
    """A sentence on random play, where settings of the agent leave actions out that random play tries."""
    chosen = exam.config.get("actions", ALL)
    if chosen == ALL:
        return ""
    return (
        f" Random play chooses among all actions of the task, also those that the agent's setting "
        f"actions={chosen} leaves out, so that a part of its distance from random play is the setting's."
    )
