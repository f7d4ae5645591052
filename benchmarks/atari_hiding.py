"""What hidden pictures cost: steps per CPU-second of blackouts and hidden cells beside the plain game.

    python benchmarks/atari_hiding.py [--turns 40]

Frame skip 4, probability 1. A plain and a varied env take turns of 50 steps in one process on one core, so
that what else the machine does meets both alike. A loss is the median over the turns of one less the ratio of
the two speeds, with the interval that holds 95% of the medians of resampled turns.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time

import assay

STEPS = 50
TASKS = (
    ("Boxing", "blackout_ring", "rgb"),
    ("Boxing", "blackout_all", "rgb"),
    ("Breakout", "blackout_all", "rgb"),
    ("Breakout", "blackout_all", "gray84"),
    ("Breakout", "blackout_all", "rgb64"),
    ("Breakout", "hide_ball", "rgb"),
    ("Boxing", "hide_enemy", "rgb"),
    ("Gopher", "hide_carrots", "rgb"),
    ("BankHeist", "hide_blocks", "rgb"),
    ("Breakout", "hide_ball", "gray84"),
    ("BankHeist", "hide_blocks", "rgb64"),
)


class Player:
    """One env, played on with the same actions in every turn."""

    def __init__(self, task: str):
        self.env = assay.make(task)
        self.env.reset(seed=0)
        chosen = random.Random(0)
        self.actions = [chosen.randrange(int(self.env.action_space.n)) for _ in range(STEPS)]

    def play(self) -> float:
        """The steps per CPU-second of a turn."""
        begun = time.process_time()
        for action in self.actions:
            _, _, terminated, truncated, _ = self.env.step(action)
            if terminated or truncated:
                self.env.reset()
        return STEPS / (time.process_time() - begun)


def loss(varied: list[float], plain: list[float]) -> str:
    """The share of steps per second that is lost, with its interval."""
    each, chosen = [1 - a / b for a, b in zip(varied, plain)], random.Random(0)
    medians = sorted(statistics.median(chosen.choices(each, k=len(each))) for _ in range(2000))
    return f"{statistics.median(each):+.1%} [{medians[50]:+.1%}, {medians[1949]:+.1%}]"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=40)
    turns = parser.parse_args().turns
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{turns} turns of {STEPS} steps, load {os.getloadavg()[0]:.2f} before")
    for game, variation, observation in TASKS:
        base = f"atari/{game}+sticky=0+observation={observation}"
        plain, varied = Player(base), Player(f"{base}+{variation}=1.0")
        pairs = [(varied.play(), plain.play()) for _ in range(turns + 1)][1:]
        speeds = [statistics.median(each) for each in zip(*pairs)]
        told = loss([a for a, _ in pairs], [b for _, b in pairs])
        print(f"{game:10} {variation:14} {observation:7} {speeds[0]:7.0f} of {speeds[1]:7.0f}   loses {told}")


if __name__ == "__main__":
    main()
