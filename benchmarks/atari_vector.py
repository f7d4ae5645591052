"""Speed for training: `make_vec` with one variation beside the emulator's own vector env, in turns.

    python benchmarks/atari_vector.py [--turns 40] [--task atari/Pong+lazy_enemy] [--workers 2]

Eight lanes of 84x84 gray pictures, four frames stacked, frame skip 4, stickiness 0.25, random actions. The
emulator's vector env plays the plain game in as many threads as ours has workers. Each turn is 100 steps of
all lanes. CPU seconds are those of this process and of all workers, so that waiting for a core that others
use does not count. A share is the median over the turns of the ratio of the two speeds, with the interval
that holds 95% of the medians of resampled turns.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from ale_py.vector_env import AtariVectorEnv

import assay

LANES, STEPS = 8, 100


class Speed(NamedTuple):
    """Steps per second of a turn, counting every lane."""

    by_cpu: float
    by_clock: float


class Player:
    """A vector env, played on with the same actions in every turn."""

    def __init__(self, env: Any, actions: int, workers: list[int]):
        self.env, self.workers = env, workers
        env.reset(seed=0)
        self.actions = np.random.default_rng(0).integers(actions, size=(STEPS, LANES))

    def cpu_seconds(self) -> float:
        return time.process_time() + sum(map(seconds_of_process, self.workers))

    def play(self) -> Speed:
        cpu, clock = self.cpu_seconds(), time.perf_counter()
        for each in self.actions:
            self.env.step(each)
        cpu, clock = self.cpu_seconds() - cpu, time.perf_counter() - clock
        return Speed(STEPS * LANES / cpu, STEPS * LANES / clock)


def seconds_of_process(number: int) -> float:
    """The CPU seconds of another process, by Linux' clock of it."""
    return time.clock_gettime(~number << 3 | 2)


def share(ours: list[float], theirs: list[float]) -> str:
    """The share of their speed that is ours, with its interval."""
    each, chosen = [a / b for a, b in zip(ours, theirs)], random.Random(0)
    medians = sorted(statistics.median(chosen.choices(each, k=len(each))) for _ in range(2000))
    return f"{statistics.median(each):.3f} [{medians[50]:.3f}, {medians[1949]:.3f}]"


def ours(task: str, workers: int) -> Player:
    env = assay.make_vec(f"{task}+observation=gray84+stack=4", LANES, workers=workers)
    processes = [worker.process.pid for worker in env.workers] if workers else []
    return Player(env, int(env.single_action_space.n), processes)


def theirs(game: str, threads: int) -> Player:
    env = AtariVectorEnv(game, LANES, num_threads=threads, repeat_action_probability=0.25)
    return Player(env, int(env.single_action_space.n), [])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--task", default="atari/Pong+lazy_enemy")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    game = options.task.removeprefix("atari/").partition("+")[0]
    rom = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in game).lstrip("_")
    print(f"{options.turns} turns of {STEPS} steps, load {os.getloadavg()[0]:.2f} before")
    players = {
        "AtariVectorEnv": theirs(rom, options.workers),
        options.task: ours(options.task, options.workers),
        f"{options.task}, in this process": ours(options.task, 0),
    }
    turns = [{name: player.play() for name, player in players.items()} for _ in range(options.turns + 1)][1:]
    tell: list[tuple[str, Callable[[Speed], float]]] = [
        ("per CPU-second", lambda speed: speed.by_cpu),
        ("per second", lambda speed: speed.by_clock),
    ]
    for unit, read in tell:
        speeds = {name: [read(turn[name]) for turn in turns] for name in players}
        for name, each in speeds.items():
            beside = share(each, speeds["AtariVectorEnv"])
            print(f"{name:42} {statistics.median(each):7.0f} steps {unit}, {beside} of AtariVectorEnv")
    for player in players.values():
        player.env.close()


if __name__ == "__main__":
    main()
