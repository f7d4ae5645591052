"""How fast a toy env runs on this machine: in a scan, in a vector env and in a plain Gymnasium env.

In the scan, actions are drawn where the env runs, and observations, rewards and flags are added up there, so
that the compiler can leave nothing out. Each figure is the best of three; compiling is timed apart.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.env import Step, Task
from assay.core.keys import root_of
from assay.core.space import Box, Discrete, Space, count_of
from assay.interop.gymnasium import make
from assay.interop.vector import make_vec
from assay.native import build_native

ENVS = ("toy/discrete", "toy/continuous", "toy/grid")
MDPS, LANES_EACH, VECTOR_LANES = 4, 1024, 1024
TIMES = 3
SCAN = 500  # steps in one call of the compiled scan
FURTHER = 2**20  # added to a step's number, for the keys with which lanes begin anew


class Figure(NamedTuple):
    """One way to run the env. Steps count every lane."""

    name: str
    steps_per_second: float  # wall
    steps_per_cpu_second: float
    compile_seconds: float
    remark: str = ""


def figures(seconds: float, env: str = ENVS[0]) -> Iterator[Figure]:
    """All figures of an env, each as soon as it is measured; each try takes about `seconds`."""
    worlds = [{"mdp_seed": i} if env == "toy/discrete" else {} for i in range(MDPS)]
    stacked = jax.tree.map(
        lambda *leaves: jnp.stack(leaves), *(build_native(env, each).task for each in worlds)
    )
    lanes = f"scan, {MDPS * LANES_EACH:,} lanes" + (f", {MDPS} MDPs" if worlds[0] else "")
    yield measure(lanes, scan_of(stacked, autoreset=False), seconds)
    yield measure(f"{lanes}, autoreset", scan_of(stacked, autoreset=True), seconds)
    yield measure(f"make_vec, {VECTOR_LANES:,} lanes", partial(vector_steps, env), seconds)
    yield measure("make, resets counted", partial(single_steps, env), seconds)


def measure(name: str, play: Callable[[int], Callable[[], int]], seconds: float) -> Figure:
    """Measures a way to run an env.

    `play(try number)` prepares a try and returns a function that makes some steps and returns how many.
    """
    begun = time.perf_counter()
    play(0)()
    warm = time.perf_counter()
    first = time_of(play(1), 0.0)
    compiling = max(warm - begun - first[1], 0.0)  # the first call less what such a call takes
    tries = [time_of(play(2 + i), seconds) for i in range(TIMES)]
    wall = max(steps / spent for steps, spent, _ in tries)
    cpu = max(steps / used for steps, _, used in tries)
    return Figure(name, wall, cpu, compiling)


def time_of(some_steps: Callable[[], int], seconds: float) -> tuple[int, float, float]:
    """Steps, wall seconds and CPU seconds of repeated calls, at least one."""
    steps, wall, cpu = 0, time.perf_counter(), time.process_time()
    while True:
        steps += some_steps()
        spent = time.perf_counter() - wall
        if spent >= seconds:
            return steps, spent, time.process_time() - cpu


def scan_of(tasks: Task, autoreset: bool) -> Callable[[int], Callable[[], int]]:
    def play(number: int) -> Callable[[], int]:
        seed = root_of(number)

        def some_steps() -> int:
            scan(tasks, seed, autoreset).block_until_ready()
            return SCAN * MDPS * LANES_EACH

        return some_steps

    return play


@partial(jax.jit, static_argnames="autoreset")
def scan(tasks: Task, seed: jax.Array, autoreset: bool) -> jax.Array:
    """Random play of all lanes for SCAN steps; everything that the env gives is in the sum."""
    keys = jax.random.split(seed, (MDPS, LANES_EACH))
    first, worlds = loop.for_every_lane(2, loop.reset)(tasks, keys)
    space = loop.spaces(jax.tree.map(lambda leaf: leaf[0], tasks))["action"]

    def one_step(carry: tuple, t: jax.Array) -> tuple:
        worlds, total = carry
        now = at_step(keys, t)
        chosen = random_actions(jax.random.fold_in(seed, t), space, keys.shape)
        if autoreset:
            seen, worlds, out, last = loop.autoreset(tasks, now, at_step(keys, t + FURTHER), worlds, chosen)
            total = total + last.sum()
        else:
            out = loop.for_every_lane(2, loop.step)(tasks, now, worlds, chosen)
            seen, worlds = out.observation, out.state
        return (worlds, total + seen.sum() + sum_of_step(out)), None

    (_, total), _ = jax.lax.scan(one_step, (worlds, jnp.float32(first.sum())), jnp.arange(SCAN))
    return total


def random_actions(key: jax.Array, space: Space, lanes: tuple[int, ...]) -> jax.Array:
    """Uniformly random actions of all lanes, by one draw: a key per lane would cost as much as a step."""
    if isinstance(space, Discrete):
        return jax.random.randint(key, (*lanes, *space.shape), 0, count_of(space))
    assert isinstance(space, Box), "native spaces are of numbers"
    return jax.random.uniform(key, (*lanes, *space.shape), minval=space.low, maxval=space.high)


def at_step(keys: jax.Array, t: jax.Array) -> jax.Array:
    return jax.vmap(jax.vmap(jax.random.fold_in, (0, None)), (0, None))(keys, t)


def sum_of_step(out: Step) -> jax.Array:
    return out.reward.sum() + out.score.sum() + out.terminated.sum() + out.truncated.sum()


def vector_steps(env: str, number: int) -> Callable[[], int]:
    venv = make_vec(env, VECTOR_LANES)
    venv.reset(seed=number)
    venv.action_space.seed(number)
    actions = [venv.action_space.sample() for _ in range(100)]

    def some_steps() -> int:
        for chosen in actions:
            venv.step(chosen)
        return len(actions) * VECTOR_LANES

    return some_steps


def single_steps(name: str, number: int) -> Callable[[], int]:
    env = make(name)
    env.reset(seed=number)
    env.action_space.seed(number)
    actions = [env.action_space.sample() for _ in range(1000)]

    def some_steps() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions)

    return some_steps


def machine() -> dict[str, str | int | None]:
    """The machine and the versions for which the figures hold."""
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "device": jax.devices()[0].device_kind,
        "jax": jax.__version__,
        "numpy": np.__version__,
    }
