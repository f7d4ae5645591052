"""Execution by Ray: its workers return the results of jobs, and this process alone writes the ledger.

Ray is an optional extra, imported only when it is used. `local` starts a small cluster on this machine, which
listens on the loopback alone and keeps its files in a temporary folder; an address names a running cluster
that has this machine as a node.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.plans.plan import is_planned, plan_from_json, plan_of
from assay.plans.sources import sources_of_plan
from assay.results import Cost, Job, MadeWith, Run
from assay.results.provenance import host, versions
from assay.results.remote_parts import open_folder, put
from assay.results.stored_result import Packed, pack
from assay.runs.attempt import attempt
from assay.runs.batches import Batch, lanes_on
from assay.runs.cache import keep_programs
from assay.runs.executor import ATTEMPTS, Limits, give_up, time_for, why_hung, why_killed
from assay.runs.local import cores
from assay.runs.progress import Event, Watch
from assay.runs.result import Result
from assay.runs.staleness import PlannedSources, planned_sources

LOCAL = "local"
CONNECT_S = 5.0  # in which the port of a cluster must answer
STARTS = 4  # attempts to start a cluster of our own
TICK_S = 1.0  # between checks for workers that hang
OBJECT_BYTES = 256 * 2**20  # of shared memory, for results that workers return
# A busy machine starts processes slowly, and Ray would give up too soon. No usage statistics are sent.
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_register_timeout_seconds": "180",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
NOT_SENT = [".git", ".venv", "runs", "__pycache__"]  # left out when the user's folder is sent to a cluster


class Task(NamedTuple):
    """What a worker receives: a batch, its plan, and the folders of the user's own code."""

    batch: Batch
    plan: Mapping[str, Any] | None  # JSON
    folder: str  # the working folder; "": the one that Ray unpacked on the worker
    path: tuple[str, ...]  # more folders to import modules from
    parts: str  # the URL of the folder for curves and weights; "": they are returned


class Returned(NamedTuple):
    """What a worker returns for a job: its result, packed for storage, or why it failed."""

    job: str
    failed: str
    packed: Packed | None
    cost: Cost
    made_with: MadeWith


class Flight(NamedTuple):
    """A batch that a worker is doing, and since when."""

    batch: Batch
    since: float


