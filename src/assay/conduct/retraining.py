"""Decides from findings where agents are trained anew; the decision is recorded with its grounds."""

from __future__ import annotations

from dataclasses import dataclass

from assay.analysis.exam import Exam
from assay.analysis.findings import breaks_to_retrain, find
from assay.analysis.finite_json import strict
from assay.plans.job_plan import job_plan
from assay.plans.plan import plan_of
from assay.plans.question import CARRY, PLAIN
from assay.results import Run
from assay.results.journal import RETRAINING
from assay.results.record import canonical, digest_of
from assay.strict_json import Json


def has_plain_play(run: Run) -> bool:
    """Whether the agent played the plain task at least once; otherwise nothing can be compared."""
    jobs = run.jobs(status="done", agent=plan_of(run).agent)
    return any(job_plan(job).arm == PLAIN for job in jobs)


@dataclass(frozen=True)
class LevelToRetrain:
    axis: str
    level: str
    effect: Json  # the interval because of which the level was chosen


@dataclass(frozen=True)
class Retraining:
    """A decision at which levels to train anew, as the ledger keeps it."""

    levels: tuple[LevelToRetrain, ...]
    findings: str  # the digest of the findings that the decision rests on


def decide_retraining(run: Run) -> Retraining:
    """Decides at which levels agents are trained anew, from what the run found so far."""
    return decision_of(find(run, retrained=False))


def decision_of(exam: Exam) -> Retraining:
    effects = {(each.axis, each.level): strict(each.effect) for each in exam.findings if each.arm == CARRY}
    levels = [LevelToRetrain(axis, level, effects[axis, level]) for axis, level in breaks_to_retrain(exam)]
    return Retraining(tuple(levels), digest_of([canonical(strict(exam.findings)).encode()]))


def levels_to_retrain(run: Run) -> list[tuple[str, str]]:
    """(axis, level) of every decision: a run that is resumed may have decided more than once."""
    levels = [each for decision in run.decisions(kind=RETRAINING) for each in decision.decided["levels"]]
    return list(dict.fromkeys((each["axis"], each["level"]) for each in levels))
