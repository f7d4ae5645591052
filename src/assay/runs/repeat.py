"""Jobs done again: the same job, by the same code on the same machine, gives the same bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from assay.digests.own_code import version_of
from assay.errors import AssayError
from assay.plans.agents import is_repeatable
from assay.plans.plan import plan_of
from assay.plans.sources import describe_changes, digest_of_source, is_same_code
from assay.results import Job, Run
from assay.results.provenance import versions
from assay.results.record import digest_of
from assay.results.stored_result import digest_of_result
from assay.runs.batches import batches_again
from assay.runs.cache import keep_programs
from assay.runs.native_jobs import execute
from assay.runs.result import Result


class Repetition(NamedTuple):
    """The outcome of one job that was done again."""

    job: str
    same: bool
    says: str


def can_be_done_again(run: Run) -> str:
    """Why the jobs of a run cannot be compared bit for bit here, or "" if they can."""
    models = [job.agent for job in run.jobs(status="done") if not is_repeatable(job.agent)]
    if models:
        return f"{models[0]} is a language model, whose answers are not reproducible"
    base = versions()
    for made in (run.document.versions, *(job.versions or {} for job in run.jobs(status="done"))):
        now = {name: version_of(name) for name in made} | base
        # A name that the records lack was taken out of them, or came to assay later.
        for name in sorted(made.keys() | now.keys()):
            if made.get(name) != now.get(name):
                then = made.get(name, "unknown")
                return f"it was made with {name} {then}, and {name} here is {now.get(name) or 'none'}"
    try:
        digest = digest_of_source(plan_of(run))
    except (AssayError, OSError) as error:  # its agent is not importable from here, for example
        return f"it cannot be done again here: {str(error).rstrip('.')}"
    digests = (run.document.source_digest, *(job.source_digest for job in run.jobs()))
    if any(each != digest for each in digests) and not is_same_code(run.document.sources, plan_of(run)):
        what = describe_changes(run.document.sources, plan_of(run))
        return f"it was made by other code{f' ({what})' if what else ''}"
    return ""


def sample(jobs: list[Job], wanted: int, fingerprint: str) -> list[Job]:
    """A sample of the jobs, chosen by the fingerprint of the whole run.

    If the choice were known beforehand, a forged result could be placed outside of it.
    """
    chosen = sorted(jobs, key=lambda job: digest_of([fingerprint.encode(), job.id.encode()]))[:wanted]
    return [job for job in jobs if job in chosen]


def do_again(run: Run, jobs: list[Job], tell: Callable[[int, int, str], None]) -> Iterable[Repetition]:
    """Executes finished jobs again and compares their results with the records."""
    keep_programs()
    done = 0
    for batch in batches_again(jobs):
        wanted = {job.id: job for job in batch.jobs}
        for result in execute(batch.jobs, batch.lanes):
            tell(done, len(jobs), result.job)
            done += 1
            yield compare_again(run, wanted[result.job], result)


def compare_again(run: Run, job: Job, result: Result) -> Repetition:
    if result.failed:
        return Repetition(job.id, False, f"job {job.id} failed when it was done again: {result.failed}")
    digest = digest_of_result(
        job,
        result.episodes,
        result.curves if result.curves is not None else (),
        result.weights,
        result.transcript,
    )
    if digest == job.digest:
        return Repetition(job.id, True, f"job {job.id} gave the same result again.")
    parts = zip(
        ("episodes", "curves", "weights", "transcript"), digest.split("-"), (job.digest or "").split("-")
    )
    other = [name for name, new, old in parts if new != old]
    return Repetition(
        job.id, False,
        f"the {' and '.join(other)} of job {job.id} ({job.agent} on {job.train_task}, seed {job.seed}) are "
        "not what the job gives when it is done again.",
    )  # fmt: skip
