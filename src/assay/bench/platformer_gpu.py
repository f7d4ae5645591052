"""Frames per second of the platformer on a GPU, feature by feature, with the frame in memory after each step.

Two ways of measuring. *Written*: the kernel stores the frame and gives a checksum of what it stored; the
frames are carried through the scan. *Read back*: a second pass reads every byte of them again. Neither counts
unless one frame in a thousand, drawn again by XLA from the same state, has the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.bench.platformer import ANEW, EVERYTHING, HARDEST, PLAIN, at_once
from assay.bench.toy import Figure, measure, random_actions, sum_of_step
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import root_of, stream
from assay.envs.platformer.frame import draw_layers
from assay.envs.platformer.gpu.frame import draw_words, empty_words
from assay.envs.platformer.gpu.tiles import Drawn
from assay.native import build_native

LANES = 2**16
WRITTEN, READ_BACK = "frames written", "frames written, then every byte read back"
ONE_IN = 1000  # frames that are drawn again by XLA
COMPILERS = 16  # threads
QUICK, SLOW = 100, 8  # steps of one call, of most tasks and of the hardest
EVERY_BYTE = 0x00FF00FF  # of a word, two at a time
LINES: Mapping[str, Mapping[str, Any]] = {
    PLAIN: {},
    "background picture": {"background.mode": "image"},
    "NPCs": {"npc.enabled": True},
    "distractors": {"distractors.enabled": True},
    "agent as a turning star": {"character.shape_rotate": True, "character.shape_types": ("star",)},
    "hue filter over a picture": {"background.mode": "image", "filters.hue_shift": 180.0},
    "point lights": {"effects.point_light_enabled": True},
    "blur over a picture": {"background.mode": "image", "filters.blur_sigma": 1.0},
    "sharpening over a picture": {"background.mode": "image", "filters.sharpen_amount": 1.0},
    "preset=kage-default": {"preset": "kage-default"},
    EVERYTHING: HARDEST,
}


class Way(NamedTuple):
    """How a scan is run; static."""

    lanes: int
    steps: int
    reads: bool = False  # whether every byte is read again
    resets: bool = False
    compares: bool = False  # whether one frame in a thousand is drawn again by XLA


class Sums(NamedTuple):
    """What a scan comes to."""

    total: jax.Array  # of checksums, of bytes where they are read, and of all that a step gives
    compared: jax.Array  # frames
    differing: jax.Array  # bytes of them
    most: jax.Array  # grey levels


class Line(NamedTuple):
    """One figure to be measured."""

    name: str
    task: Task
    way: Way


class Compiled(NamedTuple):
    line: Line
    scan: Callable[[Task, jax.Array], Sums]
    seconds: float  # of tracing and compiling
    alone: bool  # whether nothing else was compiled at the same time


def figures(seconds: float, env: str) -> Iterator[Figure]:
    for name, settings in LINES.items():
        task = build_native(env, settings).task
        way = Way(LANES, SLOW if name == EVERYTHING else QUICK)
        lines = [
            Line(f"{name}, {WRITTEN}", task, way),
            Line(f"{name}, {READ_BACK}", task, way._replace(reads=True)),
        ]
        if name in (PLAIN, EVERYTHING):
            lines.append(Line(f"{name}, {WRITTEN}, {ANEW}", task, way._replace(resets=True)))
        for compiled in compile_lines(lines):
            figure = measure_line(compiled, seconds)
            if compiled.line.way == way:
                figure = figure._replace(remark=compare(task, way, compiled.scan))
            yield figure


def curve(seconds: float, env: str) -> Iterator[Figure]:
    """Frames per second by the number of lanes, until memory ends."""
    for name, powers, steps in ((PLAIN, range(21), QUICK), (EVERYTHING, range(17), SLOW)):
        task = build_native(env, LINES[name]).task
        lines = [Line(at_once(name, 2**power), task, Way(2**power, steps)) for power in powers]
        for compiled in compile_lines(lines):
            try:
                yield measure_line(compiled, seconds)
            except jax.errors.JaxRuntimeError as error:
                if "RESOURCE_EXHAUSTED" not in str(error):
                    raise
                yield Figure(compiled.line.name, 0.0, 0.0, 0.0, "more than the memory holds")
                break


def compile_lines(lines: Sequence[Line]) -> Iterator[Compiled]:
    """The lines in order: the first is compiled alone, the rest side by side, since one takes seconds."""
    yield compile_line(lines[0], alone=True)
    with ThreadPoolExecutor(COMPILERS) as pool:
        # All of them before the next is timed: compiling tries kernels out on the same card.
        others = list(pool.map(partial(compile_line, alone=False), lines[1:]))
    yield from others


def compile_line(line: Line, alone: bool) -> Compiled:
    begun = time.perf_counter()
    program = scan.lower(line.task, root_of(0), line.way).compile()
    return Compiled(line, program, time.perf_counter() - begun, alone)


def measure_line(compiled: Compiled, seconds: float) -> Figure:
    task, way = compiled.line.task, compiled.line.way

    def play(number: int) -> Callable[[], int]:
        seed = root_of(number)

        def some_steps() -> int:
            compiled.scan(task, seed).total.block_until_ready()
            return way.steps * way.lanes

        return some_steps

    figure = measure(compiled.line.name, play, seconds)
    remark = "" if compiled.alone else "compiled beside others"
    return figure._replace(compile_seconds=compiled.seconds, remark=remark)


def compare(task: Task, way: Way, timed: Callable[[Task, jax.Array], Sums]) -> str:
    """Draws one frame in a thousand of a scan again; its checksum must be that of the timed scan."""
    seed = root_of(0)
    found = scan(task, seed, way._replace(compares=True))
    same = found.total == timed(task, seed).total
    frame = 3 * task.env.params.H * task.env.params.W
    told = f"{int(found.differing)} of {int(found.compared) * frame:,} bytes differ from XLA's"
    told += f" by at most {int(found.most)}" if found.differing else ""
    return told if same else f"{told}; a second run of the scan had another checksum"


@partial(jax.jit, static_argnames="way")
def scan(task: Task, seed: jax.Array, way: Way) -> Sums:
    """Random play of all lanes; the frames of a step are carried to the next."""
    stored = replace(task, env=replace(task.env, observation=draw_words))
    plain = replace(task, env=replace(task.env, observation=draw_layers))
    lanes, every = way.lanes, partial(loop.for_every_lane, 1)
    keys = jax.random.split(seed, lanes)
    worlds = every(loop.start)(stored, keys)
    # No frame yet: to draw a first one would trace and compile every kernel twice.
    blank = replace(task, env=replace(task.env, observation=empty_words))
    first = every(loop.look)(blank, keys, worlds)[0]
    space = loop.spaces(task)["action"]

    def one_step(carry: tuple, t: jax.Array) -> tuple:
        worlds, _, sums = carry
        now = jax.random.fold_in(seed, t)
        keys = jax.random.split(now, lanes)
        chosen = random_actions(stream(now, "action"), space, (lanes,))
        total = sums.total
        if way.resets:
            seen, worlds, out, last = loop.autoreset(stored, keys, keys, worlds, chosen, sums_of)
            total += last.sum()
        else:
            out = every(loop.step)(stored, keys, worlds, chosen)
            seen, worlds = out.observation, out.state
        total += seen.sums.sum() + sum_of_step(out).astype(jnp.int32)
        if way.reads:
            total += total_of_bytes(seen.words)
        sums = sums._replace(total=total)
        if way.compares:
            picks = (t + ONE_IN * jnp.arange(-(-lanes // ONE_IN))) % lanes
            few = jax.tree.map(lambda leaf: leaf[picks], (keys, worlds, seen.words))
            sums = add_differences(sums, every(loop.look)(plain, *few[:2])[0], few[2])
        return (worlds, seen, sums), None

    none = Sums(*jnp.zeros(4, jnp.int32))
    # The last frames leave the loop, so that none of them can be left out.
    _, seen, sums = jax.lax.scan(one_step, (worlds, first, none), jnp.arange(way.steps))[0]
    return sums._replace(total=sums.total + seen.words[-1, -1, -1, -1].astype(jnp.int32))


def sums_of(drawn: Drawn) -> jax.Array:
    return drawn.sums


def total_of_bytes(words: jax.Array) -> jax.Array:
    pairs = (words & EVERY_BYTE) + ((words >> 8) & EVERY_BYTE)
    return ((pairs & 0xFFFF) + (pairs >> 16)).sum(dtype=jnp.uint32).astype(jnp.int32)


def add_differences(sums: Sums, wanted: jax.Array, words: jax.Array) -> Sums:
    """`wanted` is (few, H, W, 3) bytes, `words` (few, 3, H, W / 4)."""
    found = jax.lax.bitcast_convert_type(words, jnp.uint8).reshape(wanted.transpose(0, 3, 1, 2).shape)
    apart = jnp.abs(wanted.transpose(0, 3, 1, 2).astype(jnp.int32) - found.astype(jnp.int32))
    return sums._replace(
        compared=sums.compared + len(wanted),
        differing=sums.differing + (apart > 0).sum(),
        most=jnp.maximum(sums.most, apart.max()),
    )
