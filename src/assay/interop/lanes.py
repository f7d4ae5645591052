"""Some lanes of a hosted task played one after the other, read from and written to shared arrays.

Run as `python -m assay.interop.lanes` it is a worker: it takes one byte per command from standard input and
answers with one. Nothing is pickled per step: actions, observations and all else lie in memory that the
parent shares. A worker imports no jax, and ends when its parent does.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import sys
import time
import traceback
from typing import Any, NamedTuple

import numpy as np

from assay.core.events import EVENTS, EventReport

STEP, RESET, QUIT, DONE, FAILED = b"s", b"r", b"q", b".", b"e"
NEXT_STEP, SAME_STEP, DISABLED = "next-step", "same-step", "disabled"
MOST_WORDS = 4096  # bytes of an error's words
SLOTS = 4  # of observations: three that a caller may hold, and one that is never given away
AWAKE = 0.0005  # seconds that a worker waits without sleeping: to be woken takes it half as long


class Layout(NamedTuple):
    """The shared arrays: name -> type and shape."""

    arrays: dict[str, tuple[str, tuple[int, ...]]]

    @property
    def size(self) -> int:
        return sum(room(dtype, shape) for dtype, shape in self.arrays.values())

    def over(self, memory: Any) -> dict[str, np.ndarray]:
        """The arrays in a piece of memory."""
        arrays, place = {}, 0
        for name, (dtype, shape) in self.arrays.items():
            flat = np.frombuffer(memory, dtype, int(np.prod(shape)), place)
            arrays[name] = flat.reshape(shape)
            place += room(dtype, shape)
        return arrays


def room(dtype: str, shape: tuple[int, ...]) -> int:
    """Bytes of an array, each beginning at a multiple of 64."""
    return -(-int(np.prod(shape)) * np.dtype(dtype).itemsize // 64) * 64


def seen_in(slot: int) -> str:
    """The name of a slot's observations."""
    return f"observation {slot}"


def layout_for(env: Any, lanes: int) -> Layout:
    """What passes between a parent and its workers for such an env."""
    seen, acts = env.observation_space, env.action_space
    return Layout({
        "action": (str(acts.dtype), (lanes, *acts.shape)),
        **{seen_in(slot): (str(seen.dtype), (lanes, *seen.shape)) for slot in range(SLOTS)},
        "slot": ("int64", (1,)),  # where the observations of the next step are wanted
        "last": (str(seen.dtype), (lanes, *seen.shape)),  # the true last observation, where a lane ended
        "reward": ("float64", (lanes,)), "score": ("float64", (lanes,)),
        "terminated": ("bool", (lanes,)), "truncated": ("bool", (lanes,)), "over": ("bool", (lanes,)),
        "executed": (str(acts.dtype), (lanes, *acts.shape)), "lives": ("int64", (lanes,)),
        "frame": ("int64", (lanes,)), "ram": ("uint8", (lanes, 128)),
        "seed": ("uint64", (lanes,)), "seeded": ("bool", (lanes,)), "wanted": ("bool", (lanes,)),
        "words": ("uint8", (lanes, MOST_WORDS)),
        **(event_arrays(env.reported, lanes) if env.reports else {}),
    })  # fmt: skip


def told_in(axis: str, entry: str) -> str:
    """The name of the array that holds one entry of an axis' reports."""
    return f"{EVENTS} {axis} {entry}"


