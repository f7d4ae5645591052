"""The origin of a report's numbers: the part that exams and experiments share."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from assay.analysis.caveats import describe_progress, describe_uncovered
from assay.digests.closure import closure
from assay.digests.syntax import digest_of_file
from assay.plans.plan import plan_of
from assay.results import Run
from assay.results.record import digest_of

DECIDING = ("assay.analysis.findings", "assay.analysis.experiment")  # with all that they import
TABLES = (".json", ".yaml")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The command, code, folder and cost of a run."""

    config: dict[str, Any] = field(default_factory=dict)  # the agent's settings
    command: str = ""
    folder: str = ""
    created: float = 0.0  # seconds since 1970 UTC
    versions: dict[str, str] = field(default_factory=dict)
    source_digest: str = ""  # of the code that the jobs run
    analysis_digest: str = ""  # of the code and the tables that decide from their records
    fingerprint: str = ""  # of all records, as `assay verify` prints it
    uncovered: tuple[str, ...] = ()  # a sentence per file that may have changed results and is in no digest
    unfinished: str = ""  # how many jobs are done, where some are left
    jobs: int = 0
    wall_s: float = 0.0  # summed over jobs
    cpu_s: float = 0.0


def origin_of(run: Run) -> Origin:
    """The origin of a run's records; `Exam` and `Experiment` extend it."""
    jobs = run.jobs()
    return Origin(
        config=dict(plan_of(run).settings),
        command=shlex.join(run.document.command),
        folder=str(run.folder),
        created=run.document.created,
        versions=run.versions(),
        source_digest=run.document.source_digest,
        analysis_digest=analysis_digest(),
        fingerprint=run.fingerprint(),
        uncovered=describe_uncovered(jobs),
        unfinished=describe_progress(run),
        jobs=len(jobs),
        wall_s=sum(job.wall_s or 0.0 for job in jobs),
        cpu_s=sum(job.cpu_s or 0.0 for job in jobs),
    )


@cache
def analysis_digest() -> str:
    """The digest of the code and tables that turn records into findings: others may find something else."""
    files = sorted(with_tables(closure(DECIDING)).items())
    return digest_of(f"{name}\0{digest_of_file(path)}\n".encode() for name, path in files)


def with_tables(code: Mapping[str, Path]) -> dict[str, Path]:
    """The files of modules, and the data files that lie beside a module under its name."""
    tables = {
        f"{name}{path.suffix}": path
        for name, module in code.items()
        for path in module.parent.glob(f"{module.stem}.*")
        if path.suffix in TABLES
    }
    return {**code, **tables}
