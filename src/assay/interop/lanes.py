"""Some lanes of a hosted task played one after the other, read from and written to shared arrays.

Run as `python -m assay.interop.lanes` it is a worker: it takes one byte per command from standard input and
answers with one. Nothing is pickled per step: actions, observations and all else are in memory that it shares
with its parent. A worker imports no jax, and ends when its parent does.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import signal
import sys
import traceback
from typing import Any, NamedTuple

import numpy as np

from assay.core.events import EVENTS, EventReport
from assay.interop.checks import NOISE_SEED

STEP, RESET, BEGIN, QUIT, DONE, FAILED = b"s", b"r", b"b", b"q", b".", b"e"
NEXT_STEP, SAME_STEP, DISABLED = "next-step", "same-step", "disabled"
MOST_WORDS = 4096  # bytes of an error message
SLOTS = 4  # of observations: a caller may hold three; the last one is never handed out
FEW_COLLECTIONS = 50_000  # new objects between two searches for garbage; steps leave next to none


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


def observation_name(slot: int) -> str:
    """The name of a slot's observations."""
    return f"observation {slot}"


def layout_for(env: Any, lanes: int) -> Layout:
    """The arrays that a parent and its workers share for such an env."""
    observation = (str(env.observation_space.dtype), (lanes, *env.observation_space.shape))
    action = (str(env.action_space.dtype), (lanes, *env.action_space.shape))
    return Layout({
        "action": action,
        **{observation_name(slot): observation for slot in range(SLOTS)},
        "slot": ("int64", (1,)),  # into which the observations of the next step are written
        "last": observation,  # the true last observation, where a lane ended
        "reward": ("float64", (lanes,)), "score": ("float64", (lanes,)),
        "terminated": ("bool", (lanes,)), "truncated": ("bool", (lanes,)), "over": ("bool", (lanes,)),
        "executed": action, "lives": ("int64", (lanes,)),
        "frame": ("int64", (lanes,)), "ram": ("uint8", (lanes, 128)),
        "seed": ("uint64", (lanes,)), "seeded": ("bool", (lanes,)), "wanted": ("bool", (lanes,)),
        NOISE_SEED: ("uint64", (lanes,)), "apart": ("bool", (lanes,)), "episode": ("int64", (lanes,)),
        "words": ("uint8", (lanes, MOST_WORDS)),
        **(event_arrays(env.reported, lanes) if env.reports else {}),
    })  # fmt: skip


def report_name(axis: str, entry: str) -> str:
    """The name of the array for one entry of an axis' reports."""
    return f"{EVENTS} {axis} {entry}"


