"""What an env is: a params record and six pure functions. Env, Task, World and Step, all pytrees.

Levels are leaves and functions are structure: tasks of one structure stack, vmap and share a program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, dataclass_transform

import jax

from assay.core import clock, concepts, variation
from assay.core.pytree import register, type_and_kinds
from assay.core.variation import static

R = TypeVar("R")


@dataclass_transform(frozen_default=True)
def record(cls: type[R]) -> type[R]:
    """Makes a class a frozen dataclass that is a pytree."""
    return register(dataclass(frozen=True)(cls))


@dataclass_transform(frozen_default=True)
def holder(cls: type[R]) -> type[R]:
    """Makes a class a record that may hold other people's records; its structure tells their types too."""
    return register(dataclass(frozen=True)(cls), type_and_kinds)


for plain_dataclass in (
    variation.Field,
    variation.Inner,
    variation.Channel,
    variation.HostRule,
    clock.Sudden,
    clock.Cyclic,
    clock.Ramp,
    clock.Random,
    clock.Counting,
    clock.Uniform,
    clock.LogUniform,
    clock.Choice,
    concepts.Window,
    concepts.Turn,
):
    register(plain_dataclass)


def keep_action(key: jax.Array, params: Any, state: Any, action: jax.Array) -> jax.Array:
    return action


def no_scene(key: jax.Array, params: Any, state: Any, before: Any) -> None:
    return None


@holder
class Env:
    """The six components are functions at module level: a closure would compile anew each time."""

    params: Any  # the plain params; a variation never overwrites them
    initial: Callable[..., Any] = static()  # key, params -> state
    transition: Callable[..., Any] = static()  # key, params, state, action -> state after
    reward: Callable[..., Any] = static()  # key, params, state, action, state after -> () float32
    observation: Callable[..., Any] = static()  # key, params, state -> what the agent sees
    terminal: Callable[..., Any] = static()  # params, state -> () bool
    horizon: Callable[..., Any] = static()  # params -> () int32, the only source of truncation
    spaces: Callable[..., Any] = static()  # params -> Space of "action", "reward" and "observation"
    action: Callable[..., Any] = static(
        keep_action
    )  # key, params, state, action chosen -> the action that reaches the env
    # What pictures remember and nothing else reads, part of the observation component: of a new episode where
    # `before` is None, else one step after it. An env that has one is observed by key, params, state, scene.
    scene: Callable[..., Any] = static(no_scene)  # key, params, state, scene before -> scene


@holder
class Task:
    """An env and its variations, in the order in which they act."""

    env: Env
    variations: tuple[Any, ...] = ()


@record
class World:
    """All that changes while a task is played."""

    state: Any
    memory: tuple[Any, ...]  # one entry per variation, renewed at reset unless its channel lasts
    clocks: tuple[Any, ...]  # one entry per variation; those that count a life or episodes outlast a reset
    time: jax.Array  # () int32, steps in this episode
    life: jax.Array  # () int32, steps since the first reset
    scene: Any = None  # what pictures remember, where the env has such a thing; no part of the latent state


class Step(NamedTuple):
    observation: Any  # of the state reached, so the true last one at an end; a reset does not overwrite it
    state: World
    reward: jax.Array  # () float32, what the agent is paid
    terminated: jax.Array  # () bool
    truncated: jax.Array  # () bool, never together with terminated
    score: jax.Array  # () float32, what the unmodified reward pays: the recorded score
    executed: jax.Array  # the action that reached the env
