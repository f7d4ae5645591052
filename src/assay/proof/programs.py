"""A digest of the programs that the check of a native axis runs, and of all that goes into them.

The same programs on the same inputs give the same results. A certificate that holds this digest can therefore
be renewed by tracing alone, after a change of code that leaves every program as it was. What the laws compute
in plain Python, around the programs, is computed afresh here, and what it says is part of the digest.

This file repeats which tasks `native.py` follows; a test runs the checks and compares.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.catalogue import variations
from assay.core import step as loop
from assay.core.axis import Axis
from assay.core.env import Task
from assay.core.keys import episode_key, root, seed_words, step_key
from assay.core.randomness import is_key
from assay.native import NativeTask, build_native
from assay.proof import native
from assay.proof.laws import channels
from assay.proof.laws import native as laws
from assay.proof.run import XLA_FLAGS
from assay.proof.worker import ENOUGH_FOR_A_CROWD, does_it_apply
from assay.task_text import Setting, TaskText, print_value

_look = jax.jit(loop.look)
_reset = jax.jit(loop.reset)
_reset_and_step = jax.jit(native.reset_and_step)
_start_after = jax.jit(loop.start_after)
_step = jax.jit(loop.step)


class Program(NamedTuple):
    """A jitted function and what it is called with; arrays that other programs compute are shapes alone."""

    function: Any
    arguments: tuple[Any, ...]


def digest_of_programs(env: str, axis: Axis) -> str:
    """The digest of all that the finding of a check rests on, but for the code of the laws."""
    digest = blake2b(digest_size=16)
    for fact in surroundings():
        digest.update(f"{fact}\0".encode())
    why_not = does_it_apply(env, axis)
    facts = [why_not] if why_not else facts_of(env, axis)
    for fact in (*declared(axis), *facts):
        digest.update(f"{fact}\0".encode())
    if not why_not:
        for program in programs_of(env, axis):
            digest.update(digest_of_program(program))
        digest.update(digest_of_plain_run(*plain_run(env, axis)))
    return digest.hexdigest()


def surroundings() -> list[str]:
    """What the compiled programs depend on beside their own text."""
    versions = [f"{package} {version(package)}" for package in ("jax", "jaxlib", "numpy")]
    flags = [f"{name} {text}" for name, text in sorted(XLA_FLAGS.items())]
    return [*versions, *flags, os.environ.get("XLA_FLAGS", ""), jax.default_backend()]


def declared(axis: Axis) -> list[str]:
    """What the axis says of itself and the laws read."""
    levels = [print_value(level) for level in axis.levels]
    said = (axis.name, axis.kind, axis.components, axis.asks, axis.context, print_value(axis.neutral), levels)
    return [repr(each) for each in said]


def facts_of(env: str, axis: Axis) -> list[str]:
    """What the laws find without running a program, computed afresh."""
    plain, neutral, varied = tasks_of(env, axis)
    facts = [str(plain.text), native.neutral_text(axis), *why_not_comparable(plain, varied, axis)]
    facts.append(repr(native.own_draws(plain, varied[-1], axis)))
    if not neutral:
        facts.append(repr(native.builds_alike(plain, axis)))
    return facts + [said for named in (*neutral, varied[-1]) for said in fed_by_itself(named, axis)]


def tasks_of(env: str, axis: Axis) -> tuple[NativeTask, list[NativeTask], list[NativeTask]]:
    """The plain task, the one at neutral where there is one, and one per level."""
    plain = native.in_context(env, axis)
    varied = [native.with_level(plain, axis, level) for level in axis.levels]
    if native.is_built(axis):
        return plain, [], varied
    return plain, [native.with_level(plain, axis, native.neutral_of(plain, axis))], varied


def why_not_comparable(plain: NativeTask, varied: list[NativeTask], axis: Axis) -> list[str]:
    return [laws.comparable(plain.task, each.task, axis.components) for each in varied]


def fed_by_itself(named: NativeTask, axis: Axis) -> list[str]:
    """What is found of the axis' channel without an env, where it is one."""
    fed = native.fed_with(named, axis)
    if fed is None:
        return ["not fed"]
    says = channels.not_neutral(fed), channels.alters_what_was_seen(fed), channels.wrong_chance(fed)
    return [repr(each) for each in says]


