"""Checks one axis of a native task: the measurements of `proof/laws/native.py` turned into a certificate."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.axis import Axis
from assay.core.env import Task
from assay.core.keys import episode_key, root_of, seed_words, step_key
from assay.core.randomness import draws
from assay.core.space import require_numbers
from assay.core.streams import number_of
from assay.core.variation import Channel, get
from assay.native import NativeTask, build_native
from assay.proof.certificate import Certificate, Law, code_digest
from assay.proof.checker import Checker, QuickRun
from assay.proof.laws import native as laws
from assay.proof.laws.channels import Fed, can_be_fed
from assay.proof.touched_laws import (
    exact_components,
    is_felt,
    leaves_alone,
    own_chance,
    record_name,
    stays_neutral,
)
from assay.task_text import Setting, TaskText, print_value

SEEDS, STEPS = 16, 256
SEEDS_OF_PICTURES, STEPS_OF_PICTURES = 4, 40  # a frame costs as much as a hundred steps without one
PICTURE = 1000  # entries from which an observation counts as one
# Of a picture's bytes: one that was a float a moment before falls on either side of a whole number.
MOST_PIXELS = 0.01
BY_HAND = 20  # steps compared between compiled and plain Python


def check(env: str, axis: Axis) -> tuple[Certificate, laws.Trace]:
    """The certificate of an axis on an env, and its strongest run."""
    plain = in_context(env, axis)
    varied = [with_level(plain, axis, level) for level in axis.levels]
    why_not = next(filter(None, (laws.comparable(plain.task, v.task, axis.components) for v in varied)), "")
    neutral = [] if is_built(axis) else [with_level(plain, axis, neutral_of(plain, axis))]
    if why_not:
        traces = traces_of(varied[-1], varied[-1:])
    else:
        traces = traces_of(plain, neutral + varied, starts="initial" in axis.components)
    judged = int(np.prod(traces[-1].reward.shape))
    is_neutral = neutral_is_plain(plain, traces.pop(0)) if neutral else builds_alike(plain, axis)
    shares = {} if why_not else shares_of(traces)
    exact = Law(None, why_not) if why_not else exact_components(axis, shares, judged)
    far = fed_with(varied[-1], axis)
    results = {
        f"level {neutral_text(axis)} identical": stays_neutral(is_neutral, fed_with(neutral[0], axis))
        if neutral
        else is_neutral,
        "felt": Law(None, why_not) if why_not else is_felt(axis, shares),
        "nothing else touched": leaves_alone(exact, far),
        "seeds differ": own_chance(seeds_differ(traces[-1]), far),
        "draws its own": own_draws(plain, varied[-1], axis),
        "jit, vmap and Python agree": agrees_by_hand(varied[-1].task, traces[-1]),
    }
    certificate = Certificate(
        axis.name, str(plain.text), axis.components, tuple(print_value(level) for level in axis.levels),
        shares, judged, results, code_digest(env, axis), versions(),
    )  # fmt: skip
    return certificate, traces[-1]


def check_quickly(env: str, axis: Axis) -> QuickRun:
    """What the axis touches at its strongest level, and that run; in a program of its own."""
    plain = in_context(env, axis)
    varied = with_level(plain, axis, axis.levels[-1])
    reference = varied if laws.comparable(plain.task, varied.task, axis.components) else plain
    trace = traces_of(reference, [varied])[0]
    return QuickRun(set(shares_of([trace])), trace)


def check_in_crowd(env: str, axes: list[Axis]) -> dict[str, QuickRun]:
    """The same for many axes in one program: all at neutral, one moved at a time, as `examine` runs them."""
    plain = build_native(env)
    settings = tuple(Setting(axis.name, neutral_of(plain, axis)) for axis in axes)
    assert plain.text is not None, "its levels are numbers"
    crowd = build_native(TaskText(plain.text.env, settings))
    moved = [crowd.at(axis.name, axis.levels[-1]) for axis in axes]
    traces = traces_of(plain, moved)
    return {axis.name: QuickRun(set(shares_of([trace])), trace) for axis, trace in zip(axes, traces)}


def in_context(env: str, axis: Axis) -> NativeTask:
    """The plain task on which the axis acts."""
    return build_native(env + (f"+{axis.context}" if axis.context else ""))


def is_built(axis: Axis) -> bool:
    """A structure that the family's `build` receives, which is no variation record."""
    return axis.kind == "structure" and axis.acts is None


def build(env: str, axis: Axis) -> NativeTask:
    """The task with the axis at its strongest level."""
    return with_level(in_context(env, axis), axis, axis.levels[-1])


