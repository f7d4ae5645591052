"""Native tasks: pure jax functions with the task's text beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp

from assay.catalogue import axis_of, load
from assay.core import step as loop
from assay.core.axis import Axis
from assay.core.env import Env, Step, Task, World
from assay.core.events import EventReport
from assay.core.reports import reports
from assay.core.space import Space
from assay.core.variation import Channel, Field, HostRule, get
from assay.errors import NotApplicable
from assay.task_text import Setting, TaskText
from assay.tasks import Resolved, build_record, check_tied, clock_of, require_fit, require_own_names, resolve

# Module-level, so that all tasks of one structure share one compiled program.
_reset = jax.jit(loop.reset)
_step = jax.jit(loop.step)
_reports = jax.jit(reports)


@dataclass(frozen=True)
class NativeTask:
    """A native task and, beside it, its text: inside, as static data, it would compile every level anew."""

    task: Task
    text: TaskText | None  # None where a level is traced and has no text

    def reset(self, key: jax.Array) -> tuple[Any, World]:
        """The first observation and world."""
        return _reset(self.task, key)

    def step(self, key: jax.Array, world: World, action: Any) -> Step:
        """One step; nothing is reset at an end."""
        return _step(self.task, key, world, action)

    def events(self, key: jax.Array, world: World, action: Any) -> dict[str, EventReport]:
        """What variations report of the step that `step` makes of the same arguments, by name of the axis."""
        return _reports(self.task, key, world, action)

    @property
    def spaces(self) -> dict[str, Space]:
        return loop.spaces(self.task)

    def at(self, name: str, level: Any) -> NativeTask:
        """The same task with one axis at another level, which may be traced."""
        if self.text is None:
            raise NotApplicable(
                f"set {name} before a traced level: a task with a traced level has no text to extend."
            )
        axis = axis_of(self.text.env, name)
        if not isinstance(level, jax.core.Tracer):
            return build_native(with_setting(self.text, name, axis.to_level(level)))
        if axis.kind == "structure":
            raise NotApplicable(
                f"{name} changes the task's structure, so its level cannot be traced; loop over it."
            )
        check_tied(resolve(self.text), axis, "cannot be traced")
        placed = self.at(name, axis.levels[-1])
        assert placed.text is not None, "its level is a number"
        variations = list(placed.task.variations)
        i = [each.name for each, _ in resolve(placed.text).variation_settings].index(name)
        variations[i] = at_traced_level(variations[i], axis, level, self.task.variations)
        return NativeTask(replace(placed.task, variations=tuple(variations)), None)


def with_setting(text: TaskText, name: str, value: Any) -> TaskText:
    """The text with one setting at another value, in its place and on its schedule, or at the end."""
    moved = [replace(s, value=value) if s.name == name else s for s in text.settings]
    present = any(s.name == name for s in text.settings)
    return TaskText(text.env, tuple(moved if present else [*moved, Setting(name, value)]))


def at_traced_level(acts: Any, axis: Axis, level: jax.Array, before: tuple) -> Any:
    """A record at a level known only when the program runs: out of range it is poison, never a clamp."""
    dtype = acts.level.dtype
    if jnp.issubdtype(level.dtype, jnp.floating) and not jnp.issubdtype(dtype, jnp.floating):
        raise NotApplicable(f"{axis.name} takes {axis.takes()}, and the traced level is a {level.dtype}.")
    fits = jnp.bool_(True)
    if axis.low is not None:
        fits &= level >= axis.low
    if axis.high is not None:
        fits &= level <= axis.high
    if dtype != jnp.bool_:
        level = jnp.where(fits, level.astype(dtype), loop.poison(dtype))
    acts = replace(acts, level=level.astype(dtype))
    held = max([v.bound for v in before if v.name == acts.name and isinstance(v, Channel)], default=0)
    return replace(acts, bound=max(acts.bound, held)) if isinstance(acts, Channel) else acts


def make_jax(text: str | TaskText, config: Any = None) -> NativeTask:
    """A native task as pure functions: reset(key), step(key, world, action), at(name, level)."""
    return build_native(text, config)


def build_native(text: str | TaskText | Resolved, config: Any = None) -> NativeTask:
    """The native task that a text names."""
    if jax.config.jax_enable_x64:  # type: ignore[attr-defined]  # jax adds its flags to this class when it loads
        raise NotApplicable("native tasks are 32-bit, and jax_enable_x64 is on; turn it off.")
    resolved = text if isinstance(text, Resolved) else resolve(text, config)
    if not resolved.entry.native:
        raise NotApplicable(
            f"{resolved.text.env} is hosted and has no jax functions; use assay.make or assay.make_vec."
        )
    others = {setting.name: setting for setting in resolved.text.settings}
    env = load(resolved.entry.build)(resolved.settings, others)
    variations = tuple(
        record_of(env, axis, setting, resolved) for axis, setting in resolved.variation_settings
    )
    task = Task(env, variations)
    check_channels(task, resolved.text.env)
    return NativeTask(task, resolved.text)


def record_of(env: Env, axis: Axis, setting: Setting, resolved: Resolved) -> Any:
    acts = build_record(axis, setting, resolved)
    if acts is None or isinstance(acts, Field):
        plain = plain_value(env, axis.name if acts is None else acts.name, resolved)
        return Field(
            jnp.asarray(setting.value, plain.dtype), axis.name if acts is None else acts.name,
            axis.components, clock_of(setting.schedule) or (acts.clock if acts else None), plain, axis.asks,
        )  # fmt: skip
    if isinstance(acts, HostRule):
        raise NotApplicable(f"{acts.name} is a rule of a host, and {resolved.text.env} is native.")
    return replace(acts, level=as_leaf(acts.level), neutral=as_leaf(acts.neutral))


def plain_value(env: Env, path: str, resolved: Resolved) -> jax.Array:
    try:
        return get(env.params, path)
    except AttributeError:
        raise NotApplicable(f"the params of {resolved.text.env} have no field {path!r}.") from None


def as_leaf(level: Any) -> jax.Array:
    kinds = {bool: jnp.bool_, int: jnp.int32, float: jnp.float32}
    return jnp.asarray(level, kinds.get(type(level)))


def check_channels(task: Task, env: str) -> None:
    """Channels fit the spaces they meet, and no two variations draw under one name."""
    require_own_names(task.variations, env)
    spaces = dict(task.env.spaces(task.env.params))
    for v in task.variations:
        if isinstance(v, Channel):
            require_fit(v, spaces[v.components[0]], env)
            spaces[v.components[0]] = v.space(spaces[v.components[0]], v.bound)
