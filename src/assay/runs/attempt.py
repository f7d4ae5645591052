"""One attempt at a batch of jobs: what every executor has its workers do."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError
from assay.plans.plan import Plan
from assay.results import Cost, Job
from assay.runs.batches import Batch
from assay.runs.native_jobs import execute
from assay.runs.result import Result
from assay.runs.staleness import planned_sources, unless_changed


def attempt(batch: Batch, plan: Plan | None) -> Iterator[Result]:
    """The result of every job of a batch, a failure too; `plan` is None in a run that no command planned."""
    left = {job.id: job for job in batch.jobs}
    try:
        on = planned_sources(plan) if plan else None
        for result in execute(batch.jobs, batch.lanes):
            checked = unless_changed(on, left[result.job], result)
            del left[result.job]
            yield checked
    except Exception as error:  # of the batch as a whole: its program cannot be built, or does not run
        for job in left.values():
            yield Result(job.id, [], None, None, Cost(), why(job, error))


def why(job: Job, error: Exception) -> str:
    """One sentence on a job that could not be done."""
    if isinstance(error, AssayError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    first = (str(error).strip() or "no reason given").splitlines()[0]
    return (
        f"{job.agent} on {job.train_task} raised {type(error).__name__}: {first} "
        f"({Path(where.filename).name}, line {where.lineno})."
    )