def with_level(plain: NativeTask, axis: Axis, level: Any) -> NativeTask:
    assert plain.text is not None, "its levels are numbers"
    settings = tuple(s for s in plain.text.settings if s.name != axis.name)
    return build_native(TaskText(plain.text.env, settings + (Setting(axis.name, level),)))


@cache
def lanes(seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """Seed words and scripts: every seed under every script."""
    words = np.stack([seed_words(seed) for seed in range(seeds) for _ in laws.SCRIPTS])
    return words, np.tile(np.arange(len(laws.SCRIPTS)), seeds)


def extent(tasks: list[NativeTask]) -> tuple[int, int]:
    """How many seeds are followed, and for how many steps."""
    largest = max(np.prod(named.spaces["observation"].shape) for named in tasks)
    return (SEEDS_OF_PICTURES, STEPS_OF_PICTURES) if largest > PICTURE else (SEEDS, STEPS)


def fed_with(named: NativeTask, axis: Axis) -> Fed | None:
    """The axis' channel and its space, where it is a channel that can be fed by itself."""
    spaces = dict(named.task.env.spaces(named.task.env.params))
    for v in named.task.variations:
        if not isinstance(v, Channel):
            continue
        space = spaces[v.components[0]]
        if v.name == record_name(axis) and can_be_fed(v, space):
            return Fed(replace(v, level=np.asarray(v.level).item()), space, np, plain_numbers=False)
        spaces[v.components[0]] = v.space(space, v.bound)
    return None


def traces_of(
    plain: NativeTask, varied: list[NativeTask], size: tuple[int, int] | None = None, starts: bool = False
) -> list[laws.Trace]:
    """A trace per task; those of one structure and shape are followed by one program."""
    groups: dict[Any, list[int]] = {}
    for i, named in enumerate(varied):
        shapes = tuple((jnp.shape(leaf), jnp.result_type(leaf)) for leaf in jax.tree.leaves(named.task))
        groups.setdefault((jax.tree.structure(named.task), shapes), []).append(i)
    traces: dict[int, laws.Trace] = {}
    seeds, steps = size or extent([plain, *varied])
    for members in groups.values():
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(varied[i].task for i in members))
        names = [v.name for v in varied[members[0]].task.variations]
        kept = tuple(names.index(v.name) for v in plain.task.variations)
        traced = jax.device_get(laws.follow_all(plain.task, stacked, kept, *lanes(seeds), steps, starts))
        traces |= {i: jax.tree.map(lambda leaf, k=k: leaf[k], traced) for k, i in enumerate(members)}
    return [traces[i] for i in range(len(varied))]


def shares_of(traces: list[laws.Trace]) -> dict[str, list[float]]:
    """Component -> the share of steps that touched it, one number per level; those never touched left out."""
    shares = {name: [float(np.mean(t.touched[name])) for t in traces] for name in traces[0].touched}
    return {name: values for name, values in shares.items() if any(values)}


def neutral_of(plain: NativeTask, axis: Axis) -> Any:
    """The level that changes nothing: declared, or for a field of the params the plain task's own value."""
    return get(plain.task.env.params, axis.name).item() if axis.acts is None else axis.neutral


def neutral_text(axis: Axis) -> str:
    return (
        "of the plain task" if axis.acts is None and axis.kind != "structure" else print_value(axis.neutral)
    )


def neutral_is_plain(plain: NativeTask, trace: laws.Trace) -> Law:
    """At neutral nothing is touched, and the run equals that of the plain task's own program."""
    lanes_followed, steps = trace.reward.shape
    size = lanes_followed // len(laws.SCRIPTS), steps
    own = own_trace(str(plain.text), size, "start" in trace.touched)
    touched = [name for name, marks in trace.touched.items() if np.any(marks)]
    if touched:
        return Law(False, f"touches {', '.join(touched)}")
    pairs = zip(jax.tree.leaves(trace), jax.tree.leaves(own), strict=True)
    return Law(all(a.tobytes() == b.tobytes() for a, b in pairs))


@lru_cache(maxsize=2)  # most axes of an env have the same plain task; pictures make a trace large
def own_trace(text: str, size: tuple[int, int], starts: bool) -> laws.Trace:
    """The plain task's own run, over as many seeds and steps as it is compared with."""
    plain = build_native(text)
    return traces_of(plain, [plain], size, starts)[0]


