"""A native task's reset and step as two plain Python functions, made from their traced programs.

`make_plan` traces the same loop body that all other programs are compiled from, splits it into draws, which
are compiled and computed for many steps at once, and the rest, which becomes Python. What it makes is tried
against the compiled step before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice, product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.env import Task, World
from assay.core.keys import Keys, episode_key, root, step_key
from assay.core.space import Discrete
from assay.core.variation import Channel
from assay.interop.native_env import Form, any_play
from assay.interop.packing import LARGE
from assay.interop.single.draws import Draws
from assay.interop.single.flat import Early, Program, Unsupported, flatten
from assay.interop.single.graph import Graph
from assay.interop.single.late import Late, draw_name
from assay.interop.single.node import LIMITS, Node, same_value
from assay.interop.single.rules import kind_of
from assay.interop.single.source import Fusing, Source

MOST_WORDS = 192  # numbers of a state; larger states are left to the compiler
ROUNDS, WIDENED = 12, 4  # of finding the ranges of a state; from round WIDENED on they grow in leaps
MOST_FLOAT = float(np.finfo(np.float32).max)
MOST_WAYS = 32  # to round the sums of a step that are tried where it is not settled
MOST_STEPS = 2**29  # of an episode, and of a counter when one begins; beyond, steps are compiled ones


class Slot(NamedTuple):
    """What is known of one number of the state at all times."""

    kind: str
    value: Any = None  # where it never changes
    low: int = 0
    high: int = 0

    def takes(self, value: Any) -> bool:
        if self.value is not None:
            return value == self.value
        return self.kind == "f" or self.low <= value <= self.high


@dataclass(frozen=True, eq=False)
class Parts:
    """The programs of a task's form; tasks that differ in levels alone share them."""

    reset: Program
    step: Program
    world: Any  # the shapes of a `World`
    observed: bool  # whether observations are among the results; large ones are looked at apart
    sizes: tuple[int, ...]  # results of a step, by group, in arrays


@cache
def parts_of(form: Form, shapes: tuple) -> Parts:
    """Traces the programs of a form; `shapes` are those of the task's leaves."""
    leaves = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]
    world = jax.eval_shape(lambda fixed: any_play(form.task(fixed), form.apart), leaves).world
    worlds, tree = jax.tree.flatten(world)
    words = jax.ShapeDtypeStruct((2,), jnp.uint32)
    number = jax.ShapeDtypeStruct((), jnp.int32)
    keyed = [words, number, number, *([words] if form.apart else [])]
    spaces: dict = {}

    def observe_size(fixed: list) -> Any:
        task = form.task(fixed)
        spaces.update(loop.spaces(task))
        require_still_pictures(task, spaces["observation"].shape)
        return ()

    jax.eval_shape(observe_size, leaves)
    observed = int(np.prod(spaces["observation"].shape)) <= LARGE
    action = jax.ShapeDtypeStruct(spaces["action"].shape, jnp.dtype(spaces["action"].dtype))

    def reset(fixed: list, keyed: list, late: list) -> list:
        task, key = form.task(fixed), key_from(keyed)
        begun = loop.start_after(task, key, jax.tree.unflatten(tree, late))
        seen = ()
        if observed:
            seen, begun = loop.look(task, key, begun)
        return jax.tree.leaves((seen, form.watch(begun.state), begun))

    def step(fixed: list, keyed: list, late: list) -> list:
        task, key = form.task(fixed), key_from(keyed)
        program = loop.step if observed else loop.advance
        out = program(task, key, jax.tree.unflatten(tree, late[:-1]), late[-1])
        groups = (
            [out.reward, out.terminated, out.truncated, out.score, out.executed],
            jax.tree.leaves(out.observation), jax.tree.leaves(form.watch(out.state.state)),
            jax.tree.leaves(out.state),
        )  # fmt: skip
        sizes[:] = [len(group) for group in groups]
        return [value for group in groups for value in group]

    sizes: list[int] = []
    return Parts(
        flatten(reset, leaves, keyed, worlds), flatten(step, leaves, keyed, [*worlds, action]),
        world, observed, tuple(sizes),
    )  # fmt: skip


