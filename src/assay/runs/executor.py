"""Executors do the jobs of a run: they take batches, and each job is done, or fails with a reason.

`runs/local.py` has processes of this machine, `runs/cluster.py` those of Ray.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from assay.results import Job, Run
from assay.runs.batches import Batch, batches_of_phases, spread, unfinished_batches
from assay.runs.progress import Event, Listener, Watch, no_listener, work_of
from assay.runs.train_in_pieces import FOLDER, forget

ATTEMPTS = 3  # at a job whose worker is killed; more deaths are no accident
WORTH_A_WORKER = 200_000  # env steps of training
PATIENCE_S = 0.5  # between checks on the work of another process


class Limits(NamedTuple):
    """Limits on how jobs are done, for every executor."""

    lanes: int | None = None  # of a program; None: as many as suit the device
    job_timeout: float | None = None  # seconds that a job may take; None: no limit


class Executor(Protocol):
    """Does batches of jobs, and keeps what it needs for that until it is closed."""

    @property
    def limits(self) -> Limits: ...

    def open(self, run: Run) -> None:
        """Gets what it needs for the jobs of a run, unless it is open already."""

    def lanes(self) -> int:
        """How many agents a program trains at a time on this device."""

    def hands(self, wanted: int) -> int:
        """How many batches are done at once, if the work is worth `wanted` workers."""

    def do(self, run: Run, work: Sequence[Batch], hands: int, watch: Watch) -> None:
        """Does these batches; on return each job is done, failed or claimed by another process."""

    def close(self) -> None:
        """Releases what it holds; it can be opened again."""


def run_all(run: Run, executor: Executor, tell: Listener = no_listener) -> list[str]:
    """Does every job of a run that is left, and returns the reasons of those that failed."""
    watch = Watch(run, tell)
    executor.open(run)
    while True:
        left = set(run.progress().left)
        if left:
            for work, hands in plan_batches(run.jobs(), executor):
                if todo := unfinished_batches(work, left):
                    watch.expect(todo, min(hands, len(todo)))
                    tell(watch.standing())
                    executor.do(run, todo, hands, watch)
        elif run.progress().running:
            watch.tell_waiting()
            time.sleep(PATIENCE_S)  # another process does the rest; it finishes, or dies and leaves it
        else:
            forget(run.folder / FOLDER, run.progress().done)  # of a job whose worker was killed at its end
            return run.failures()


def plan_batches(jobs: Iterable[Job], executor: Executor) -> Iterable[tuple[list[Batch], int]]:
    """The batches of each phase of a run, and the number of workers that do them.

    If the user gave a number of lanes, it is kept; otherwise few large batches are split, so that all workers
    are busy.
    """
    for work in batches_of_phases(jobs, executor.limits.lanes or executor.lanes()):
        hands = min(executor.hands(useful_workers(work)), sum(len(batch.jobs) for batch in work))
        whole = executor.limits.lanes or is_little(work, hands)
        yield (work if whole else spread(work, hands)), hands


def is_little(work: Sequence[Batch], hands: int) -> bool:
    """Whether one process is as fast as two: a second one would only compile the same program."""
    return hands <= 1 or (len(work) == 1 and len(work[0].jobs) < 4)


def useful_workers(work: Iterable[Batch]) -> int:
    """How many workers this work is worth: each has to start and to trace its programs."""
    return 1 + int(sum(work_of(job) for batch in work for job in batch.jobs) // WORTH_A_WORKER)


def give_up(run: Run, jobs: Iterable[Job], why: str, watch: Watch) -> None:
    """Fails jobs whose worker is gone, and reports that."""
    for job in jobs:
        says = f"{job.agent} on {job.train_task}, seed {job.seed}: {why}"
        run.fail(job.id, says)
        watch.take(Event("failed", job.id, says))


def why_killed(run: Run, exit_code: int | None) -> str:
    """The reason of a job whose workers died ATTEMPTS times."""
    how = "" if exit_code is None else f" ({describe_exit(exit_code)})"
    return (
        f"its worker died {ATTEMPTS} times{how}, perhaps for want of memory; "
        f"`assay resume {run.folder} --failed` tries it again."
    )


def why_never_began(run: Run, exit_code: int | None) -> str:
    """The reason if workers die before they take a job, so that no job is to blame."""
    return (
        f"workers die before they take a job ({describe_exit(exit_code or 0)}); "
        f"`assay resume {run.folder}` goes on when that is mended."
    )


def why_hung(run: Run, seconds: float) -> str:
    """The reason of a job that was ended because it took too long."""
    return (
        f"it did not end within {seconds:g} s (--job-timeout) and was ended; "
        f"`assay resume {run.folder} --failed` tries it again."
    )


def describe_exit(exit_code: int) -> str:
    if exit_code >= 0:
        return f"exit code {exit_code}"
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


def time_for(batch: Batch, limits: Limits) -> float | None:
    """The seconds that a batch may take, those of its jobs together; None: no limit."""
    return None if limits.job_timeout is None else limits.job_timeout * len(batch.jobs)
