"""Execution on this machine: spawned workers take batches of jobs and write their results themselves.

The parent only hands out batches and listens. If it is killed its workers end at once, and what they had
claimed is free again: the kernel releases their locks.
"""

from __future__ import annotations

import multiprocessing
import os
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.plans.asked import RANDOM
from assay.plans.plan import is_planned, plan_of
from assay.results import Job, Run, open_run
from assay.runs.batches import batches, is_native
from assay.runs.cache import keep_programs
from assay.runs.execute import execute
from assay.runs.processes import deaf_children, end_with_parent
from assay.runs.result import Result
from assay.runs.unchanged import standing_of, unless_changed

WORTH_A_WORKER = 200_000  # env steps of training
PATIENCE_S = 0.5  # between looks at the work of another process


class Event(NamedTuple):
    """What a worker tells: `free`, `done` or `failed` with a job, `broken` with what nobody expected."""

    what: str
    job: str = ""
    says: str = ""
    seconds: float = 0.0  # that the job took, where it is done


class Standing(NamedTuple):
    """How far a run is."""

    done: int
    total: int
    failed: int
    seconds: float
    seconds_left: float | None  # None until a job like those that are left was finished
    says: str


Listener = Callable[[Standing], None]


def no_listener(standing: Standing) -> None:
    pass


def run_all(run: Run, workers: int = 0, tell: Listener = no_listener) -> list[str]:
    """Does every job of a run that is left. What failed, in a sentence each; raises if a worker died."""
    keep_programs()
    watch = Watch(run, tell)
    while True:
        left = run.progress().left
        if left:
            work = batches(run.jobs(id=list(left)))
            # In one process where there is one batch: a second one would only compile the same program.
            hands = workers or min(cores(), worth(work))
            hands = min(hands, sum(map(len, work)))
            alone = hands <= 1 or (len(work) == 1 and len(work[0]) < 4)
            work = work if alone else spread(work, hands)
            watch.expect(work, 1 if alone else hands)
            tell(watch.standing())
            if alone:
                here(run, work, watch)
            else:
                in_workers(run.folder, work, hands, watch)
        elif run.progress().running:
            watch.tell_waiting()
            time.sleep(PATIENCE_S)  # another process is at the rest; it will finish it, or die and leave it
        else:
            return run.failures()


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: list[list[Job]], hands: int) -> list[list[Job]]:
    """Batches small enough that no worker waits for the last one of another."""
    if len(work) >= 2 * hands:
        return work
    return [half for batch in work for half in halves(batch, hands)]


