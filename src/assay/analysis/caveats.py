"""Sentences on the limits of a run's results: files that no digest covers, and jobs that are left."""

from __future__ import annotations

from collections.abc import Iterable

from assay.results import Job, Run

VERBS = {"files": "read", "modules": "imported"}
ADVICE = "declare it (`files=` of `assay.Policy`, or `ASSAY_FILES` in the module)"


def describe_uncovered(jobs: Iterable[Job]) -> tuple[str, ...]:
    """`weights.npy was read and is not covered: declare it (...)`, each file once."""
    return tuple(
        dict.fromkeys(
            f"{name} was {verb} and is not covered: {ADVICE}"
            for job in jobs
            for what, verb in VERBS.items()
            for name in (job.uncovered or {}).get(what, ())
        )
    )


def describe_progress(run: Run) -> str:
    """`3 of 6 jobs are done`; "" where no job is left."""
    progress = run.progress()
    total, done = sum(map(len, progress)), len(progress.done)
    if total == done + len(progress.failed):
        return ""
    return f"{done} of {total} jobs {'is' if done == 1 else 'are'} done"
