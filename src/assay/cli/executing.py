"""The options of who does the jobs of a run, shared by the commands that have some."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.runs.executor import Executor

Workers = Annotated[int, typer.Option(help="Processes at work.", show_default="one per core", min=0)]
Ray = Annotated[
    str, typer.Option(help="Let Ray do the jobs: local, or HOST:PORT of a cluster.", show_default="no")
]
Lanes = Annotated[
    int | None,
    typer.Option(help="Agents that one program trains.", show_default="10 on a CPU, 100 on a GPU", min=1),
]
JobTimeout = Annotated[
    float | None, typer.Option(help="Seconds after which a job is ended.", show_default="none")
]
Parts = Annotated[
    str,
    typer.Option(help="URL of a folder that Ray's workers write weights to.", show_default="the run's own"),
]


def executor_of(workers: int, ray: str, lanes: int | None, job_timeout: float | None, parts: str) -> Executor:
    """Who does the jobs; what cannot be had is refused before a run is made."""
    from assay.runs.executor import Limits

    if job_timeout is not None and job_timeout <= 0:
        raise AssayError(f"--job-timeout takes seconds above 0, not {job_timeout:g}.")
    if parts and not ray:
        raise AssayError("--parts is for workers of Ray, and without --ray files go into the run's folder.")
    limits = Limits(lanes, job_timeout)
    if ray:
        from assay.runs.cluster import Cluster, require_usable

        url = str(Path(parts).absolute()) if parts and ":" not in parts else parts
        require_usable(ray, url)
        return Cluster(ray, workers, limits, url)
    from assay.runs.local import Local

    return Local(workers, limits)