def key_from(keyed: Sequence[Any]) -> Any:
    """The key of a step from the words of the seed, the episode, the step and the words of a noise seed."""
    seed, episode, step, *noise = keyed
    key = step_key(episode_key(root(seed), episode), step)
    return Keys(key, step_key(episode_key(root(noise[0]), episode), step)) if noise else key


def require_still_pictures(task: Task, shape: tuple[int, ...]) -> None:
    """Large observations are drawn by a program apart, which remembers nothing."""
    if int(np.prod(shape)) <= LARGE:
        return
    for v, memory in zip(task.variations, loop.new_memory(task)):
        if isinstance(v, Channel) and v.components[0] == "observation" and jax.tree.leaves(memory):
            raise Unsupported(f"{v.name} remembers large observations")


class Half:
    """The late part of a reset or of a step, where the state is known as far as the slots say."""

    def __init__(self, program: Program, leaves: Sequence[np.ndarray], slots: Sequence[Slot], parts: Parts,
                 action: Any = None):  # fmt: skip
        self.graph, self.program = Graph(), program
        late, at = [], 0
        for shape in jax.tree.leaves(parts.world):
            late.append(self._given(shape.shape, slots[at : at + shape.size], at))
            at += shape.size
        if action is not None:
            late.append(self._action(action))
        self._late = Late(program, self.graph, leaves, late)
        values = [self._late.nodes(ref) for ref in program.outputs]
        worlds = len(jax.tree.leaves(parts.world))
        self.values, self.state = values[:-worlds], list_nodes(values[-worlds:])
        self.draws = sorted(self._late.draws)

    def _given(self, shape: tuple[int, ...], slots: Sequence[Slot], first: int) -> np.ndarray:
        nodes = np.empty(shape, object)
        for i, (place, slot) in enumerate(zip(np.ndindex(*shape), slots)):
            if slot.value is None:
                nodes[place] = self.graph.given(f"s{first + i}", slot.kind, slot.low, slot.high)
            else:
                nodes[place] = self.graph.const(slot.value, slot.kind, literal=False)
        return nodes

    def _action(self, space: Any) -> np.ndarray:
        nodes, kind = np.empty(space.shape, object), kind_of(space.dtype)
        counts = np.broadcast_to(getattr(space, "n", 0), space.shape)
        for i, place in enumerate(np.ndindex(*space.shape)):
            if isinstance(space, Discrete):
                ends = space.start, space.start + int(counts[place]) - 1
                nodes[place] = self.graph.given(f"a{i}", kind, *ends)
            else:
                # What is no number or infinite is refused; some envs take actions beyond their bounds.
                nodes[place] = self.graph.given(f"a{i}", kind, most=MOST_FLOAT)
        return nodes

    def draw_names(self) -> list[str]:
        avals = self.program.avals
        return [draw_name(number, i) for number in self.draws for i in range(avals[number].size)]

    def avals(self) -> list[Any]:
        return [self.program.avals[number] for number in self.draws]


@cache
def early_of(program: Program, wanted: tuple[int, ...]) -> Early | None:
    """The compiled half of a program, one object for the same draws: it is a static argument of jax."""
    return Early(program, wanted) if wanted else None