def programs_of(env: str, axis: Axis) -> Iterator[Program]:
    """The programs of the full pass, then those of the quick one."""
    plain, neutral, varied = tasks_of(env, axis)
    why_not = why_not_comparable(plain, varied, axis)
    if any(why_not):
        yield from followed(varied[-1], varied[-1:])
    else:
        yield from followed(plain, neutral + varied, starts="initial" in axis.components)
    yield from made_again(varied[-1].task)
    yield from followed(varied[-1] if why_not[-1] else plain, varied[-1:])
    yield Program(_reset_and_step, (beside_others(env, axis, varied[-1]), jax.random.key(0)))


def plain_run(env: str, axis: Axis) -> tuple[str, tuple[int, int], bool]:
    """The plain task's own run, with which the run at neutral is compared: its text, its size, its starts."""
    plain, neutral, varied = tasks_of(env, axis)
    return str(plain.text), native.extent([plain, *neutral, *varied]), "initial" in axis.components


@lru_cache(maxsize=64)  # most axes of an env have the same plain task
def digest_of_plain_run(text: str, size: tuple[int, int], starts: bool) -> bytes:
    plain = build_native(text)
    return b"".join(map(digest_of_program, followed(plain, [plain], size, starts)))


def followed(
    plain: NativeTask, varied: list[NativeTask], size: tuple[int, int] | None = None, starts: bool = False
) -> Iterator[Program]:
    """The programs of `native.traces_of` for the same arguments."""
    groups: dict[Any, list[NativeTask]] = {}
    for named in varied:
        shapes = tuple((jnp.shape(leaf), jnp.result_type(leaf)) for leaf in jax.tree.leaves(named.task))
        groups.setdefault((jax.tree.structure(named.task), shapes), []).append(named)
    seeds, steps = size or native.extent([plain, *varied])
    for members in groups.values():
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(named.task for named in members))
        names = [v.name for v in members[0].task.variations]
        kept = tuple(names.index(v.name) for v in plain.task.variations)
        yield Program(laws.follow_all, (plain.task, stacked, kept, *native.lanes(seeds), steps, starts))


def made_again(task: Task) -> Iterator[Program]:
    """The programs of `native.replay`: what it makes in plain Python are the same steps."""
    key = jax.random.key(0)
    yield Program(_key_of_step, (seed_words(0), jnp.int32(0), jnp.int32(0)))
    yield Program(_reset, (task, key))
    _, world = jax.eval_shape(loop.reset, task, key)
    space = loop.spaces(task)["action"]
    chosen = jax.eval_shape(lambda key: laws.sample(key, space), key)
    yield Program(_step, (task, key, world, chosen))
    yield Program(_start_after, (task, key, world))
    yield Program(_look, (task, key, world))


@jax.jit
def _key_of_step(words: Any, episode: Any, step: Any) -> jax.Array:
    return step_key(episode_key(root(words), episode), step)


def beside_others(env: str, axis: Axis, varied: NativeTask) -> Task:
    """A small crowd: the axis at its strongest beside the first axes of its env that stand at neutral.

    The quick pass may have run the axis in a larger one, of whatever was checked with it. How variations act
    beside one another is the core's matter, and a few of them show whether that is as it was.
    """
    if axis.kind == "structure" or axis.context:
        return varied.task
    plain = build_native(env)
    assert plain.text is not None, "its levels are numbers"
    others = [each for each in companions(env) if each.name != axis.name][: ENOUGH_FOR_A_CROWD - 1]
    settings = tuple(Setting(each.name, native.neutral_of(plain, each)) for each in others)
    return build_native(TaskText(plain.text.env, (*settings, Setting(axis.name, axis.levels[-1])))).task


@lru_cache(maxsize=8)
def companions(env: str) -> tuple[Axis, ...]:
    """The first axes of an env that may stand in a crowd: its own, and some that any task has."""
    own: list[Axis] = []
    for axis in variations(env):
        if axis.kind != "structure" and not axis.context and not does_it_apply(env, axis):
            own.append(axis)
        if len(own) == ENOUGH_FOR_A_CROWD:
            break
    return tuple(own)


def digest_of_program(program: Program) -> bytes:
    """Of a program's text, without the places in the source from which it came, and of its inputs."""
    digest = blake2b(digest_of_text(program), digest_size=16)
    for leaf in jax.tree.leaves(program.arguments):
        if isinstance(leaf, jax.ShapeDtypeStruct):
            continue  # told by the program's text
        numbers = np.asarray(jax.random.key_data(leaf) if is_key(leaf) else leaf)
        digest.update(f"{numbers.dtype} {numbers.shape}\0".encode() + numbers.tobytes())
    return digest.digest()


def digest_of_text(program: Program) -> bytes:
    lower: Callable[..., Any] = program.function.lower
    text: str = lower(*program.arguments).as_text()
    return blake2b(text.encode(), digest_size=16).digest()
