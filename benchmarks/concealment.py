"""What masks and torches cost on Atari: steps per CPU-second against the plain task, in turns of 200 steps.

python benchmarks/concealment.py [--turns 40] [--game Breakout] [--observation rgb]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from assay.hosted import build_hosted

WAYS = {"plain": "", "crop": "+observation.mask.left=1.0", "torch": "+observation.torch=1.0"}
WANTED = {"crop": 0.95, "torch": 0.90}  # of the plain task's steps per CPU-second, at a chance of 1
STEPS = 200  # of one turn


def make_turn(text: str) -> Callable[[], float]:
    """A function that plays one turn of a task and returns its CPU-seconds, resets left out."""
    task = build_hosted(text)
    actions = np.random.default_rng(0).integers(task.host.action_space.n, size=STEPS).tolist()
    episode = 0
    task.reset(0, episode)

    def play() -> float:
        nonlocal episode
        spent = 0.0
        for action in actions:
            begun = time.process_time()
            out = task.step(action)
            spent += time.process_time() - begun
            if out.terminated or out.truncated:
                episode += 1
                task.reset(0, episode)
        return spent

    return play


def measure(base: str, turns: int) -> dict[str, list[float]]:
    """Way -> CPU-seconds of its turns; the ways take turns, so that a slow minute is everybody's."""
    players = {way: make_turn(base + more) for way, more in WAYS.items()}
    spent: dict[str, list[float]] = {way: [] for way in players}
    for turn in range(turns + 1):
        for way, play in players.items():
            seconds = play()
            if turn:  # the first warms the caches
                spent[way].append(seconds)
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--game", default="Breakout")
    parser.add_argument("--observation", nargs="*", default=["rgb", "gray", "gray84", "rgb64"])
    options = parser.parse_args()
    for mode in options.observation:
        spent = measure(f"atari/{options.game}+observation={mode}", options.turns)
        plain = np.array(spent["plain"])
        print(f"{mode}: plain {STEPS / np.median(plain):,.0f} steps per CPU-second")
        for way, wanted in WANTED.items():
            ratios = np.sort(plain / np.array(spent[way]))
            low, high = ratios[[int(0.25 * len(ratios)), int(0.75 * len(ratios))]]
            print(
                f"  {way}: {np.median(ratios):.3f} of plain, middle half {low:.3f} to {high:.3f}, "
                f"wanted {wanted}"
            )


if __name__ == "__main__":
    main()