def event_arrays(reports: dict[str, EventReport], lanes: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Where reports like these are told."""
    arrays = {}
    for axis, report in reports.items():
        for entry, value in report._asdict().items():
            if value is not None:
                like = np.asarray(value)
                arrays[told_in(axis, entry)] = (str(like.dtype), (lanes, *like.shape))
    return arrays


def events_in(arrays: dict[str, np.ndarray], reports: dict[str, EventReport]) -> dict[str, EventReport]:
    """The reports of all lanes, copied from the shared arrays; `reports` is what one lane's look like."""
    return {
        axis: EventReport(
            *(None if value is None else arrays[told_in(axis, entry)].copy()
              for entry, value in report._asdict().items())
        )
        for axis, report in reports.items()
    }  # fmt: skip


class Lanes:
    """The lanes from `first` on, each an env of its own."""

    def __init__(self, envs: list[Any], arrays: dict[str, np.ndarray], first: int, mode: str):
        self.envs, self.mode = envs, mode
        self.slot = arrays["slot"]
        self.rows = {name: array[first : first + len(envs)] for name, array in arrays.items()}

    def reset(self) -> None:
        """The lanes that are wanted, from their seeds, or each in its next episode."""
        rows = self.rows
        for lane, env in enumerate(self.envs):
            if rows["wanted"][lane]:
                seed = int(rows["seed"][lane]) if rows["seeded"][lane] else None
                self._begin(lane, env, seed)
                rows["over"][lane] = False

    def _begin(self, lane: int, env: Any, seed: int | None = None) -> None:
        observation, info = env.reset(seed=seed)
        self.rows[seen_in(self.slot[0])][lane] = observation
        self._tell(lane, env, info)

    def _tell(self, lane: int, env: Any, info: dict) -> None:
        rows = self.rows
        rows["lives"][lane], rows["frame"][lane] = info.get("lives", 0), info.get("frame", 0)
        hidden = env.inner.host.latent()
        if hidden is not None and hidden.dtype == np.uint8:
            rows["ram"][lane] = hidden

    def step(self) -> None:
        rows = self.rows
        for lane, env in enumerate(self.envs):
            if rows["over"][lane] and self.mode == NEXT_STEP:
                self._begin(lane, env)
                rows["reward"][lane] = rows["score"][lane] = 0.0
                rows["terminated"][lane] = rows["truncated"][lane] = rows["over"][lane] = False
                rows["executed"][lane] = rows["action"][lane]
                continue
            seen, paid, terminated, truncated, info = env.step(rows["action"][lane])
            rows["reward"][lane], rows["score"][lane] = paid, info["score"]
            rows["terminated"][lane], rows["truncated"][lane] = terminated, truncated
            rows["executed"][lane] = info["executed"]
            rows["over"][lane] = terminated or truncated
            rows[seen_in(self.slot[0])][lane] = seen
            self._tell(lane, env, info)
            if rows["over"][lane] and self.mode == SAME_STEP:
                rows["last"][lane] = seen
                self._begin(lane, env)

    def close(self) -> None:
        for env in self.envs:
            env.close()


class ReportingLanes(Lanes):
    """Lanes that also write down what the variations of each report."""

    def step(self) -> None:
        super().step()
        for lane, env in enumerate(self.envs):
            for axis, report in env.reported.items():
                for entry, value in report._asdict().items():
                    if value is not None:
                        self.rows[told_in(axis, entry)][lane] = value


def serve() -> None:
    """A worker's life: one JSON line says what it plays, then a byte per command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop
    answers = os.dup(1)
    os.dup2(2, 1)  # what a user's function prints must not look like an answer
    asked = json.loads(sys.stdin.buffer.readline())
    from assay.interop.gymnasium import make

    layout = Layout({name: (dtype, tuple(shape)) for name, (dtype, shape) in asked["layout"].items()})
    arrays = layout.over(mmap.mmap(asked["memory"], layout.size))
    first, count = asked["first"], asked["count"]
    envs = [make(asked["task"], events=asked["events"]) for _ in range(count)]
    lanes = (ReportingLanes if asked["events"] else Lanes)(envs, arrays, first, asked["mode"])
    os.write(answers, DONE)
    while (command := next_command()) not in (b"", QUIT):
        try:
            lanes.step() if command == STEP else lanes.reset()
            os.write(answers, DONE)
        except Exception:
            words = traceback.format_exc().encode()[-MOST_WORDS:]
            arrays["words"][first] = 0
            arrays["words"][first, : len(words)] = np.frombuffer(words, "uint8")
            os.write(answers, FAILED)
    lanes.close()


def next_command() -> bytes:
    """Awake for a while, for the next command mostly comes at once; whoever else wants the core gets it."""
    asked, until = select.poll(), time.perf_counter() + AWAKE
    asked.register(0, select.POLLIN)
    while not asked.poll(0) and time.perf_counter() < until:
        os.sched_yield()
    return os.read(0, 1)


if __name__ == "__main__":
    serve()
