"""What assay costs around a host: CPU seconds of CartPole-v1 bare, through `assay.make`, and varied.

    python benchmarks/hosted.py [steps]

Random actions drawn beforehand, resets counted, the three ways in turn, best of five.
"""

from __future__ import annotations

import sys
import time

import gymnasium
import numpy as np

import assay

TRIES = 5
WAYS = {
    "gymnasium.make": lambda: gymnasium.make("CartPole-v1"),
    "assay.make": lambda: assay.make("gym/CartPole-v1"),
    "assay.make, delay and noise": lambda: assay.make("gym/CartPole-v1+reward.delay=2+reward.noise=0.1"),
}


def seconds(env: gymnasium.Env, actions: list) -> float:
    """CPU time of one pass over the actions, episode after episode."""
    env.reset(seed=0)
    begun = time.process_time()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return time.process_time() - begun


def main(steps: int = 50_000) -> None:
    actions = list(np.random.default_rng(0).integers(2, size=steps))
    envs = {name: make() for name, make in WAYS.items()}
    best = dict.fromkeys(envs, float("inf"))
    for _ in range(TRIES):
        for name, env in envs.items():
            best[name] = min(best[name], seconds(env, actions))
    bare = best["gymnasium.make"]
    print(f"CartPole-v1, {steps} steps with resets, CPU seconds, best of {TRIES}")
    for name, found in best.items():
        print(f"{name:30} {found:.3f}  {found / bare:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
