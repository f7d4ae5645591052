"""What results stand on, in sentences: what no digest covers, and how much of a run is done."""

from __future__ import annotations

from collections.abc import Iterable

from assay.results import Job, Run

VERBS = {"files": "read", "modules": "imported"}
HOW = "declare it (`files=` of `assay.Policy`, or `ASSAY_FILES` in the module)"


def uncovered_in(jobs: Iterable[Job]) -> tuple[str, ...]:
    """`weights.npy was read and is not covered: declare it (...)`, each file once."""
    return tuple(
        dict.fromkeys(
            f"{name} was {verb} and is not covered: {HOW}"
            for job in jobs
            for what, verb in VERBS.items()
            for name in (job.uncovered or {}).get(what, ())
        )
    )


def jobs_done(run: Run) -> str:
    """`3 of 6 jobs are done`; nothing where no job is left."""
    progress = run.progress()
    total, done = sum(map(len, progress)), len(progress.done)
    if total == done + len(progress.failed):
        return ""
    return f"{done} of {total} jobs {'is' if done == 1 else 'are'} done"
