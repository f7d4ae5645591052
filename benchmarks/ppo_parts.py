"""Where an iteration of PPO on pictures goes, and what share of a card's matrix rate it reaches.

    .venv/bin/python benchmarks/ppo_parts.py [--task platformer/run] [--precision bfloat16]

Times a rollout, an update (its epochs and minibatches) and a whole iteration by themselves, each compiled
alone, the fastest of some. The products of an iteration are counted from the layers: one pass for acting and
for each cut, three (forward, and back to weights and inputs) for every step of every epoch.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents import on_policy, ppo
from assay.agents.encoder import LARGE, sides_of
from assay.agents.on_policy_config import TYPES
from assay.core import step as loop
from assay.core.keys import root_of, stream
from assay.native import build_native

TIMES = 10
MATRIX_SIDE = 8192


def seconds_of(call: Callable[[], Any], times: int = TIMES) -> float:
    jax.block_until_ready(call())
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        jax.block_until_ready(call())
        spent.append(time.perf_counter() - begun)
    return min(spent)


def products_of_pass(space: Any) -> int:
    """Operations of one frame going forward, two to a product."""
    channels = [space.shape[-1], *(count for _, _, count in LARGE.kernels)]
    total = 0
    for (side, _, out), into, (height, width) in zip(LARGE.kernels, channels, sides_of(space)):
        total += 2 * height * width * side * side * into * out
    height, width = sides_of(space)[-1]
    return total + 2 * height * width * channels[-1] * LARGE.seen


def matrix_rate(dtype: Any) -> float:
    """Operations a second of a large matrix product on this device."""
    a = jax.random.normal(jax.random.key(0), (MATRIX_SIDE, MATRIX_SIDE)).astype(dtype)
    multiply = jax.jit(lambda a: a @ a)
    return 2 * MATRIX_SIDE**3 / seconds_of(lambda: multiply(a))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="platformer/run")
    parser.add_argument("--precision", choices=TYPES, default="bfloat16")
    asked = parser.parse_args()
    task = build_native(asked.task).task
    config = replace(ppo.Config(), precision=asked.precision)
    spaces, key = loop.spaces(task), root_of(0)
    space = spaces["observation"]
    begun = time.perf_counter()
    learner = jax.jit(lambda key: on_policy.start(key, task, config))(key)
    play = jax.jit(lambda learner: on_policy.play(key, task, config, learner))
    rollout = play(learner)[1]
    rows = on_policy.Batch(
        rollout.observation, rollout.action, rollout.likelihood, rollout.value, rollout.value
    )
    steps = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rows)
    update = jax.jit(
        partial(ppo.update, stream(key, "update"), spaces, config, rate=on_policy.rate_at(config, 0))
    )
    iterate = jax.jit(lambda learner: ppo.PIECES.advance(key, task, config, learner, jnp.int32(5)))
    parts = {
        "rollout": seconds_of(lambda: play(learner)),
        "update": seconds_of(lambda: update(learner.policy, learner.optimiser, steps)),
        "iteration": seconds_of(lambda: iterate(learner), 3) / 5,
    }
    count = config.envs * config.rollout
    work = products_of_pass(space) * count * (1 + 3 * config.epochs)
    rate = matrix_rate(TYPES[asked.precision])
    print(f"{jax.devices()[0].device_kind}, jax {jax.__version__}, {asked.precision}")
    print(", ".join(f"{name} {1000 * spent:.1f} ms" for name, spent in parts.items()))
    print(
        f"{work / 1e12:.1f} TFLOP an iteration, {work / parts['iteration'] / 1e12:.0f} TFLOP/s, "
        f"{work / parts['iteration'] / rate:.0%} of the {rate / 1e12:.0f} that a matrix product reaches; "
        f"{config.iterations * parts['iteration']:.0f} s for {config.steps:,} steps; "
        f"all took {time.perf_counter() - begun:.0f} s"
    )


if __name__ == "__main__":
    main()
