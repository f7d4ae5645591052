"""Large observations of a task that otherwise steps in plain Python: one compiled call, or none.

What depends on neither the draws of a step nor on many numbers of the state is drawn once and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.keys import seed_words
from assay.interop.native_env import Form, as_a_lane
from assay.interop.packing import as_outside, from_words
from assay.interop.single.flat import Program, Ref, flatten
from assay.interop.single.plan import Parts, Plan, key_from
from assay.interop.single.words import words_in

MOST_KEPT = 2**25  # bytes of pictures that one env keeps


@partial(jax.jit, static_argnames=("form", "parts", "read"))
def draw(leaves: Sequence[Any], row: jax.Array, form: Form, parts: Parts, read: tuple[int, ...]) -> jax.Array:
    """The observation of a moment; `row` holds keys and flags, and the numbers of the state that are read."""
    task, shapes = form.task(list(leaves)), jax.tree.leaves(parts.world)
    words = 4 if form.apart else 2
    seeds = jax.lax.bitcast_convert_type(row[:words], jnp.uint32)
    episode, step, terminated, truncated = row[words : words + 4]
    keyed = [seeds[:2], episode, step, *([seeds[2:]] if form.apart else [])]
    given, at, worlds = dict(zip(read, row[words + 4 :])), 0, []
    for shape in shapes:
        own = [given.get(i, jnp.int32(0)) for i in range(at, at + shape.size)]
        worlds.append(from_words(jnp.array(own, jnp.int32), shape))
        at += shape.size
    world = jax.tree.unflatten(jax.tree.structure(parts.world), worlds)
    ends = terminated.astype(bool), truncated.astype(bool)
    return as_a_lane(look_at)(task, key_from(keyed), world, *ends)


def look_at(task: Any, key: Any, world: Any, terminated: Any, truncated: Any) -> jax.Array:
    return loop.look(task, key, world, (terminated, truncated))[0]


class Pictures:
    """Draws the observations of one env."""

    def __init__(self, plan: Plan, form: Form):
        self._plan, self._form = plan, form
        shapes = jax.tree.leaves(plan.parts.world)
        program = trace(plan, form)
        read = read_by(program)
        self._keyed = program.is_keyed(program.outputs[0])
        first = len(program.inputs) - len(shapes) - 2
        numbers, at = [], 0
        for i, shape in enumerate(shapes):
            if program.inputs[first + i] in read:
                numbers += range(at, at + shape.size)
            at += shape.size
        self._read = tuple(numbers)
        self._reads_ends = any(number in read for number in program.inputs[-2:])
        self._seeds: list[int] = []
        self._kept: dict[tuple, np.ndarray] = {}

    def seed(self, seed: int, noise: int | None) -> None:
        self._seeds = [
            word for each in (seed, noise) if each is not None
            for word in seed_words(each).view(np.int32).tolist()
        ]  # fmt: skip

    def of(self, state: tuple, episode: int, step: int, ends: tuple[bool, bool] = (False, False)) -> np.ndarray:
        """A copy of the observation that belongs to a moment."""
        numbers = self._plan.numbers_of(state)
        seen = tuple([numbers[i] for i in self._read])
        if self._keyed:
            return self._draw(seen, episode, step, ends)
        key = (seen, ends) if self._reads_ends else seen
        picture = self._kept.get(key)
        if picture is None:
            picture = self._draw(seen, episode, step, ends)
            if (len(self._kept) + 1) * picture.nbytes > MOST_KEPT:
                self._kept.clear()
            self._kept[key] = picture
        return picture.copy()

    def _draw(self, seen: tuple, episode: int, step: int, ends: tuple[bool, bool]) -> np.ndarray:
        row = np.array([*self._seeds, episode, step, *ends, *words_in(seen)], np.int32)
        plan = self._plan
        picture = draw(plan.leaves, row, self._form, plan.parts, self._read)
        return as_outside(picture, plan.observation)


def trace(plan: Plan, form: Form) -> Program:
    """The program of an observation, to see what it reads."""
    parts, structure = plan.parts, jax.tree.structure(plan.parts.world)
    words, number = jax.ShapeDtypeStruct((2,), jnp.uint32), jax.ShapeDtypeStruct((), jnp.int32)
    flag = jax.ShapeDtypeStruct((), jnp.bool_)

    def see(fixed: list, keyed: list, late: list) -> list:
        world = jax.tree.unflatten(structure, late[:-2])
        return [look_at(form.task(fixed), key_from(keyed), world, *late[-2:])]

    keyed = [words, number, number, *([words] if form.apart else [])]
    leaves = [jax.ShapeDtypeStruct(np.shape(leaf), jnp.result_type(leaf)) for leaf in plan.leaves]
    return flatten(see, leaves, keyed, [*jax.tree.leaves(parts.world), flag, flag])


def read_by(program: Program) -> set[int]:
    """The numbers of all values that the outputs depend on."""
    read = {ref.number for ref in program.outputs if isinstance(ref, Ref)}
    for op in reversed(program.ops):
        if read.intersection(op.outs):
            read.update(ref.number for ref in op.ins if isinstance(ref, Ref))
    return read
