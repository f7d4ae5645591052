"""What one job of a run does, read from the config in its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError
from assay.plans.plan import Weights
from assay.results.record import Job
from assay.strict_json import WrongDocument, from_json


@dataclass(frozen=True)
class Try:
    """One task that a job's agent is evaluated on, and the arm, axis and level that it answers."""

    arm: str
    axis: str
    level: str
    task: str


@dataclass(frozen=True, kw_only=True)
class JobPlan:
    settings: Mapping[str, Any]  # of the agent
    episodes: int
    tries: tuple[Try, ...]  # the training task, or the plain one, comes first
    max_steps: int | None = None  # after which episodes are cut
    trust: bool = False  # let a checkpoint run the code inside it
    rollouts: bool = False  # play the policy of every report too
    weights: Weights | None = None  # of an agent that was trained before
    transcripts: bool = False  # keep every step of the evaluation
    counts_events: bool = False  # count what variations do in each episode of the evaluation
    companions: tuple[str, ...] = ()  # axes at neutral in its program, beside those of its tasks

    @property
    def arm(self) -> str:
        """The arm that the job belongs to."""
        return self.tries[0].arm


def job_plan(job: Job) -> JobPlan:
    """The plan of a job that a command of assay made."""
    try:
        return from_json(JobPlan, job.config, f"the config of job {job.id}")
    except WrongDocument as error:
        raise AssayError(f"{str(error).rstrip('.')}; restore the ledger from a copy, or run anew.") from None
