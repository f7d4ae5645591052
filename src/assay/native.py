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
from assay.core.space import Space
from assay.core.variation import Channel, Field, get
from assay.errors import NotApplicable
from assay.names import Setting, TaskText
from assay.tasks import Resolved, acting, clock_of, require_fit, require_own_names, resolve

# Module-level, so that all tasks of one structure share one compiled program.
_reset = jax.jit(loop.reset)
_step = jax.jit(loop.step)


@dataclass(frozen=True)
class Named:
    """A native task and, beside it, its text: inside, as static data, it would compile every level anew."""

    task: Task
    text: TaskText | None  # None where a level is traced and has no text

    def reset(self, key: jax.Array) -> tuple[Any, World]:
        """The first observation and world."""
        return _reset(self.task, key)

    def step(self, key: jax.Array, world: World, action: Any) -> Step:
        """One step; nothing is reset at an end."""
        return _step(self.task, key, world, action)

    @property
    def spaces(self) -> dict[str, Space]:
        return loop.spaces(self.task)

    def at(self, name: str, level: Any) -> Named:
        """The same task with one axis at another level, which may be traced."""
        if self.text is None:
            raise NotApplicable(
                f"set {name} before a traced level: a task with a traced level has no text to extend."
            )
        axis = axis_of(self.text.env, name)
        if not isinstance(level, jax.core.Tracer):
            kept = [s for s in self.text.settings if s.name != name]
            place = next((i for i, s in enumerate(self.text.settings) if s.name == name), len(kept))
            kept.insert(place, Setting(name, axis.typed(level)))
            return native(TaskText(self.text.env, tuple(kept)))
        if axis.kind == "structure":
            raise NotApplicable(
                f"{name} changes the task's structure, so its level cannot be traced; loop over it."
            )
        if name == "delay" and any(s.name == "gate" for s in self.text.settings):
            raise NotApplicable(
                "under gate=handout the delay is part of the gate and cannot be traced; loop over it."
            )
        placed = self.at(name, axis.levels[-1])
        variations = list(placed.task.variations)
        i = [each.name for each, _ in resolve(placed.text).moved].index(name)
        variations[i] = replace(variations[i], level=jnp.asarray(level, variations[i].level.dtype))
        return Named(replace(placed.task, variations=tuple(variations)), None)


def make_jax(text: str | TaskText, config: Any = None) -> Named:
    """A native task as pure functions: reset(key), step(key, world, action), at(name, level)."""
    return native(text, config)


def native(text: str | TaskText | Resolved, config: Any = None) -> Named:
    """The native task that a text names."""
    found = text if isinstance(text, Resolved) else resolve(text, config)
    if not found.entry.native:
        raise NotApplicable(
            f"{found.text.env} is hosted and has no jax functions; use assay.make or assay.make_vec."
        )
    others = {setting.name: setting for setting in found.text.settings}
    env = load(found.entry.build)(found.entry.params(**found.structure), others)
    variations = tuple(record_of(env, axis, setting, found) for axis, setting in found.moved)
    task = Task(env, variations)
    check_channels(task, found.text.env)
    return Named(task, found.text)


def record_of(env: Env, axis: Axis, setting: Setting, found: Resolved) -> Any:
    acts = acting(axis, setting, found)
    if acts is None:
        plain = get(env.params, axis.name)
        return Field(
            jnp.asarray(setting.value, plain.dtype), axis.name, axis.components,
            clock_of(setting.schedule), plain, axis.asks,
        )  # fmt: skip
    return replace(acts, level=as_leaf(acts.level), neutral=as_leaf(acts.neutral))


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
