"""Where a report's numbers come from: the part that exams and experiments share."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from assay.analysis.caveats import jobs_done, uncovered_in
from assay.digests.closure import closure
from assay.digests.syntax import digest_of_file
from assay.plans.plan import plan_of
from assay.results import Run
from assay.results.record import digest_of

DECIDING = ("assay.analysis.findings", "assay.analysis.experiment")  # with all that they import


@dataclass(frozen=True, kw_only=True)
class Made:
    """By what, where and at what cost a run was made."""

    config: dict[str, Any] = field(default_factory=dict)  # the agent's settings
    command: str = ""
    folder: str = ""
    created: float = 0.0  # seconds since 1970 UTC
    versions: dict[str, str] = field(default_factory=dict)
    source_digest: str = ""  # of the code that the jobs run
    analysis_digest: str = ""  # of the code that decides from their records
    fingerprint: str = ""  # of all records, as `assay verify` prints it
    uncovered: tuple[str, ...] = ()  # a sentence per file that decided results and is in no digest
    unfinished: str = ""  # how many jobs are done, where some are left
    jobs: int = 0
    wall_s: float = 0.0  # summed over jobs
    cpu_s: float = 0.0


def made_by(run: Run) -> Made:
    """By what a run was made; a record that extends `Made` takes the fields over."""
    jobs = run.jobs()
    return Made(
        config=dict(plan_of(run).settings),
        command=shlex.join(run.document.command),
        folder=str(run.folder),
        created=run.document.created,
        versions=run.versions(),
        source_digest=run.document.source_digest,
        analysis_digest=analysis_digest(),
        fingerprint=run.fingerprint(),
        uncovered=uncovered_in(jobs),
        unfinished=jobs_done(run),
        jobs=len(jobs),
        wall_s=sum(job.wall_s or 0.0 for job in jobs),
        cpu_s=sum(job.cpu_s or 0.0 for job in jobs),
    )


@cache
def analysis_digest() -> str:
    """Of the code that decides: findings of two codes may differ though their records are the same."""
    code = sorted(closure(DECIDING).items())
    return digest_of(f"{name}\0{digest_of_file(path)}\n".encode() for name, path in code)
