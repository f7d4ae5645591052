"""Evaluation of a native agent: many tasks of one structure, many episodes, one compiled program.

Every task plays the same episodes: the keys depend on the seed and the episode's number alone, so plain and
varied outcomes are pairs. `measures` are those of the env, read off the state in which an episode ends; a
`blind` agent is given the number of steps made in place of what is to be seen, and nothing is drawn for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core import step as loop
from assay.core.clock import is_drawn
from assay.core.env import Task, World, holder
from assay.core.keys import episode_key, root, step_key, stream


class Outcomes(NamedTuple):
    """What became of each episode, (tasks, episodes)."""

    steps: jax.Array  # int32
    paid: jax.Array  # float32, the return the agent was paid
    score: jax.Array  # float32, the return of the unmodified reward
    terminated: jax.Array  # bool
    truncated: jax.Array  # bool
    drawn: Mapping[str, jax.Array]  # by axis: the levels drawn for these episodes; empty where none are
    told: Mapping[str, jax.Array]  # by measure of the env: of the state in which the episode ended


class Playing(NamedTuple):
    """An episode under way."""

    seen: Any  # None for a blind agent
    world: World
    so_far: Outcomes


def alive(episode: Playing) -> jax.Array:
    return ~(episode.so_far.terminated | episode.so_far.truncated)


def drawn_in(task: Task, world: World) -> dict[str, Any]:
    """The levels that were drawn for the episode which begins in this world, by axis."""
    pairs = zip(task.variations, world.clocks)
    return {variation.name: level for variation, level in pairs if is_drawn(variation)}


@holder
class Policy:
    """What an agent has learned: a tree of arrays, perhaps of other people's records."""

    params: Any


def evaluate(
    tasks: Task,
    params: Any,
    words: Any,
    act: Callable,
    episodes: int,
    measures: tuple = (),
    blind: bool = False,
) -> Outcomes:
    """One trained agent on a stack of tasks; it takes as long as the longest episode."""
    return on_every_task(tasks, Policy(params), words, act, episodes, measures, blind)


def evaluate_each(
    task: Task,
    policies: Any,
    words: Any,
    act: Callable,
    episodes: int,
    measures: tuple = (),
    blind: bool = False,
) -> Outcomes:
    """A stack of policies on one task, (policies, episodes): all of them play the same episodes."""
    return by_every_policy(task, Policy(policies), words, act, episodes, measures, blind)


@partial(jax.jit, static_argnums=(3, 4, 5, 6))
def on_every_task(tasks: Task, policy: Policy, words: Any, act: Callable, *how: Any) -> Outcomes:
    return jax.vmap(lambda task: played(task, policy.params, root(words), act, *how))(tasks)


@partial(jax.jit, static_argnums=(3, 4, 5, 6))
def by_every_policy(task: Task, policies: Policy, words: Any, act: Callable, *how: Any) -> Outcomes:
    return jax.vmap(lambda params: played(task, params, root(words), act, *how))(policies.params)


def played(
    task: Task,
    params: Any,
    seed: jax.Array,
    act: Callable,
    episodes: int,
    measures: tuple = (),
    blind: bool = False,
) -> Outcomes:
    """The first episodes of a seed, (episodes,)."""
    step = loop.advance if blind else loop.step

    def one_episode(number: jax.Array) -> Outcomes:
        key = episode_key(seed, number)

        def one_step(episode: Playing) -> Playing:
            now = step_key(key, episode.so_far.steps + 1)
            so_far = episode.so_far
            chosen = act(task, params, stream(now, "agent"), so_far.steps if blind else episode.seen)
            out = step(task, now, episode.world, chosen)
            return Playing(
                out.observation,
                out.state,
                Outcomes(
                    so_far.steps + 1,
                    so_far.paid + out.reward,
                    so_far.score + out.score,
                    out.terminated,
                    out.truncated,
                    so_far.drawn,
                    so_far.told,
                ),
            )

        seen, world = began(task, step_key(key, 0), blind)
        nothing = jnp.int32(0), jnp.float32(0), jnp.float32(0), jnp.bool_(False), jnp.bool_(False)
        first = Playing(seen, world, Outcomes(*nothing, drawn_in(task, world), {}))
        last = jax.lax.while_loop(alive, one_step, first)
        return last.so_far._replace(told={each.name: each.of(last.world.state) for each in measures})

    return jax.vmap(one_episode)(jnp.arange(episodes))


def began(task: Task, key: jax.Array, blind: bool) -> tuple[Any, World]:
    """What is seen of a new episode, and its world."""
    return (None, loop.start(task, key)) if blind else loop.reset(task, key)