def builds_alike(plain: NativeTask, axis: Axis) -> Law:
    """A structure at neutral builds the plain env: the same functions and the same tables, bit for bit."""
    if axis.neutral == ():
        return Law(None, "a given table has no neutral")
    at_neutral = with_level(plain, axis, axis.neutral).task
    before: Any = jax.tree.structure(plain.task)
    if jax.tree.structure(at_neutral) != before:
        return Law(False, "another structure")
    pairs = zip(jax.tree.leaves(at_neutral), jax.tree.leaves(plain.task), strict=True)
    return Law(all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs))


def seeds_differ(trace: laws.Trace) -> Law:
    """Another seed is another run: of the even seeds, which all hold one action, not all meet the same."""
    hold = laws.SCRIPTS.index("hold")
    seeds = len(trace.reward) // len(laws.SCRIPTS)
    lanes_held = [seed * len(laws.SCRIPTS) + hold for seed in range(0, seeds, 2)]
    met = (trace.first, trace.observation, trace.reward, trace.terminated, trace.truncated)
    runs = {b"".join(leaf[lane].tobytes() for leaf in jax.tree.leaves(met)) for lane in lanes_held}
    return Law(len(runs) > 1, f"{len(lanes_held)} seeds, {len(runs)} different runs")


def reset_and_step(task: Task, key: jax.Array) -> Any:
    world = loop.reset(task, key)[1]
    space = require_numbers(loop.spaces(task)["action"])
    return loop.step(task, key, world, jnp.full(space.shape, space.zero, space.dtype))


def own_draws(plain: NativeTask, varied: NativeTask, axis: Axis) -> Law:
    """The varied program makes the plain one's draws and, beyond them, only draws of the axis' streams."""
    if is_built(axis):
        return Law(None, "the env is built anew")
    key = jax.random.key(0)
    before, after = draws(reset_and_step, plain.task, key), draws(reset_and_step, varied.task, key)
    missing = before - after
    own = {number_of(v.name) for v in varied.task.variations} - {
        number_of(v.name) for v in plain.task.variations
    }
    own |= {number_of(f"{v.name}@clock") for v in varied.task.variations}
    foreign = [path for path in (after - before) if not own & set(path)]
    if missing or foreign:
        return Law(False, "shifts draws that are not its own" if missing else "draws from another's stream")
    return Law(True)


def agrees_by_hand(task: Task, trace: laws.Trace) -> Law:
    """The same steps in plain Python and compiled alone, against the lane compiled under vmap."""
    by_hand = replay(task, trace, partial(loop.step, task), partial(loop.reset, task), by_hand=True)
    alone = replay(
        task, trace, partial(jax.jit(loop.step), task), partial(jax.jit(loop.reset), task), by_hand=False
    )
    for way, rows in (("Python", by_hand), ("jit", alone)):
        for name, mine, theirs in rows:
            if not same_enough(mine, theirs):
                return Law(False, f"{name} under vmap is not that of {way}")
    return Law(True, f"{BY_HAND} steps")


def replay(task: Task, trace: laws.Trace, step: Any, reset: Any, by_hand: bool) -> list[tuple[str, Any, Any]]:
    """Lane 0's chosen actions once more, step by step: (what, value now, value in the trace)."""
    seed, episode, rows = root_of(0), 0, []
    with jax.disable_jit(by_hand):
        seen, world = reset(step_key(episode_key(seed, 0), 0))
        rows.append(("the first observation", seen, row(trace.first, 0)))
        for t in range(BY_HAND):
            key = step_key(episode_key(seed, episode), world.time + 1)
            out = step(key, world, jnp.asarray(row(trace.chosen, t)))
            for name in ("observation", "reward", "score", "terminated", "truncated", "executed"):
                rows.append((name, getattr(out, name), row(getattr(trace, name), t)))
            rows.append(("the state", out.state.state, row(trace.state, t)))
            world = out.state
            if out.terminated or out.truncated:
                episode += 1
                world = loop.start_after(task, step_key(episode_key(seed, episode), 0), world)
                _, world = loop.look(task, step_key(episode_key(seed, episode), 0), world)
    return rows


def row(tree: Any, t: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[0, t], tree)


def same_enough(mine: Any, theirs: Any) -> bool:
    """Whole numbers equal; floats to 1e-6, for a sum may be added up in another order; pictures nearly."""
    for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype == np.uint8 and a.size > PICTURE:
            if np.mean(a != b) > MOST_PIXELS:
                return False
            continue
        floats = a.dtype.kind == "f"
        if not (np.allclose(a, b, rtol=1e-6, atol=1e-6, equal_nan=True) if floats else np.array_equal(a, b)):
            return False
    return True


def versions() -> dict[str, str]:
    return {"jax": jax.__version__, "numpy": np.__version__}


CHECKER = Checker(build, check, check_quickly, check_in_crowd)
