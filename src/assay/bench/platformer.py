"""How many frames a second the platformer makes on this machine, and how large its state is.

Every byte of every frame is added up inside the scan: a frame that is not read is never drawn, and the
figure would be that of the physics alone. Two tasks are measured: the plain one, and one with everything on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.bench.toy import Figure, measure, random_actions, single_steps, sum_of_step
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import root_of
from assay.envs.platformer.frame import has_kernel
from assay.envs.platformer.palettes import BACKGROUND_COLORS, LIGHT_COLORS, SHAPE_COLORS, SHAPES
from assay.native import build_native

LANES = 128
PLAIN, EVERYTHING = "plain task", "everything on"  # the tasks, as the lines name them
ANEW = "ended episodes begin anew"
MOST_LANES = {PLAIN: 12, EVERYTHING: 8}  # powers of two, of the curve on a CPU
STEPS = {PLAIN: 500, EVERYTHING: 32}  # of 128 lanes in one call
SUMMED = "one compiled loop; every byte of every frame is added up"
SIMPLEST = "platformer/run"
FILTERS = {
    "brightness": 1, "contrast": 2, "gamma": 2, "saturation": 2, "hue_shift": 180, "color_temp": 1,
    "color_jitter_std": 1, "gaussian_noise_std": 15, "poisson_noise_scale": 1, "blur_sigma": 1,
    "sharpen_amount": 1, "pixelate_factor": 2, "vignette_strength": 1, "radial_light_strength": 1,
}  # fmt: skip
HARDEST: dict[str, Any] = {
    "preset": "kage-default",
    "background.switch_frequency": 0.01,
    "npc.min_npc_count": 20,
    "npc.sticky_enabled": True,
    "npc.min_sticky_count": 5,
    "distractors.count": 10,
    "distractors.shape_types": SHAPES,
    "distractors.shape_colors": tuple(SHAPE_COLORS),
    "effects.point_light_enabled": True,
    "effects.point_light_count": 5,
    "effects.point_light_color_names": tuple(LIGHT_COLORS),
    "layout.layout_colors": tuple(BACKGROUND_COLORS),
} | {f"filters.{name}": strength for name, strength in FILTERS.items()}


def figures(seconds: float, env: str = SIMPLEST) -> Iterator[Figure]:
    """All figures, each as soon as it is measured; each try takes about `seconds`."""
    if has_kernel():
        from assay.bench import platformer_gpu

        yield from platformer_gpu.figures(seconds, env)
        return
    simplest, hardest = build_native(env).task, build_native(env, HARDEST).task
    some, few = STEPS.values()
    for name, play, remark in (
        (at_once(PLAIN, LANES), scan_of(simplest, some), SUMMED),
        (f"{at_once(PLAIN, LANES)}, {ANEW}", scan_of(simplest, some, autoreset=True), SUMMED),
        (at_once(EVERYTHING, LANES), scan_of(hardest, few), f"{SUMMED}; {say_everything()}"),
        (f"{PLAIN}, one env by assay.make", partial(single_steps, env), "env.step, called from Python"),
    ):
        yield measure(name, play, seconds)._replace(remark=remark)


def at_once(task: str, lanes: int) -> str:
    """The name of a line: `plain task, 1,024 envs at once`."""
    return f"{task}, {lanes:,} env{'s' if lanes > 1 else ''} at once"


def say_everything() -> str:
    """What is on where everything is."""
    characters = HARDEST["npc.min_npc_count"] + HARDEST["npc.min_sticky_count"]
    return (
        f"backgrounds, {characters} characters, {HARDEST['distractors.count']} shapes, "
        f"{HARDEST['effects.point_light_count']} lights and {len(FILTERS)} filters"
    )


def curve(seconds: float, env: str = SIMPLEST) -> Iterator[Figure]:
    """Frames per second by the number of lanes."""
    if has_kernel():
        from assay.bench import platformer_gpu

        yield from platformer_gpu.curve(seconds, env)
        return
    for (name, most), settings in zip(MOST_LANES.items(), ({}, HARDEST)):
        task = build_native(env, settings).task
        for lanes in (2**power for power in range(most + 1)):
            steps = max(1, STEPS[name] * LANES // lanes) if lanes > LANES else STEPS[name]
            yield measure(at_once(name, lanes), scan_of(task, steps, lanes), seconds)


def scan_of(
    task: Task, steps: int, lanes: int = LANES, autoreset: bool = False
) -> Callable[[int], Callable[[], int]]:
    def play(number: int) -> Callable[[], int]:
        seed = root_of(number)

        def some_steps() -> int:
            scan(task, seed, steps, lanes, autoreset).block_until_ready()
            return steps * lanes

        return some_steps

    return play


@partial(jax.jit, static_argnames=("steps", "lanes", "autoreset"))
def scan(task: Task, seed: jax.Array, steps: int, lanes: int, autoreset: bool) -> jax.Array:
    """Random play of all lanes; everything that the env gives is in the sum."""
    _, worlds = loop.for_every_lane(1, loop.reset)(task, jax.random.split(seed, lanes))
    space = loop.spaces(task)["action"]

    def one_step(carry: tuple, t: jax.Array) -> tuple:
        worlds, total = carry
        keys = jax.random.split(jax.random.fold_in(seed, t), lanes)
        chosen = random_actions(jax.random.fold_in(seed, t), space, (lanes,))
        if autoreset:
            seen, worlds, out, last = loop.autoreset(task, keys, keys, worlds, chosen, at_end=total_of)
            total = total + last.sum()
        else:
            out = loop.for_every_lane(1, loop.step)(task, keys, worlds, chosen)
            seen, worlds = out.observation, out.state
        return (worlds, total + total_of_all(seen) + sum_of_step(out).astype(jnp.int32)), None

    (_, total), _ = jax.lax.scan(one_step, (worlds, jnp.int32(0)), jnp.arange(steps))
    return total


def total_of(frame: jax.Array) -> jax.Array:
    return frame.sum(dtype=jnp.int32)


def total_of_all(frames: jax.Array) -> jax.Array:
    """The sum of all bytes: first over the lanes, whose sum fits two bytes, in the order of their storage."""
    return frames.transpose(0, 3, 1, 2).sum(0, dtype=jnp.uint16).sum(dtype=jnp.int32)


def state_bytes(settings: dict | None = None) -> int:
    """The bytes that a lane carries from step to step: its world, without frames and shared pictures."""
    world = jax.eval_shape(loop.start, build_native(SIMPLEST, settings or {}).task, jax.random.key(0))
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(world))


def state_sizes() -> dict[str, int]:
    """The bytes of a lane of both tasks."""
    return {PLAIN: state_bytes(), EVERYTHING: state_bytes(HARDEST)}