def event_arrays(reports: dict[str, EventReport], lanes: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The arrays for reports like these."""
    arrays = {}
    for axis, report in reports.items():
        for entry, value in report._asdict().items():
            if value is not None:
                like = np.asarray(value)
                arrays[report_name(axis, entry)] = (str(like.dtype), (lanes, *like.shape))
    return arrays


def events_in(arrays: dict[str, np.ndarray], reports: dict[str, EventReport]) -> dict[str, EventReport]:
    """The reports of all lanes, copied from the shared arrays; `reports` is what one lane's look like."""
    return {
        axis: EventReport(
            *(None if value is None else arrays[report_name(axis, entry)].copy()
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
        """Begins an episode in the wanted lanes, from their seeds, or the next one of each."""
        rows = self.rows
        for lane, env in enumerate(self.envs):
            if rows["wanted"][lane]:
                seed = int(rows["seed"][lane]) if rows["seeded"][lane] else None
                noise = int(rows[NOISE_SEED][lane]) if rows["apart"][lane] else None
                self._begin(lane, env, seed, noise)
                rows["over"][lane] = False

    def begin(self) -> None:
        """Begins in the wanted lanes the episode of this number of their seeds, without those before it."""
        rows = self.rows
        for lane, env in enumerate(self.envs):
            if rows["wanted"][lane]:
                observation, info = env.begin(int(rows["seed"][lane]), int(rows["episode"][lane]))
                rows[observation_name(self.slot[0])][lane] = observation
                self._write_info(lane, env, info)
                rows["over"][lane] = False

    def _begin(self, lane: int, env: Any, seed: int | None = None, noise: int | None = None) -> None:
        observation, info = env.reset(seed=seed, options=None if noise is None else {NOISE_SEED: noise})
        self._seen()[lane] = observation
        self._write_info(lane, env, info)

    def _seen(self) -> np.ndarray:
        """Where the observations of this step go."""
        return self.rows[observation_name(self.slot[0])]

    def _write_info(self, lane: int, env: Any, info: dict) -> None:
        rows = self.rows
        rows["lives"][lane], rows["frame"][lane] = info.get("lives", 0), info.get("frame", 0)
        hidden = env.inner.host.latent()
        if hidden is not None and hidden.dtype == np.uint8:
            rows["ram"][lane] = hidden

    def step(self) -> None:
        rows, seen, actions = self.rows, self._seen(), list(self.rows["action"])
        waiting = rows["over"].tolist() if self.mode == NEXT_STEP else [False] * len(actions)
        for lane, env in enumerate(self.envs):
            if waiting[lane]:
                self._begin(lane, env)
                rows["reward"][lane] = rows["score"][lane] = 0.0
                rows["terminated"][lane] = rows["truncated"][lane] = rows["over"][lane] = False
                rows["executed"][lane] = rows["action"][lane]
                continue
            observation, paid, terminated, truncated, info = env.step(actions[lane])
            rows["reward"][lane], rows["score"][lane] = paid, info["score"]
            rows["terminated"][lane], rows["truncated"][lane] = terminated, truncated
            rows["executed"][lane] = info["executed"]
            rows["over"][lane] = over = terminated or truncated
            seen[lane] = observation
            self._write_info(lane, env, info)
            if over and self.mode == SAME_STEP:
                rows["last"][lane] = observation
                self._begin(lane, env)

    def obey(self, command: bytes) -> None:
        {STEP: self.step, RESET: self.reset, BEGIN: self.begin}[command]()

    def close(self) -> None:
        for env in self.envs:
            env.close()


class ReportingLanes(Lanes):
    """Lanes that also write the reports of their variations into the arrays."""

    def step(self) -> None:
        super().step()
        for lane, env in enumerate(self.envs):
            for axis, report in env.reported.items():
                for entry, value in report._asdict().items():
                    if value is not None:
                        self.rows[report_name(axis, entry)][lane] = value


def serve() -> None:
    """The main loop of a worker: one JSON line says what it plays, then a byte per command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops it
    answers = os.dup(1)
    os.dup2(2, 1)  # what a user's function prints must not look like an answer
    request = json.loads(sys.stdin.buffer.readline())
    from assay.interop.gymnasium import make

    layout = Layout({name: (dtype, tuple(shape)) for name, (dtype, shape) in request["layout"].items()})
    arrays = layout.over(mmap.mmap(request["memory"], layout.size))
    first, count = request["first"], request["count"]
    envs = [make(request["task"], events=request["events"]) for _ in range(count)]
    lanes = (ReportingLanes if request["events"] else Lanes)(envs, arrays, first, request["mode"])
    gc.set_threshold(FEW_COLLECTIONS)
    os.write(answers, DONE)
    while (command := os.read(0, 1)) not in (b"", QUIT):
        try:
            lanes.obey(command)
            os.write(answers, DONE)
        except Exception:
            words = traceback.format_exc().encode()[-MOST_WORDS:]
            arrays["words"][first] = 0
            arrays["words"][first, : len(words)] = np.frombuffer(words, "uint8")
            os.write(answers, FAILED)
    lanes.close()


if __name__ == "__main__":
    serve()
