"""One attempt at a batch of jobs, as the workers of every executor make it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from assay.errors import AssayError
from assay.plans.plan import is_planned, plan_of
from assay.results import Cost, Job, Run
from assay.runs.batches import Batch
from assay.runs.native_jobs import execute
from assay.runs.result import Result
from assay.runs.staleness import PlannedSources, fail_if_changed, planned_sources

FindSources = Callable[[], PlannedSources | None]


def sources_of_run(run: Run) -> FindSources:
    """Finds the code and files of a run at its first call alone: that takes as long as many short jobs.

    It gives None if no command planned the run.
    """
    return cache(lambda: planned_sources(plan_of(run)) if is_planned(run.plan) else None)


def attempt(batch: Batch, find_sources: FindSources, checkpoints: Path | None = None) -> Iterator[Result]:
    """Yields the result or failure of every job of a batch."""
    left = {job.id: job for job in batch.jobs}
    try:
        planned = find_sources()
        for result in execute(batch.jobs, batch.lanes, checkpoints):
            checked = fail_if_changed(planned, left[result.job], result)
            del left[result.job]
            yield checked
    except Exception as error:  # the whole batch fails: its program cannot be built, or does not run
        for job in left.values():
            yield Result(job.id, [], None, None, Cost(), describe_failure(job, error))


def describe_failure(job: Job, error: Exception) -> str:
    """One sentence on why a job failed."""
    if isinstance(error, AssayError):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    reason = (str(error).strip() or "no reason given").splitlines()[0]
    return (
        f"{job.agent} on {job.train_task} raised {type(error).__name__}: {reason} "
        f"({Path(frame.filename).name}, line {frame.lineno})."
    )