@dataclass
class Cluster:
    """Workers of Ray."""

    address: str = LOCAL
    workers: int = 0  # tasks at a time; 0: as many as the cluster has processors, where the work is worth it
    limits: Limits = Limits()
    parts: str = ""  # the URL of a folder that workers write curves and weights to; "": they return them
    ray: Any = None  # the module, while connected
    head: subprocess.Popen[str] | None = None  # of a cluster of our own
    flying: dict[Any, Flight] = field(default_factory=dict)
    deaths: Counter[str] = field(default_factory=Counter)  # by job

    def open(self, run: Run) -> None:
        if self.ray is None:
            self.ray = import_ray(own_settings() if self.address == LOCAL else SETTINGS)
            if self.address == LOCAL:
                self.start()
            else:
                self.join(run)

    def start(self) -> None:
        """Starts a cluster of our own. Ray allows its processes 30 seconds, too few on a busy machine."""
        for _ in range(STARTS):
            address, says = self.start_head()
            try:
                if address:
                    return self.init(address=address, _node_ip_address="127.0.0.1")
            except Exception as error:
                says = first_line(error)
            self.end_head()
        raise AssayError(f"Ray does not start here: {says}")

    def start_head(self) -> tuple[str, str]:
        """The address of a new cluster and what Ray printed last; the address is "" if none was started."""
        base = tempfile.gettempdir()  # the names of sockets have to be short
        folder = tempfile.mkdtemp(prefix="ray-", dir=base if len(base) < 24 else "/tmp")
        words = [sys.executable, "-m", "assay.runs.cluster_head", folder, str(self.workers or cores())]
        with tempfile.TemporaryFile("w+") as errors:
            self.head = subprocess.Popen(
                [*words, str(OBJECT_BYTES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=errors, text=True, start_new_session=True,
            )  # fmt: skip
            assert self.head.stdout
            address = self.head.stdout.readline().strip()
            errors.seek(0)
            return address, (errors.read().strip().splitlines() or ["it gives no reason."])[-1]

    def end_head(self) -> None:
        if self.head is not None:
            self.head.communicate()  # its input ends, and with it the cluster
            self.head = None

    def init(self, **options: Any) -> None:
        self.ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)

    def join(self, run: Run) -> None:
        """Joins a running cluster, which gets the current folder if the plan has code of the user's own."""
        require_listening(self.address)
        own = is_planned(run.plan) and sources_of_plan(plan_of(run)).files
        sent = {"working_dir": str(Path.cwd()), "excludes": NOT_SENT} if own else {}
        try:
            self.init(address=self.address, runtime_env=sent)
        except Exception as error:
            self.ray = None
            raise AssayError(
                f"no cluster of Ray can be joined at {self.address}: {first_line(error)} Give the HOST:PORT "
                "that `ray start --head` printed, on a machine of that cluster."
            ) from None

    def close(self) -> None:
        if self.ray is not None:
            self.ray.shutdown()
            self.ray = None
        self.end_head()

    def count(self, resource: str) -> int:
        return int(self.ray.cluster_resources().get(resource, 0))

    def lanes(self) -> int:
        return lanes_on("gpu" if self.count("GPU") else "cpu")

    def hands(self, wanted: int) -> int:
        return self.workers or min(max(1, self.count("GPU") or self.count("CPU")), wanted)

    def do(self, run: Run, work: Sequence[Batch], hands: int, watch: Watch) -> None:
        todo = deque(work)
        try:
            while todo or self.flying:
                while todo and len(self.flying) < hands:
                    batch = todo.popleft()
                    if jobs := run.claim(limit=len(batch.jobs), ids=batch.ids):
                        self.send(run, batch._replace(jobs=jobs))
                if not self.flying:
                    continue
                ready, _ = self.ray.wait(list(self.flying), timeout=TICK_S)
                for reference in ready:
                    self.take(run, reference, watch)
                self.end_the_hung(run, watch)
                watch.tell(watch.standing())
        finally:
            for reference in self.flying:
                with suppress(Exception):
                    self.ray.cancel(reference, force=True)
            self.flying.clear()

    def send(self, run: Run, batch: Batch) -> None:
        """Sends a batch to a worker. Ray does not repeat it: attempts are counted and recorded here."""
        here = self.address == LOCAL
        task = Task(batch, dict(run.plan) if is_planned(run.plan) else None, str(Path.cwd()) if here else "",
                    tuple(sys.path) if here else (), self.parts)  # fmt: skip
        remote = self.ray.remote(do_task).options(
            num_cpus=1, num_gpus=1 if self.count("GPU") else 0, max_retries=0
        )
        self.flying[remote.remote(task)] = Flight(batch, time.monotonic())

    def take(self, run: Run, reference: Any, watch: Watch) -> None:
        """Stores what a worker returned; if the worker was killed, its batch is sent again, a few times."""
        flight = self.flying.pop(reference)
        try:
            returned = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            ours = isinstance(error.cause, AssayError)
            says = str(error.cause) if ours else f"a worker of Ray failed: {first_line(error.cause)}"
            raise AssayError(says) from None
        except self.ray.exceptions.RayError:
            self.deaths.update(flight.batch.ids)
            if max(self.deaths[job] for job in flight.batch.ids) < ATTEMPTS:
                run.begin_again(flight.batch.ids)
                return self.send(run, flight.batch)
            return give_up(run, flight.batch.jobs, why_killed(run, None), watch)
        for each in returned:
            watch.take(store(run, each))

    def end_the_hung(self, run: Run, watch: Watch) -> None:
        for reference, (batch, since) in list(self.flying.items()):
            seconds = time_for(batch, self.limits)
            if seconds is None or time.monotonic() < since + seconds:
                continue
            self.ray.cancel(reference, force=True)
            del self.flying[reference]
            give_up(run, batch.jobs, why_hung(run, self.limits.job_timeout or 0.0), watch)


def own_settings() -> dict[str, str]:
    """Settings of a cluster of our own, which listens on the loopback alone, on every machine."""
    loopback = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    # Left to itself, Ray would put a token into the home folder.
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    return {**SETTINGS, **loopback, **token}


def import_ray(settings: Mapping[str, str]) -> Any:
    """Imports Ray, after setting the environment variables that it reads then."""
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    require_ray()
    import ray

    return ray


def require_usable(address: str, parts: str = "") -> None:
    """Refuses an address or a folder for parts that cannot work, before a run is made."""
    require_ray()
    if parts:
        open_folder(parts)
    if address != LOCAL:
        require_listening(address)


def require_ray() -> None:
    if importlib.util.find_spec("ray") is None:
        raise AssayError(
            "Ray is not installed; install it with `pip install 'rl-assay[ray]'`, or leave --ray out to use "
            "processes of this machine."
        )


def require_listening(address: str) -> None:
    """Refuses an address where nothing answers; Ray itself would wait for minutes."""
    if address == "auto":
        return
    name, colon, port = address.rpartition(":")
    if "/" in address or not colon or not port.isdigit():
        raise AssayError(f"--ray takes local or the HOST:PORT of a cluster, not {address!r}.")
    try:
        socket.create_connection((name, int(port)), timeout=CONNECT_S).close()
    except (OSError, OverflowError) as error:
        says = getattr(error, "strerror", None) or error
        raise AssayError(
            f"nothing answers at {address} ({says}); give the HOST:PORT that `ray start --head` printed."
        ) from None


def do_task(task: Task) -> list[Returned]:
    """Does a batch in a worker of Ray."""
    if task.folder:
        os.chdir(task.folder)
    sys.path.extend(each for each in task.path if each not in sys.path)
    keep_programs()
    plan = None if task.plan is None else plan_from_json(task.plan, "the plan of this run")

    def find_sources() -> PlannedSources | None:
        return planned_sources(plan) if plan else None

    jobs = {job.id: job for job in task.batch.jobs}
    return [pack_result(jobs[result.job], result, task.parts) for result in attempt(task.batch, find_sources)]


def pack_result(job: Job, result: Result, parts: str) -> Returned:
    made = result.made_with
    made_with = made._replace(versions={**versions(), **made.versions}, host=host())
    if result.failed:
        return Returned(job.id, result.failed, None, result.cost, made_with)
    curves = result.curves if result.curves is not None else ()
    packed = pack(job, result.episodes, curves, result.weights, result.transcript)
    return Returned(job.id, "", put(job.id, packed, parts) if parts else packed, result.cost, made_with)


def store(run: Run, returned: Returned) -> Event:
    """Stores what a worker returned for a job, and gives the event to report."""
    if returned.packed is None:
        run.fail(returned.job, returned.failed)
        return Event("failed", returned.job, returned.failed)
    run.finish_packed(returned.job, returned.packed, returned.cost, returned.made_with)
    return Event("done", returned.job, seconds=returned.cost.wall_s or 0.0)


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".") + "."
