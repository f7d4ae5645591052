"""Where agents are trained anew: decided from findings, and recorded with what the decision rests on."""

from __future__ import annotations

from typing import Any

from assay.analysis.exam import Exam
from assay.analysis.findings import find, to_retrain
from assay.analysis.strict import strict
from assay.plans.asked import CARRY, PLAIN
from assay.plans.job_plan import job_plan
from assay.plans.plan import plan_of
from assay.results import Run
from assay.results.books import RETRAINING
from assay.results.record import canonical, digest_of


def has_plain_play(run: Run) -> bool:
    """Whether the agent played the plain task at least once: without that nothing can be compared."""
    jobs = run.jobs(status="done", agent=plan_of(run).agent)
    return any(job_plan(job).arm == PLAIN for job in jobs)


def decide_retraining(run: Run) -> dict[str, Any]:
    """Where agents are to be trained anew, and the findings that this rests on."""
    return decision_of(find(run, retrained=False))


def decision_of(exam: Exam) -> dict[str, Any]:
    effects = {(each.axis, each.level): strict(each.effect) for each in exam.findings if each.arm == CARRY}
    levels = [
        {"axis": axis, "level": level, "effect": effects[axis, level]} for axis, level in to_retrain(exam)
    ]
    return {"levels": levels, "findings": digest_of([canonical(strict(exam.findings)).encode()])}


def levels_to_retrain(run: Run) -> list[tuple[str, str]]:
    """(axis, level) of every decision: a run that is resumed may have decided more than once."""
    made = [each for decision in run.decisions(kind=RETRAINING) for each in decision.decided["levels"]]
    return list(dict.fromkeys((each["axis"], each["level"]) for each in made))
