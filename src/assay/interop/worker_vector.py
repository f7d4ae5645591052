"""Lanes of a hosted task in processes of their own: an emulator holds the interpreter while it runs.

The same lanes can be played in this process (`workers=0`), step for step alike. A worker that dies is
reported with its task and its seeds and replaced; nothing waits for it.
"""

from __future__ import annotations

import json
import mmap
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from assay.core.events import EVENTS
from assay.core.space import require_numbers
from assay.errors import AssayError
from assay.interop import lanes as shared
from assay.interop.checks import NOISE_SEED, actions_of
from assay.interop.gymnasium import HostedEnv, ReportingHostedEnv
from assay.interop.lanes import Lanes, ReportingLanes, events_in, layout_for, observation_name
from assay.interop.vector import lane_noises, lane_seeds, refuse_ended, reset_mask, with_masks
from assay.tasks import Resolved

NAMES = {
    AutoresetMode.NEXT_STEP: shared.NEXT_STEP,
    AutoresetMode.SAME_STEP: shared.SAME_STEP,
    AutoresetMode.DISABLED: shared.DISABLED,
}
PATIENCE = 5.0  # seconds that a worker has to end


class WorkerDied(AssayError):
    """A worker process ended by itself; it was replaced, and its lanes wait for a reset."""


