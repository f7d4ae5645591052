"""Words on plain play beside its score: how often it succeeds, and what play reaches that does not look."""

from __future__ import annotations

from assay.analysis.exam import Exam
from assay.analysis.experiment import Experiment

SUCCESS = "success"


def success_clause(exam: Exam) -> str:
    """`; success in 98% of episodes [93%, 100%]`; "" where the env tells of no success."""
    share = next((each.share for each in exam.measures if each.name == SUCCESS), None)
    if share is None:
        return ""
    return f"; success in {share.value:.0%} of episodes [{share.low:.0%}, {share.high:.0%}]"


def say_blind(exam: Exam) -> str:
    """The score of the best blind policy, or how to find it; "" where the env tells of no success."""
    if exam.blind is not None:
        return f"The best blind policy, which does not look, scores {exam.blind:,.0f}."
    if not exam.measures:
        return ""
    return (
        "Neither score nor success shows that an agent looks. The best blind policy, which does not look, "
        f"was not played here; `assay train blind {exam.task} --seeds 1` finds it."
    )


def trained_for(findings: Exam | Experiment) -> str:
    """`20,000 steps`, or `40 episodes (3,712 to 3,840 steps)`; "" for an agent that was not trained."""
    return findings.training or (f"{findings.budget:,} steps" if findings.budget else "")