class Plan:
    """The functions of one task."""

    def __init__(self, task: Task, form: Form):
        self.leaves = jax.tree.leaves(task)
        self.shapes = tuple((jnp.shape(leaf), jnp.result_type(leaf)) for leaf in self.leaves)
        self.parts, self._arrays = (
            parts_of(form, self.shapes),
            [np.asarray(leaf, jnp.result_type(leaf)) for leaf in self.leaves],
        )
        self.action, self.observation = (loop.spaces(task)[name] for name in ("action", "observation"))
        self.slots = self._find_slots()
        self.moving = [i for i, slot in enumerate(self.slots) if slot.value is None]
        self._counting = [k for k, i in enumerate(self.moving) if i in self.counters]
        self._reset, self._step = self._halves(self.slots)
        self.step_source = Source(
            self._step.graph, [*list_nodes(self._step.values), *self._moving(self._step)]
        )
        self.reset_source = Source(
            self._reset.graph, [*list_nodes(self._reset.values), *self._moving(self._reset)]
        )
        if self.reset_source.sums:
            raise Unsupported("sums of products in a reset")
        self.reset: Callable = lambda *_: None
        self.step: Callable = lambda *_: None
        self.use(next(self.step_source.fusings()))

    def __deepcopy__(self, memo: Any) -> Plan:
        """Itself, since nothing changes it: a copy of an env shares it, and what was compiled for it."""
        return self

    def _halves(self, slots: Sequence[Slot]) -> tuple[Half, Half]:
        return (
            Half(self.parts.reset, self._arrays, slots, self.parts),
            Half(self.parts.step, self._arrays, slots, self.parts, self.action),
        )

    def _find_slots(self) -> list[Slot]:
        """What is known of each number of the state, wherever resets and steps lead from a blank state."""
        shapes = jax.tree.leaves(self.parts.world)
        kinds = [kind_of(shape.dtype) for shape in shapes for _ in range(shape.size)]
        if len(kinds) > MOST_WORDS:
            raise Unsupported(f"a state of {len(kinds)} numbers")
        slots = [Slot(kind, zero_of(kind)) for kind in kinds]
        free = [Slot(kind, None, *LIMITS.get(kind, (0, 0))) for kind in kinds]
        after = self._halves(free)[1].state
        self.counters = [i for i, node in enumerate(after) if is_counter(node, i)]
        for i in self.counters:
            slots[i] = Slot("i", None, 0, 2 * MOST_STEPS)
        for number in range(ROUNDS):
            grown = slots
            for half in self._halves(slots):
                grown = [
                    slot
                    if i in self.counters and is_counter(node, i)
                    else join(slot, node, leap=number >= WIDENED)
                    for i, (slot, node) in enumerate(zip(grown, half.state))
                ]
            if grown == slots:
                return slots
            slots = grown
        raise Unsupported("a state whose numbers have no ranges")

    def _moving(self, half: Half) -> list[Node]:
        return [half.state[i] for i in self.moving]

    def use(self, fusing: Fusing) -> None:
        """Writes the functions; `fusing` says which sums of a step swallow a product."""
        own = unpacking([f"s{i}" for i in self.moving], "state")
        half = self._reset
        opening = [*own, *unpacking(half.draw_names(), "draws")]
        observed = (
            len(half.values) - len(self._step.values) + 5 + self.parts.sizes[1] if self.parts.observed else 0
        )
        groups = [self._seen(half.values[:observed]), tuple(list_nodes(half.values[observed:])),
                  tuple(self._moving(half))]  # fmt: skip
        self.reset = self.reset_source.write("reset", "state, draws", opening, groups, {})
        half = self._step
        opening = [*own, *unpacking(half.draw_names(), "draws")]
        if self.action.shape:
            opening += unpacking([f"a{i}" for i in range(int(np.prod(self.action.shape)))], "a0")
        values, seen = half.values, 5 + self.parts.sizes[1]
        executed: Any = tuple(list_nodes(values[4:5])) if self.action.shape else values[4][()]
        groups = [*(value[()] for value in values[:4]), executed, self._seen(values[5:seen]),
                  tuple(list_nodes(values[seen:])), tuple(self._moving(half))]  # fmt: skip
        self._write_step = partial(self.step_source.write, "step", "state, draws, a0", opening, groups)
        self.step = self._write_step(fusing)
        ways = islice(product(*fusing.values()), MOST_WAYS + 1) if fusing else ()
        every: list[Fusing] = [{number: (place,) for number, place in zip(fusing, way)} for way in ways]
        self._ways = every if len(every) <= MOST_WAYS else []
        self._variants: list[Callable] = []

    def step_anyhow(self, state: tuple, draws: tuple, action: Any) -> tuple | None:
        """The step where `step` is undecided: what it gives whichever sums swallow products, else None."""
        if not self._variants:
            self._variants = [self._write_step(way) for way in self._ways]
        outcomes = [step(state, draws, action) for step in self._variants]
        alike = outcomes and all(repr(each) == repr(outcomes[0]) for each in outcomes)
        return outcomes[0] if alike else None

    def _seen(self, values: Sequence[np.ndarray]) -> Any:
        if not values:
            return ()
        return tuple(list_nodes(values)) if self.observation.shape else values[0][()]

    def draws(self) -> tuple[Draws, Draws]:
        """New draws for an env: of its resets and of its steps."""
        return tuple(
            Draws(early_of(half.program, tuple(half.draws)), self.leaves, half.avals(), half is self._reset)
            for half in (self._reset, self._step)
        )  # type: ignore[return-value]  # there are two

    def state_of(self, numbers: Sequence[Any]) -> tuple | None:
        """The numbers that change, of all numbers of a state; None where the plan was not made for it."""
        if not all(slot.takes(number) for slot, number in zip(self.slots, numbers)):
            return None
        return tuple(numbers[i] for i in self.moving)

    def counts_on(self, state: tuple) -> bool:
        """Whether all counters are so low that they stay in range for an episode."""
        return all(state[i] < MOST_STEPS for i in self._counting)

    def numbers_of(self, state: tuple) -> list[Any]:
        """All numbers of a state."""
        numbers = [slot.value for slot in self.slots]
        for i, number in zip(self.moving, state):
            numbers[i] = number
        return numbers

    def world_of(self, state: tuple) -> World:
        """The state as the compiled programs have it, in numpy."""
        numbers, at, leaves = self.numbers_of(state), 0, []
        for shape in jax.tree.leaves(self.parts.world):
            leaves.append(np.array(numbers[at : at + shape.size], shape.dtype).reshape(shape.shape))
            at += shape.size
        world: World = jax.tree.unflatten(jax.tree.structure(self.parts.world), leaves)
        return world

    def blank(self) -> list[Any]:
        """The numbers of the state before a life begins."""
        return [zero_of(slot.kind) for slot in self.slots]

    def numbers_in(self, world: World) -> list[Any]:
        return [number for leaf in jax.tree.leaves(world) for number in np.asarray(leaf).reshape(-1).tolist()]