class Worker:
    """One process with some of the lanes."""

    def __init__(self, request: dict[str, Any], memory: int):
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self.first, self.count = request["first"], request["count"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay.interop.lanes"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, pass_fds=(memory,),
            env=os.environ | {"PYTHONPATH": path},
        )  # fmt: skip
        assert self.process.stdin and self.process.stdout, "both are pipes"
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.out, self.back = self.process.stdin.fileno(), self.process.stdout.fileno()

    def ask(self, command: bytes) -> None:
        with suppress(BrokenPipeError):  # it is gone, and its missing answer shows that
            os.write(self.out, command)

    def answer(self) -> bytes:
        """One byte, or nothing where the process is gone."""
        return os.read(self.back, 1)

    def end(self) -> None:
        """Ends the process, by force if it does not end in time."""
        self.ask(shared.QUIT)
        for pipe in filter(None, (self.process.stdin, self.process.stdout)):
            pipe.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class WorkerVectorEnv(VectorEnv):
    """Lane i seeded s plays what `make` seeded s + i plays, whichever process it is in."""

    def __init__(
        self, resolved: Resolved, lanes: int, mode: AutoresetMode, workers: int, events: bool = False
    ):
        self.task, self.num_envs, self.workers = str(resolved.text), lanes, []
        make = ReportingHostedEnv if events else HostedEnv
        one = make(resolved)
        # The reports of one lane, for their shapes.
        self._reports = one.reported if isinstance(one, ReportingHostedEnv) else None
        self.metadata = dict(one.metadata) | {"autoreset_mode": mode}
        self.autoreset_mode = mode
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = batch_space(one.observation_space, lanes)
        self.action_space = batch_space(one.action_space, lanes)
        self._actions = require_numbers(one.inner.spaces["action"])
        self._layout = layout_for(one, lanes)
        self._begun, self._seeds = False, [0] * lanes
        self._all = np.ones(lanes, bool)
        self._unbegun = np.zeros(lanes, bool)  # lanes of a replaced worker, which wait for a reset
        if not workers:
            memory: Any = bytearray(self._layout.size)
            self.arrays = self._layout.over(memory)
            envs = [one, *(make(resolved) for _ in range(lanes - 1))]
            kind = ReportingLanes if events else Lanes
            self._here: Lanes | None = kind(envs, self.arrays, 0, NAMES[mode])
            self._unheld = self._holders()
            return
        one.close()
        self._here = None
        place = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self._file = tempfile.TemporaryFile(dir=place)  # noqa: SIM115 - it has no name and goes with its owners
        self._file.truncate(self._layout.size)
        self._memory = mmap.mmap(self._file.fileno(), self._layout.size)
        self.arrays = self._layout.over(self._memory)
        self._unheld = self._holders()
        shares = np.array_split(np.arange(lanes), min(workers, lanes))
        self.workers = [self._worker(int(share[0]), len(share)) for share in shares]
        for worker in self.workers:
            if worker.answer() != shared.DONE:
                self._raise(worker)

    def _worker(self, first: int, count: int) -> Worker:
        request = {
            "task": self.task, "first": first, "count": count, "mode": NAMES[self.autoreset_mode],
            "layout": self._layout.arrays, "memory": self._file.fileno(),
            "events": self._reports is not None,
        }  # fmt: skip
        return Worker(request, self._file.fileno())

    # Gymnasium's methods

    def reset(self, *, seed: Any = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """All lanes, or those of options["reset_mask"]; lane i gets seed + i, or the i-th of a list."""
        mask = reset_mask(options, self.num_envs, self.autoreset_mode, self._begun)
        seeds = lane_seeds(seed, self.num_envs, self._begun)
        noises = lane_noises(options, seed, self.num_envs)
        wanted = np.ones(self.num_envs, bool) if mask is None else mask
        self.arrays["wanted"][:] = wanted
        for lane, each in enumerate(seeds):
            self.arrays["seeded"][lane] = each is not None
            self.arrays["seed"][lane] = each or 0
            self.arrays["apart"][lane] = each is not None and noises[lane] is not None
            self.arrays[NOISE_SEED][lane] = noises[lane] or 0
            if each is not None and wanted[lane]:
                self._seeds[lane] = each
        self._begun = True
        self._unbegun &= ~wanted
        self._command(shared.RESET)
        return self._observations(), self._info(wanted)

    def begin(self, wanted: np.ndarray, seeds: Any, episodes: Any) -> np.ndarray:
        """Begins episodes by their numbers in some lanes; the rows of the others mean nothing."""
        self.arrays["wanted"][:], self.arrays["seed"][:] = wanted, seeds
        self.arrays["episode"][:] = episodes
        self._command(shared.BEGIN)
        return self._observations()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """One step of every lane."""
        if self.autoreset_mode == AutoresetMode.DISABLED:
            refuse_ended(self.arrays["over"])
        actions_of(self._actions, actions, self.num_envs)  # before any lane acts, so that none gets ahead
        self.arrays["action"][:] = actions
        self._require_begun()
        was_over = self.arrays["over"].copy()
        self._command(shared.STEP)
        arrays = self.arrays
        info = self._info(self._all)
        over = arrays["over"].copy()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and over.any():
            info["final_obs"], info["_final_obs"] = np.full(self.num_envs, None, object), over
            for lane in np.flatnonzero(over):
                info["final_obs"][lane] = arrays["last"][lane].copy()
        if self._reports is not None:
            began = was_over if self.autoreset_mode == AutoresetMode.NEXT_STEP else np.zeros_like(over)
            info |= with_masks({EVENTS: events_in(arrays, self._reports)}, ~began)
        return (
            self._observations(), arrays["reward"].copy(), arrays["terminated"].copy(),
            arrays["truncated"].copy(), info,
        )  # fmt: skip

    def close_extras(self, **_: Any) -> None:
        for worker in self.workers:
            worker.end()
        self.workers = []
        if self._here is not None:
            self._here.close()

    # Observations are handed out without a copy, in a slot that is not used again while the caller holds them
    # or a view of them. A caller that holds all slots gets copies.

    def _holders(self) -> list[int]:
        """The number of references to each slot's memory; the last slot is never handed out."""
        return [sys.getrefcount(self.arrays[observation_name(slot)].base) for slot in range(shared.SLOTS - 1)]

    def _choose_slot(self) -> None:
        free = [slot for slot, held in enumerate(self._holders()) if held == self._unheld[slot]]
        # A masked reset leaves lanes as they were, so there all stays in one place.
        together = self.autoreset_mode != AutoresetMode.DISABLED
        self.arrays["slot"][0] = free[0] if free and together else shared.SLOTS - 1

    def _observations(self) -> np.ndarray:
        slot = int(self.arrays["slot"][0])
        observations = self.arrays[observation_name(slot)]
        return observations.copy() if slot == shared.SLOTS - 1 else observations.view()

    # Workers

    def _info(self, has_info: np.ndarray) -> dict:
        info: dict[str, Any] = {}
        for name in ("score", "executed", "lives", "frame", "ram"):
            info[name], info[f"_{name}"] = self.arrays[name].copy(), has_info.copy()
        return info

    def _command(self, command: bytes) -> None:
        self._choose_slot()
        if self._here is not None:
            return self._here.obey(command)
        for worker in self.workers:
            worker.ask(command)
        # One after the other: to wake up for each would take time from those that still play.
        failed = [worker for worker in self.workers if worker.answer() != shared.DONE]
        if failed:
            self._raise(failed[0])
        return None

    def _require_begun(self) -> None:
        """Refuses a step while lanes of a worker that was started again have no episode."""
        if self._unbegun.any():
            lanes = ", ".join(map(str, np.flatnonzero(self._unbegun)))
            raise WorkerDied(f"lanes {lanes} of {self.task} were started again; call reset() before step().")

    def _raise(self, worker: Worker) -> None:
        """Raises the error of a worker; one that is gone is replaced."""
        lanes = f"lanes {worker.first} to {worker.first + worker.count - 1}"
        seeds = ", ".join(str(seed) for seed in self._seeds[worker.first : worker.first + worker.count])
        try:
            ended = worker.process.wait(0.2)
        except subprocess.TimeoutExpired:
            ended = None
        if ended is None:
            words = (
                self.arrays["words"][worker.first].tobytes().rstrip(b"\0").decode(errors="replace").strip()
            )
            raise AssayError(f"{lanes} of {self.task} (seeds {seeds}) failed:\n{words}")
        worker.end()
        fresh = self._worker(worker.first, worker.count)
        self.workers[self.workers.index(worker)] = fresh
        again = fresh.answer() == shared.DONE
        self.arrays["over"][worker.first : worker.first + worker.count] = False
        self._unbegun[worker.first : worker.first + worker.count] = True
        next_move = (
            "it was started again: call reset() to go on" if again else "it could not be started again"
        )
        raise WorkerDied(
            f"the worker of {lanes} of {self.task} (seeds {seeds}) ended with "
            f"{describe_exit(ended)}; {next_move}."
        )


def describe_exit(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"code {code}"
