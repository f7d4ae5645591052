"""reset, step, autoreset: the only loop body. Training, evaluation, checking and play all call it.

A step is five parts in this order: act, move, finish, pay, look. `laws.py` calls the same parts one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from assay.core.clock import (
    Episodes,
    begin_episode,
    clock_memory,
    counts_episodes,
    draw_level,
    draws_at_reset,
    is_drawn,
    now,
    outlasts_episodes,
    tick,
    ticks,
)
from assay.core.env import Step, Task, World
from assay.core.keys import Key, Keys, of_game, of_noise, stream
from assay.core.space import Space
from assay.core.variation import Channel, Field, Inner, put

# Keeps one component's compilation from changing another's bits: without it XLA contracts `a*b + c`
# differently when a product gains a second reader, and an observation-only variation moves rewards by a bit.
fence: Callable[[Any], Any] = jax.lax.optimization_barrier

SMALL = 64  # draws up to this size are fenced too, so that noise has the same bits alone and in a batch

Ends = tuple[Any, Any]  # terminated, truncated
NOT_YET: Ends = (False, False)
# Called for every channel with: level, memory before, draw, value before, value after, ends, space.
Note = Callable[..., None] | None


def spaces(task: Task) -> dict[str, Space]:
    """The task's spaces as the agent meets them, after every channel."""
    by_component = dict(task.env.spaces(task.env.params))
    for v in task.variations:
        if isinstance(v, Channel):
            by_component[v.components[0]] = v.space(by_component[v.components[0]], v.bound)
    return by_component


def level_now(task: Task, world: World, i: int) -> Any:
    return now(jnp, task.variations[i], world.clocks[i], world.time, world.life)


def vary_component(
    task: Task, world: World, name: str, asks_only: bool = False, key: Key | None = None
) -> tuple[Callable[..., Any], Any]:
    """A component and the params as they are varied now; inner variations in the order written.

    A component that draws is called with `stream(of_noise(key), name)`. Where noise has a key of its own, the
    env's own function gets that of the game in place of it.
    """
    params, function = task.env.params, getattr(task.env, name)
    if isinstance(key, Keys):
        function = partial(call_with_key, function, stream(key.game, name))
    for i, v in enumerate(task.variations):
        if asks_only and not v.asks:
            continue
        if isinstance(v, Field):
            params = put(params, v.name, level_now(task, world, i))
        if isinstance(v, Inner) and name in v.components:
            function = partial(v.apply, function, level_now(task, world, i))
    return function, params


def call_with_key(function: Callable[..., Any], own: jax.Array, key: jax.Array, *arguments: Any) -> Any:
    """The function with its own key in place of the one that is passed."""
    return function(own, *arguments)


def pass_channels(
    task: Task, name: str, key: Key, world: World, value: Any, ends: Ends = NOT_YET, note: Note = None
) -> tuple[World, Any]:
    """Passes a value through the channels of one component."""
    space, memory = task.env.spaces(task.env.params)[name], list(world.memory)
    for i, v in enumerate(task.variations):
        if isinstance(v, Channel) and v.components[0] == name:
            wanted = v.draw(space, v.bound)
            draw = draw_from(stream(of_noise(key), v.name), *wanted) if wanted else ()
            if wanted and prod(wanted[1]) <= SMALL:
                draw = fence(draw)
            level, before = level_now(task, world, i), (memory[i], draw, value)
            memory[i], value = v.apply(jnp, level, *before, ends, space)
            if note is not None:
                note(v, level, *before, value, ends, space)
            space = v.space(space, v.bound)
    return replace(world, memory=tuple(memory)), value


def draw_from(key: jax.Array, kind: str, shape: tuple[int, ...]) -> jax.Array:
    return {"uniform": jax.random.uniform, "normal": jax.random.normal}[kind](key, shape)


def start(
    task: Task,
    key: Key,
    life: Any = 0,
    clocks: tuple[Any, ...] | None = None,
    memory: tuple[Any, ...] | None = None,
) -> World:
    """A new episode's world. `life`, `clocks` and `memory` come from the one before, for what outlasts it."""
    fresh = tuple(clock_memory(v) for v in task.variations)
    if clocks is not None:
        outlast = [outlasts_episodes(v) for v in task.variations]
        fresh = tuple(old if stays else new for old, new, stays in zip(clocks, fresh, outlast))
    remembered = new_memory(task) if memory is None else keep_memory(task, life, memory)
    fresh = tuple(wind(v, key, entry, life) for v, entry in zip(task.variations, fresh))
    clocks_now = tuple(jax.tree.map(jnp.asarray, entry) for entry in fresh)
    world = World(None, remembered, clocks_now, jnp.int32(0), jnp.asarray(life, jnp.int32))
    initial, params = vary_component(task, world, "initial", key=key)
    world = replace(world, state=initial(stream(of_noise(key), "initial"), params))
    return replace(world, scene=stage_pictures(task, key, world))


