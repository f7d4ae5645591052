"""Large observations of a task that otherwise steps in plain Python: one compiled call, or none.

What depends on neither the draws of a step nor on many numbers of the state is drawn once and kept. Draws are
computed for many steps at once where the rest are whole numbers; else one program does all, beside its twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.keys import seed_words
from assay.interop.native_env import Form, as_a_lane
from assay.interop.packing import as_outside, from_words
from assay.interop.single.draws import Draws
from assay.interop.single.flat import Program, Ref, Rest, flatten
from assay.interop.single.plan import Parts, Plan, early_of, key_from
from assay.interop.single.words import words_in

MOST_KEPT = 2**25  # bytes of pictures that one env keeps
MOST_DRAWS = 64  # numbers of one draw that is computed ahead


@partial(jax.jit, static_argnames=("sight",))
def draw(leaves: Sequence[Any], row: jax.Array, sight: Sight) -> jax.Array:
    """The observation of a moment: of its draws, or of its keys where they are not known yet."""
    avals = [sight.program.avals[number] for number in sight.rest.draws]
    draws, at = read_words(row, avals if sight.ahead else sight.keyed_avals)
    late = sight.put_in(row[at:])
    if sight.ahead:
        return sight.rest(sight.all_leaves(leaves), draws, late)[0]
    world = jax.tree.unflatten(jax.tree.structure(sight.parts.world), late[:-2])
    return as_a_lane(look_at)(sight.form.task(list(leaves)), key_from(draws), world, *late[-2:])


def read_words(row: jax.Array, avals: Sequence[Any]) -> tuple[list[jax.Array], int]:
    """The arrays at the beginning of a row of words, and where they end."""
    arrays, at = [], 0
    for aval in avals:
        arrays.append(from_words(row[at : at + aval.size], aval))
        at += aval.size
    return arrays, at


def look_at(task: Any, key: Any, world: Any, terminated: Any, truncated: Any) -> jax.Array:
    return loop.look(task, key, world, (terminated, truncated))[0]


class Sight:
    """How the observations of a form of tasks are drawn, and what they read."""

    def __init__(self, parts: Parts, form: Form, shapes: tuple):
        self.parts, self.form = parts, form
        words, number = jax.ShapeDtypeStruct((2,), jnp.uint32), jax.ShapeDtypeStruct((), jnp.int32)
        flag = jax.ShapeDtypeStruct((), jnp.bool_)
        self.keyed_avals = [words, number, number, *([words] if form.apart else [])]
        self._late_avals = [*jax.tree.leaves(parts.world), flag, flag]
        leaves = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]

        def see(fixed: list, keyed: list, late: list) -> list:
            world = jax.tree.unflatten(jax.tree.structure(parts.world), late[:-2])
            return [look_at(form.task(fixed), key_from(keyed), world, *late[-2:])]

        # Loops stay loops: opened, their parts are computed again for every pixel.
        self.program = flatten(see, leaves, self.keyed_avals, self._late_avals, loops=False)
        self.rest = Rest(self.program, [self.program.outputs[0].number], MOST_DRAWS)
        self.is_keyed = self.program.is_keyed(self.program.outputs[0])
        self.ahead = self.rest.counts_alone()
        self.read = tuple(self._find_read())
        self._count = len(leaves)
        read = read_by(self.program)
        self.leaves = [i for i, number in enumerate(self.program.inputs[: self._count]) if number in read]

    def __deepcopy__(self, memo: Any) -> Sight:
        """Itself, since nothing changes it: a copy of an env shares it, and what was compiled for it."""
        return self

    def _find_read(self) -> list[int]:
        """Which of the late numbers the observation depends on: those of the state, then the two ends."""
        read, at = read_by(self.program), 0
        numbers: list[int] = []
        for number, aval in zip(self.program.inputs[-len(self._late_avals) :], self._late_avals):
            if number in read:
                numbers += range(at, at + aval.size)
            at += aval.size
        return numbers

    def all_leaves(self, read: Sequence[Any]) -> list[Any]:
        """The leaves that are read in their places, nothing in the others."""
        leaves: list[Any] = [None] * self._count
        for i, leaf in zip(self.leaves, read):
            leaves[i] = leaf
        return leaves

    def put_in(self, row: jax.Array) -> list[jax.Array]:
        """All late arrays from the words of those numbers that are read, zeros for the others."""
        given, at, arrays = dict(zip(self.read, row)), 0, []
        for aval in self._late_avals:
            own = [given.get(i, jnp.int32(0)) for i in range(at, at + aval.size)]
            arrays.append(from_words(jnp.array(own, jnp.int32), aval))
            at += aval.size
        return arrays


@cache
def sight_of(parts: Parts, form: Form, shapes: tuple) -> Sight:
    return Sight(parts, form, shapes)


def read_by(program: Program) -> set[int]:
    """The numbers of all values that the outputs depend on."""
    read = {ref.number for ref in program.outputs if isinstance(ref, Ref)}
    for op in reversed(program.ops):
        if read.intersection(op.outs):
            read.update(ref.number for ref in op.ins if isinstance(ref, Ref))
    return read


class Pictures:
    """Draws the observations of one env."""

    def __init__(self, plan: Plan, form: Form):
        self._plan = plan
        self._sight = sight = sight_of(plan.parts, form, plan.shapes)
        avals = [sight.program.avals[number] for number in sight.rest.draws]
        early = early_of(sight.program, tuple(sight.rest.draws)) if sight.ahead else None
        self._draws = Draws(early, plan.leaves, avals, from_step=0, raw=True)
        self._leaves = [plan.leaves[i] for i in sight.leaves] if sight.ahead else plan.leaves
        self._seeds: list[int] = []
        self._kept: dict[tuple, np.ndarray] = {}

    def seed(self, seed: int, noise: int | None) -> None:
        given = [each for each in (seed, noise) if each is not None]
        self._seeds = [word for each in given for word in seed_words(each).view(np.int32).tolist()]
        self._draws.seed(seed, noise)

    def begin(self, episode: int, length: int = 0) -> None:
        """The next observations are of this episode; the one before had `length` steps."""
        self._episode = episode
        self._draws.begin(episode, length)

    def of(self, state: tuple, step: int, ends: tuple[bool, bool] = (False, False)) -> np.ndarray:
        """A copy of the observation that belongs to a moment."""
        numbers = [*self._plan.numbers_of(state), *ends]
        seen = tuple([numbers[i] for i in self._sight.read])
        if self._sight.is_keyed:
            return self._draw(seen, step)
        picture = self._kept.get(seen)
        if picture is None:
            picture = self._draw(seen, step)
            if (len(self._kept) + 1) * picture.nbytes > MOST_KEPT:
                self._kept.clear()
            self._kept[seen] = picture
        return picture.copy()

    def _draw(self, seen: tuple, step: int) -> np.ndarray:
        if self._sight.ahead:
            first: Sequence[int] = self._draws.at(step)
        else:
            first = [*self._seeds[:2], self._episode, step, *self._seeds[2:]]
        row = np.array([*first, *words_in(seen)], np.int32)
        return as_outside(draw(self._leaves, row, self._sight), self._plan.observation)
