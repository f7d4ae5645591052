"""Sentences on the limits of a run's results: files that no digest covers, and jobs that are left."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from assay.plans.plan import plan_of
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


def describe_missing(run: Run) -> str:
    """`1 of 4 jobs of runs/first is missing: rules/a (1 failed); ...`; "" where every job is done."""
    jobs = run.jobs(agent=plan_of(run).agent)
    absent = [job for job in jobs if job.status != "done"]
    if not absent:
        return ""
    tasks = []
    for task in dict.fromkeys(job.train_task for job in absent):
        here = [job.status for job in absent if job.train_task == task]
        failed = here.count("failed")
        left = [f"{failed} failed"] if failed else []
        left += [f"{len(here) - failed} not done"] if failed < len(here) else []
        tasks.append(f"{task} ({', '.join(left)})")
    verb = "is" if len(absent) == 1 else "are"
    move = f"`{shlex.join(['assay', 'resume', str(run.folder)])}` does the rest"
    return f"{len(absent)} of {len(jobs)} jobs of {run.folder} {verb} missing: {', '.join(tasks)}; {move}"


def describe_progress(run: Run) -> str:
    """`3 of 6 jobs are done`; "" where no job is left."""
    progress = run.progress()
    total, done = sum(map(len, progress)), len(progress.done)
    if total == done + len(progress.failed):
        return ""
    return f"{done} of {total} jobs {'is' if done == 1 else 'are'} done"