def start_after(task: Task, key: Key, before: World) -> World:
    """The world of the episode that follows `before` in the same life."""
    return start(task, key, before.life, before.clocks, before.memory)


def new_memory(task: Task) -> tuple[Any, ...]:
    """What the channels remember at the beginning, one entry per variation."""
    space, memory = dict(task.env.spaces(task.env.params)), []
    for v in task.variations:
        memory.append(v.memory(jnp, space[v.components[0]], v.bound) if isinstance(v, Channel) else ())
        if isinstance(v, Channel):
            space[v.components[0]] = v.space(space[v.components[0]], v.bound)
    return tuple(memory)


def keep_memory(task: Task, life: Any, before: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same, with the memory before where it lasts; a life without a step has nothing to keep."""
    memory = list(new_memory(task))
    for i, v in enumerate(task.variations):
        if isinstance(v, Channel) and v.lasts:
            memory[i] = jax.tree.map(partial(jnp.where, jnp.asarray(life) > 0), before[i], memory[i])
    return tuple(memory)


def stage_pictures(task: Task, key: Key, world: World, before: Any = None) -> Any:
    """What pictures remember in this world: of a new episode, or one step after `before`."""
    _, params = vary_component(task, world, "observation")
    return task.env.scene(stream(of_game(key), "scene"), params, world.state, before)


def in_sight(world: World) -> tuple[Any, ...]:
    """What an observation is made of: the state, and the scene where the env has one."""
    return (world.state,) if world.scene is None else (world.state, world.scene)


def wind(variation: Any, key: Key, memory: Any, life: Any) -> Any:
    """What a clock remembers in an episode that begins; a draw is fenced, for all components read it."""
    if not (is_drawn(variation) or counts_episodes(variation)):
        return memory
    draw: Any = None
    if draws_at_reset(variation):
        draw = jax.random.uniform(stream(of_noise(key), f"{variation.name}@clock"))
    if is_drawn(variation):
        return fence(draw_level(jnp, variation, draw))
    lived = jnp.asarray(life) > 0  # a life without a step has nothing to count
    before = Episodes(jnp.where(lived, memory.begun, jnp.int32(0)), lived & memory.on)
    return fence(begin_episode(variation, before, draw))


def act(task: Task, key: Key, world: World, chosen: Any, note: Note = None) -> tuple[World, Any]:
    """The action that reaches the env, through the action channels and the env's own action component."""
    world, sent = pass_channels(task, "action", key, world, chosen, note=note)
    action, params = vary_component(task, world, "action", key=key)
    return world, action(stream(of_noise(key), "action"), params, world.state, sent)


def move(task: Task, key: Key, world: World, executed: Any) -> Any:
    """The state after."""
    transition, params = vary_component(task, world, "transition", key=key)
    return transition(stream(of_noise(key), "transition"), params, world.state, executed)


def finish(task: Task, world: World, after: Any) -> Ends:
    """Whether the episode terminates in the state after, and if not, whether it is cut there."""
    terminal, params = vary_component(task, world, "terminal")
    terminated = terminal(params, after)
    return terminated, ~terminated & (world.time + 1 >= task.env.horizon(params))


def score(task: Task, key: Key, world: World, executed: Any, after: Any) -> jax.Array:
    """What the unmodified reward pays; only axes that change what is asked (`asks`) count here."""
    reward, params = vary_component(task, world, "reward", asks_only=True, key=key)
    points: jax.Array = reward(stream(of_noise(key), "reward"), params, world.state, executed, after)
    return points


def pay(
    task: Task, key: Key, world: World, executed: Any, after: Any, ends: Ends, note: Note = None
) -> tuple[World, jax.Array]:
    """What the agent is paid, through the reward channels."""
    reward, params = vary_component(task, world, "reward", key=key)
    paid = fence(reward(stream(of_noise(key), "reward"), params, world.state, executed, after))
    world, paid = pass_channels(task, "reward", key, world, paid, ends, note)
    for i, v in enumerate(task.variations):
        level = level_now(task, world, i)
        if jnp.result_type(level) != jnp.bool_:
            paid = jnp.where(is_poison(level).any(), jnp.nan, paid)  # a level may be one number per dimension
        if isinstance(v, Channel) and v.bound:
            # A traced level beyond the memory built for it cannot be refused in time: make it unmistakable.
            paid = jnp.where(level > v.bound, jnp.nan, paid)
    return world, paid


def poison(dtype: Any) -> Any:
    """Stands for a level out of range, which a traced program cannot refuse: every reward becomes NaN."""
    return jnp.nan if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def is_poison(level: Any) -> jax.Array:
    dtype = jnp.result_type(level)
    return jnp.isnan(level) if jnp.issubdtype(dtype, jnp.floating) else level == jnp.iinfo(dtype).min


def look(task: Task, key: Key, world: World, ends: Ends = NOT_YET, note: Note = None) -> tuple[Any, World]:
    """What the agent sees, through the observation channels."""
    observe, params = vary_component(task, world, "observation", key=key)
    seen = observe(stream(of_noise(key), "observation"), params, *in_sight(world))
    world, seen = pass_channels(task, "observation", key, world, seen, ends, note)
    return seen, world


def tick_clocks(task: Task, key: Key, world: World) -> tuple[Any, ...]:
    clocks = list(world.clocks)
    for i, v in enumerate(task.variations):
        if ticks(v):
            clocks[i] = tick(v, clocks[i], jax.random.uniform(stream(of_noise(key), f"{v.name}@clock")))
    return tuple(clocks)


def advance(task: Task, key: Key, world: World, chosen: Any, note: Note = None) -> Step:
    """A step without its picture."""
    world, sent = act(task, key, world, chosen, note)
    state, sent = fence((world.state, sent))
    world = replace(world, state=state)
    after = fence(move(task, key, world, sent))
    ends = finish(task, world, after)
    points = fence(score(task, key, world, sent, after))
    world, paid = pay(task, key, world, sent, after, ends, note)
    before = world.scene
    world = World(after, world.memory, tick_clocks(task, key, world), world.time + 1, world.life + 1)
    world = replace(world, scene=stage_pictures(task, key, world, before))
    return Step(None, world, paid, *ends, points, sent)


def reset(task: Task, key: Key) -> tuple[Any, World]:
    """The first observation and world of an episode."""
    return look(task, key, start(task, key))


def step(task: Task, key: Key, world: World, chosen: Any, note: Note = None) -> Step:
    """One step; at an end its observation is the true last one, and nothing is reset."""
    out = advance(task, key, world, chosen, note)
    # No fence around what is seen: a frame fuses with its reader.
    seen, world = look(task, key, out.state, (out.terminated, out.truncated), note)
    return out._replace(observation=seen, state=world)


def keep_observation(observation: Any) -> Any:
    return observation


def autoreset(
    task: Task,
    keys: Key,
    again: Key,
    worlds: World,
    chosen: Any,
    at_end: Callable[[Any], Any] = keep_observation,
) -> tuple[Any, World, Step, Any]:
    """A batch of steps; lanes that end begin anew with their key in `again`.

    `keys` has shape (lanes,), or (tasks, lanes) for a stack of tasks. Returns what to act on next, the
    worlds, the steps (without pictures) and `at_end` of the true last observations (zeros when no lane
    ended). A learner passes its value function as `at_end`, so last frames never leave the branch. One
    picture is drawn per lane and step: the branches choose states, not pictures. Never vmap this function:
    its branches would become selects, and every lane would be reset at every step; stack the tasks instead.
    """
    every = partial(for_every_lane, of_game(keys).ndim)
    out = every(advance)(task, keys, worlds, chosen)
    ends = out.terminated | out.truncated

    def last_seen() -> Any:
        def of_lane(task: Task, key: Key, world: World, ends: Ends) -> Any:
            return at_end(look(task, key, world, ends)[0])

        return every(of_lane)(task, keys, out.state, (out.terminated, out.truncated))

    def nothing_seen() -> Any:
        return jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), jax.eval_shape(last_seen))

    last = jax.lax.cond(ends.any(), last_seen, nothing_seen)
    worlds = jax.lax.cond(ends.any(), partial(renew_lanes, task, again, out.state, ends), lambda: out.state)
    seen, worlds = every(look)(task, jax.tree.map(partial(jnp.where, ends), again, keys), worlds)
    return seen, worlds, out, last


def renew_lanes(task: Task, keys: Key, worlds: World, which: jax.Array) -> World:
    """The worlds of a batch, with a new episode's in the lanes of `which`."""
    fresh = for_every_lane(of_game(keys).ndim, start_after)(task, keys, worlds)
    mixed: World = jax.tree.map(partial(pick, which), fresh, worlds)
    return mixed


def for_every_lane(dimensions: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function(task, ...)` over lanes of one task, or over a stack of tasks with lanes each."""

    def of_one_task(task: Task, *per_lane: Any) -> Any:
        return jax.vmap(partial(function, task))(*per_lane)

    return of_one_task if dimensions == 1 else jax.vmap(of_one_task)


def pick(which: jax.Array, a: jax.Array, b: jax.Array) -> jax.Array:
    """Lane by lane a where `which`, else b."""
    return jnp.where(which.reshape(which.shape + (1,) * (a.ndim - which.ndim)), a, b)
