"""Jobs done once more: the same job of the same code on the same machine leaves the same bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from assay.results import Job, Run
from assay.results.provenance import versions
from assay.results.store import digest_of_result
from assay.runs.agents import digest_of_source
from assay.runs.cache import keep_programs
from assay.runs.execute import Result, batches, execute


class Again(NamedTuple):
    """What became of one job that was done again."""

    job: str
    same: bool
    says: str


def can_be_done_again(run: Run) -> str:
    """Why the jobs of a run cannot be compared bit for bit here, or "" if they can."""
    if "agent" not in run.plan["plan"]:
        return "no command of assay planned it"
    if any(job.source_digest != digest_of_source(run.plan["plan"]) for job in run.jobs()):
        return "it was made by other code"
    now = versions()
    for job in run.jobs(status="done"):
        other = [name for name, value in (job.versions or {}).items() if now.get(name) != value]
        if other:
            return f"it was made with {other[0]} {job.versions[other[0]]}, and here is {now.get(other[0])}"
    return ""


def sample(jobs: list[Job], wanted: int) -> list[Job]:
    """Spread evenly over the jobs, so that each kind of them is among the sample."""
    if wanted >= len(jobs):
        return jobs
    return [jobs[(2 * i + 1) * len(jobs) // (2 * wanted)] for i in range(wanted)]


def do_again(run: Run, jobs: list[Job], tell: Callable[[int, int, str], None]) -> Iterable[Again]:
    """Executes finished jobs and compares what they leave with what is in the records."""
    keep_programs()
    done = 0
    for batch in batches(jobs):
        wanted = {job.id: job for job in batch}
        for result in execute(batch):
            tell(done, len(jobs), result.job)
            done += 1
            yield compared(run, wanted[result.job], result)


def compared(run: Run, job: Job, result: Result) -> Again:
    if result.failed:
        return Again(job.id, False, f"job {job.id} failed when it was done again: {result.failed}")
    digest = digest_of_result(
        job, result.episodes, result.curves if result.curves is not None else (), result.weights
    )
    if digest == job.digest:
        return Again(job.id, True, f"job {job.id} gave the same once more.")
    parts = zip(("episodes", "curves", "weights"), digest.split("-"), (job.digest or "").split("-"))
    other = [name for name, new, old in parts if new != old]
    return Again(
        job.id, False,
        f"the {' and '.join(other)} of job {job.id} ({job.agent} on {job.train_task}, seed {job.seed}) are "
        "not what the job gives when it is done again.",
    )  # fmt: skip
