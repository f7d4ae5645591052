"""Execution on this machine: spawned workers take batches of jobs and write their results themselves.

The parent hands out batches, listens, and replaces workers that die or hang. If it is killed its workers end
at once, and what they had claimed is free again: the kernel releases their locks.
"""

from __future__ import annotations

import multiprocessing
import os
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

import jax

from assay.errors import AssayError
from assay.results import Run, open_run
from assay.runs.attempt import FindSources, attempt, sources_of_run
from assay.runs.batches import Batch, lanes_on
from assay.runs.cache import keep_programs
from assay.runs.executor import (
    ATTEMPTS,
    Limits,
    give_up,
    is_little,
    time_for,
    why_hung,
    why_killed,
    why_never_began,
)
from assay.runs.processes import block_interrupts, end_with_parent
from assay.runs.progress import Event, Watch
from assay.runs.result import Result
from assay.runs.train_in_pieces import FOLDER, forget


@dataclass(frozen=True)
class Local:
    """Does jobs in processes of this machine, or in this process if there is little to do."""

    workers: int = 0  # 0: as many as there are cores, where the work is worth them
    limits: Limits = Limits()

    def open(self, run: Run) -> None:
        keep_programs()

    def lanes(self) -> int:
        return lanes_on(jax.default_backend())

    def hands(self, wanted: int) -> int:
        return self.workers or min(cores(), wanted)

    def do(self, run: Run, work: Sequence[Batch], hands: int, watch: Watch) -> None:
        alone = is_little(work, hands)
        if alone and self.limits.job_timeout is None:
            do_in_this_process(run, work, watch)
        else:  # only in another process can a job that hangs be ended
            Workers(run, work, 1 if alone else min(hands, len(work)), self.limits, watch).work()

    def close(self) -> None:
        pass  # workers end with the work that they were started for


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def own_cores(hands: int) -> list[int | None]:
    """A core for each worker if there are enough: threads that change cores cost half as much again."""
    if not hasattr(os, "sched_getaffinity") or hands > cores():
        return [None] * hands
    return [*sorted(os.sched_getaffinity(0))[:hands]]


def do_in_this_process(run: Run, work: Sequence[Batch], watch: Watch) -> None:
    find_sources = sources_of_run(run)
    for batch in work:
        for event in do_batch(run, batch, find_sources):
            watch.take(event)


def do_batch(run: Run, batch: Batch, find_sources: FindSources) -> Iterator[Event]:
    """Claims the jobs that are still free, executes them and stores their results."""
    jobs = run.claim(limit=len(batch.jobs), ids=batch.ids)
    if jobs:
        checkpoints = run.folder / FOLDER
        for result in attempt(batch._replace(jobs=jobs), find_sources, checkpoints):
            event = store(run, result)
            if event.kind == "done":
                forget(checkpoints, [result.job])
            yield event


def store(run: Run, result: Result) -> Event:
    if result.failed:
        run.fail(result.job, result.failed)
        return Event("failed", result.job, result.failed)
    run.finish(result.job, result.episodes, result.curves if result.curves is not None else (),
               result.weights, result.cost, result.made_with, result.transcript)  # fmt: skip
    return Event("done", result.job, seconds=result.cost.wall_s or 0.0)


@dataclass
class Hand:
    """A worker process, its batch, and since when it has that."""

    process: SpawnProcess
    core: int | None
    batch: Batch | None = None
    since: float = 0.0
    ended: set[str] = field(default_factory=set)  # the jobs of its batch whose end it reported


