"""The executor of a run, chosen by the options of its command."""

from __future__ import annotations

from pathlib import Path

from assay.errors import AssayError
from assay.runs.executor import Executor, Limits


def executor_of(
    workers: int = 0,
    ray: str = "",
    lanes: int | None = None,
    job_timeout: float | None = None,
    parts: str = "",
) -> Executor:
    """Who does the jobs: processes of this machine, or Ray with `ray="local"` or `ray="HOST:PORT"`.

    `lanes` is how many agents one program trains at once, `job_timeout` the seconds after which a job is
    ended, and `parts` the URL of a folder for curves and weights of Ray's workers. What cannot work is
    refused before a run is made.
    """
    require_options(workers, ray, lanes, job_timeout, parts)
    limits = Limits(lanes, job_timeout)
    if ray:
        from assay.runs.cluster import Cluster

        return Cluster(ray, workers, limits, folder_of(parts))
    from assay.runs.local import Local

    return Local(workers, limits)


def folder_of(parts: str) -> str:
    return str(Path(parts).absolute()) if parts and ":" not in parts else parts


def require_options(
    workers: int = 0,
    ray: str = "",
    lanes: int | None = None,
    job_timeout: float | None = None,
    parts: str = "",
) -> None:
    """Refuses options that cannot work; loads nothing slow unless Ray is asked for."""
    for name, number, least in (("workers", workers, 0), ("lanes", lanes, 1)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < least):
            raise AssayError(f"--{name} is a whole number from {least} up, not {number!r}.")
    if not isinstance(ray, str):
        raise AssayError(f"--ray takes local or the HOST:PORT of a cluster, not {ray!r}.")
    if job_timeout is not None and job_timeout <= 0:
        raise AssayError(f"--job-timeout takes seconds above 0, not {job_timeout:g}.")
    if parts and not ray:
        raise AssayError("--parts needs --ray; without --ray all files go into the run's folder.")
    if ray:
        from assay.runs.cluster import require_usable

        require_usable(ray, folder_of(parts))