def zero_of(kind: str) -> Any:
    return {"f": 0.0, "b": False}.get(kind, 0)


def unpacking(names: list[str], whole: str) -> list[str]:
    return [f"{', '.join(names)}, = {whole}"] if names else []


def list_nodes(arrays: Sequence[np.ndarray]) -> list[Node]:
    return [node for array in arrays for node in array.reshape(-1)]


def is_counter(node: Node, i: int) -> bool:
    """Whether a step adds 1 to this number of the state and does nothing else to it."""
    inner = node.args[0] if node.op == "wrap" else node
    if inner.op != "add" or node.kind != "i":
        return False
    a, b = inner.args
    return a.op == "given" and a.value == f"s{i}" and b.known and b.value == 1


def join(slot: Slot, node: Node, leap: bool) -> Slot:
    """What holds of a number that is as the slot says or as the node says."""
    if slot.value is not None:
        kept = Graph().const(slot.value, slot.kind)
        if node.known and same_value(kept, node):
            return slot
        low = high = 0 if slot.kind == "f" else int(slot.value)
        slot = Slot(slot.kind, None, low, high)
    if slot.kind == "f":
        return slot
    low, high = min(slot.low, node.low), max(slot.high, node.high)
    if leap:
        least, most = LIMITS[slot.kind]
        low = low if low == slot.low else (0 if low >= 0 else least)
        high = high if high == slot.high else most
    return Slot(slot.kind, None, low, high)