class Workers:
    """Worker processes and the batches that they have to do.

    Spawned, not forked: a fork would inherit jax's threads and the locks of this process. Pipes, not queues:
    a queue's semaphores outlive a process that is stopped at once.
    """

    def __init__(self, run: Run, work: Sequence[Batch], hands: int, limits: Limits, watch: Watch) -> None:
        self.run, self.limits, self.watch = run, limits, watch
        self.todo = deque(work)
        self.cores = own_cores(hands)
        self.hands: dict[Connection, Hand] = {}
        self.deaths: Counter[str] = Counter()  # by job
        self.stillborn = 0  # workers that died before they took a job

    def work(self) -> None:
        try:
            for core in self.cores:
                self.start(core)
            while self.hands:
                for connection in wait(list(self.hands), self.seconds_to_wait()):
                    assert isinstance(connection, Connection)
                    self.hear(connection)
                self.end_the_hung()
        finally:
            for hand in self.hands.values():  # stopped before its pipe closes, so that it reports nothing
                hand.process.terminate()
            for connection, hand in self.hands.items():
                hand.process.join()
                connection.close()

    def start(self, core: int | None) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=worker, args=(str(self.run.folder), theirs, core), daemon=True)
        with block_interrupts():
            process.start()
        theirs.close()
        self.hands[ours] = Hand(process, core)

    def hear(self, connection: Connection) -> None:
        """Handles a message of a worker: it is free and gets a batch, a job has ended, or it has died."""
        hand = self.hands[connection]
        try:
            event = connection.recv()
        except (EOFError, ConnectionResetError):
            return self.bury(connection)
        if event.kind == "broken":
            raise AssayError(event.says)
        if event.kind != "free":
            hand.ended.add(event.job)
            return self.watch.take(event)
        hand.batch = self.todo.popleft() if self.todo else None
        hand.since, hand.ended = time.monotonic(), set()
        with suppress(BrokenPipeError):  # it is dead, and the next message says so
            connection.send(hand.batch)

    def bury(self, connection: Connection) -> None:
        """Removes a dead worker; the jobs that it left are done again, up to ATTEMPTS times."""
        hand = self.hands.pop(connection)
        hand.process.join()
        connection.close()
        if hand.batch is None and hand.process.exitcode:
            self.stillborn += 1
            if self.stillborn == ATTEMPTS:
                raise AssayError(why_never_began(self.run, hand.process.exitcode))
        elif left := self.unfinished_of(hand):
            self.deaths.update(left.ids)
            if max(self.deaths[job] for job in left.ids) < ATTEMPTS:
                self.todo.appendleft(left)
            else:
                self.give_up(left, why_killed(self.run, hand.process.exitcode))
        if self.todo:
            self.start(hand.core)

    def unfinished_of(self, hand: Hand) -> Batch | None:
        """The jobs that a worker that is gone left unfinished, as a batch; None if there are none."""
        if hand.batch is None:
            return None
        done = set(self.run.progress().done)
        unreported = [job for job in hand.batch.jobs if job.id not in hand.ended]
        for job in unreported:
            if job.id in done:  # stored, and the worker died before it could say so
                self.watch.take(Event("done", job.id))
        jobs = [job for job in unreported if job.id not in done]
        return hand.batch._replace(jobs=jobs) if jobs else None

    def seconds_to_wait(self) -> float | None:
        """The seconds until the next worker is out of time; None without a limit."""
        deadlines = [end for hand in self.hands.values() if (end := self.deadline_of(hand)) is not None]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def deadline_of(self, hand: Hand) -> float | None:
        seconds = time_for(hand.batch, self.limits) if hand.batch else None
        return None if seconds is None else hand.since + seconds

    def end_the_hung(self) -> None:
        for connection, hand in list(self.hands.items()):
            end = self.deadline_of(hand)
            if end is None or time.monotonic() < end or connection.poll():
                continue
            hand.process.kill()
            hand.process.join()
            connection.close()
            del self.hands[connection]
            if self.limits.job_timeout and (left := self.unfinished_of(hand)):
                self.give_up(left, why_hung(self.run, self.limits.job_timeout))
            if self.todo:
                self.start(hand.core)

    def give_up(self, batch: Batch, why: str) -> None:
        """Fails the jobs, which are claimed first, so that the log shows which process gave them up."""
        self.run.claim(limit=len(batch.jobs), ids=batch.ids)
        give_up(self.run, batch.jobs, why, self.watch)


def worker(folder: str, parent: Connection, core: int | None) -> None:
    """The main function of a worker process. On Ctrl-C the parent ends its workers."""
    end_with_parent()
    if core is not None:
        os.sched_setaffinity(0, {core})  # before jax starts its threads
    keep_programs()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a torch agent has this core; the others are taken
    try:
        with open_run(folder) as run:
            find_sources = sources_of_run(run)
            parent.send(Event("free"))
            while (batch := parent.recv()) is not None:
                for event in do_batch(run, batch, find_sources):
                    parent.send(event)
                parent.send(Event("free"))
    except AssayError as error:  # a full disk, a torn ledger: one sentence is enough
        report_broken(parent, str(error))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has stopped listening
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        says = f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"
        report_broken(parent, f"a worker on {folder} failed unexpectedly: {says}.")


def report_broken(parent: Connection, says: str) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # a parent that was stopped reads no more
        parent.send(Event("broken", says=says))