def halves(batch: list[Job], parts: int) -> list[list[Job]]:
    size = max(2, -(-len(batch) // parts))
    return [batch[i : i + size] for i in range(0, len(batch), size)]


def work_of(job: Job) -> float:
    """How much there is to a job, in env steps of training; one of evaluation counts little in a program."""
    played = len(job.config["tries"]) * job.config["episodes"]
    return job.budget + (10 if is_native(job) else 5000) * played


def worth(work: list[list[Job]]) -> int:
    """How many workers so much work is worth: each has to start and to trace its programs."""
    return 1 + int(sum(work_of(job) for batch in work for job in batch) // WORTH_A_WORKER)


class Watch:
    """Counts what is done, and guesses what is left from how long jobs of the same agent took."""

    def __init__(self, run: Run, tell: Listener) -> None:
        self.jobs = {job.id: job for job in run.jobs()}
        self.done: set[str] = set(run.progress().done)
        self.failed: set[str] = set()
        self.paces: dict[str, list[float]] = {}  # by agent: the seconds per unit of work of each job
        for job in self.done:
            self.note_pace(job, self.jobs[job].wall_s or 0.0)
        self.tell = tell
        self.hands = 1  # processes at work
        self.batch: dict[str, int] = {}  # by job: jobs of one batch are trained together
        self.begun = time.monotonic()

    def expect(self, work: list[list[Job]], hands: int) -> None:
        """Notes in which batches and by how many processes the jobs will be done."""
        self.hands = hands
        self.batch = {job.id: number for number, batch in enumerate(work) for job in batch}

    def note_pace(self, job: str, seconds: float) -> None:
        if seconds > 0:
            self.paces.setdefault(self.jobs[job].agent, []).append(seconds / work_of(self.jobs[job]))

    def take(self, event: Event) -> None:
        (self.done if event.what == "done" else self.failed).add(event.job)
        self.note_pace(event.job, event.seconds)
        self.tell(self.standing(event.says))

    def standing(self, says: str = "") -> Standing:
        seconds = time.monotonic() - self.begun
        return Standing(len(self.done), len(self.jobs), len(self.failed), seconds, self.seconds_left(), says)

    def seconds_left(self) -> float | None:
        """None while an agent with jobs left has no pace: that of another one says nothing of it."""
        # The first job of a program pays for compiling it, and the median of many leaves that out.
        paces = {agent: median(found) for agent, found in self.paces.items()}
        if paces:
            paces.setdefault(RANDOM, max(paces.values()))  # it costs no more than an agent that thinks
        ended = self.done | self.failed
        # Once one job of a batch is there, all of it is trained, and the others follow at once.
        trained = {self.batch[job] for job in ended if job in self.batch}
        left = [job for job in self.jobs.values()
                if job.id not in ended and self.batch.get(job.id) not in trained]  # fmt: skip
        if not left or any(job.agent not in paces for job in left):
            return None
        return sum(work_of(job) * paces[job.agent] for job in left) / self.hands

    def tell_waiting(self) -> None:
        self.tell(self.standing("waiting for another process that works on this run"))


def here(run: Run, work: Iterable[list[Job]], watch: Watch) -> None:
    for batch in work:
        for event in do_batch(run, [job.id for job in batch]):
            watch.take(event)


def do_batch(run: Run, ids: list[str]) -> Iterator[Event]:
    """Claims the jobs that are still free, executes them and stores what they left."""
    jobs = run.claim(limit=len(ids), ids=ids)
    if not jobs:
        return
    left = {job.id: job for job in jobs}
    try:
        on = standing_of(plan_of(run)) if is_planned(run.plan) else None
    except AssayError as error:  # a file that is declared and gone
        return (yield from give_up(run, left.values(), error))
    results = execute(jobs)
    while left:
        try:
            result = next(results)
        except Exception as error:  # of the batch as a whole: its program cannot be built, or does not run
            return (yield from give_up(run, left.values(), error))
        # Outside of the try: a disk that is full is no fault of the job's, and ends the run.
        yield store(run, unless_changed(on, left[result.job], result))
        del left[result.job]


def give_up(run: Run, jobs: Iterable[Job], error: Exception) -> Iterator[Event]:
    for job in jobs:
        says = why(job, error)
        run.fail(job.id, says)
        yield Event("failed", job.id, says)


def why(job: Job, error: Exception) -> str:
    """One sentence on a job that could not be done."""
    if isinstance(error, AssayError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    first = (str(error).strip() or "no reason given").splitlines()[0]
    return (
        f"{job.agent} on {job.train_task} raised {type(error).__name__}: {first} "
        f"({Path(where.filename).name}, line {where.lineno})."
    )


def store(run: Run, result: Result) -> Event:
    if result.failed:
        run.fail(result.job, result.failed)
        return Event("failed", result.job, result.failed)
    run.finish(result.job, result.episodes, result.curves if result.curves is not None else (),
               result.weights, result.cost, result.made_with)  # fmt: skip
    return Event("done", result.job, seconds=result.cost.wall_s or 0.0)


def in_workers(folder: Path, work: list[list[Job]], hands: int, watch: Watch) -> None:
    """Spawned, not forked: a fork would inherit jax's threads and the locks of this process.

    Pipes, not queues: a queue's semaphores outlive a process that is stopped at once.
    """
    context = multiprocessing.get_context("spawn")
    todo = deque([job.id for job in batch] for batch in work)
    workers: dict[Connection, Any] = {}
    try:
        for core in own_cores(hands):
            ours, theirs = context.Pipe()
            process = context.Process(target=worker, args=(str(folder), theirs, core), daemon=True)
            with deaf_children():
                process.start()
            theirs.close()
            workers[ours] = process
        listen(workers, todo, watch, folder)
    finally:
        for process in workers.values():  # ended before its pipe closes, so that it has nothing to say
            process.terminate()
        for connection, process in workers.items():
            process.join()
            connection.close()


def own_cores(hands: int) -> list[int | None]:
    """A core for each worker, where there are enough: threads that wander cost half as much again."""
    if not hasattr(os, "sched_getaffinity") or hands > cores():
        return [None] * hands
    return [*sorted(os.sched_getaffinity(0))[:hands]]


def listen(workers: dict[Connection, Any], todo: deque[list[str]], watch: Watch, folder: Path) -> None:
    """Hands a batch to every worker that is free, and takes what they tell, until all is done."""
    while workers:
        ready = wait(list(workers))
        for connection in [each for each in workers if each in ready]:
            try:
                event = connection.recv()
            except (EOFError, ConnectionResetError):
                process = workers.pop(connection)
                process.join()
                if process.exitcode:
                    raise AssayError(
                        f"a worker died (exit code {process.exitcode}) and its jobs are not done; "
                        f"`assay resume {folder}` does them."
                    ) from None
                continue
            if event.what == "broken":
                raise AssayError(event.says)
            if event.what == "free":
                with suppress(BrokenPipeError):  # it is read above why
                    connection.send(todo.popleft() if todo else None)
            else:
                watch.take(event)


def worker(folder: str, parent: Connection, core: int | None) -> None:
    """The life of a worker process. Ctrl-C is the parent's to hear, and it ends its workers."""
    end_with_parent()
    if core is not None:
        os.sched_setaffinity(0, {core})  # before jax starts its threads
    keep_programs()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a torch agent has this core; the others are taken
    try:
        with open_run(folder) as run:
            parent.send(Event("free"))
            while (ids := parent.recv()) is not None:
                for event in do_batch(run, ids):
                    parent.send(event)
                parent.send(Event("free"))
    except AssayError as error:  # a full disk, a torn ledger: one sentence is enough
        report_broken(parent, str(error))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has stopped listening
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        says = f"{type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno})"
        report_broken(parent, f"a worker on {folder} met what nobody expected: {says}.")


def report_broken(parent: Connection, says: str) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # a parent that was stopped reads no more
        parent.send(Event("broken", says=says))
