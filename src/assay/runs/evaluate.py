"""Evaluation of a native agent: many tasks of one structure, many episodes, one compiled program.

Every task plays the same episodes: the keys depend on the seed and the episode's number alone, so plain and
varied outcomes are pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core import step as loop
from assay.core.clock import is_drawn
from assay.core.env import Task, World
from assay.core.keys import episode_key, root, step_key, stream


class Outcomes(NamedTuple):
    """What became of each episode, (tasks, episodes)."""

    steps: jax.Array  # int32
    paid: jax.Array  # float32, the return the agent was paid
    score: jax.Array  # float32, the return of the unmodified reward
    terminated: jax.Array  # bool
    truncated: jax.Array  # bool
    drawn: Mapping[str, jax.Array]  # by axis: the levels drawn for these episodes; empty where none are


class Playing(NamedTuple):
    """An episode under way."""

    seen: Any
    world: World
    so_far: Outcomes


def alive(episode: Playing) -> jax.Array:
    return ~(episode.so_far.terminated | episode.so_far.truncated)


def drawn_in(task: Task, world: World) -> dict[str, Any]:
    """The levels that were drawn for the episode which begins in this world, by axis."""
    pairs = zip(task.variations, world.clocks)
    return {variation.name: level for variation, level in pairs if is_drawn(variation)}


@partial(jax.jit, static_argnames=("act", "episodes"))
def evaluate(tasks: Task, params: Any, words: Any, act: Callable, episodes: int) -> Outcomes:
    """One trained agent on a stack of tasks; it takes as long as the longest episode."""
    return jax.vmap(lambda task: played(task, params, root(words), act, episodes))(tasks)


@partial(jax.jit, static_argnames=("act", "episodes"))
def evaluate_each(task: Task, policies: Any, words: Any, act: Callable, episodes: int) -> Outcomes:
    """A stack of policies on one task, (policies, episodes): all of them play the same episodes."""
    return jax.vmap(lambda params: played(task, params, root(words), act, episodes))(policies)


def played(task: Task, params: Any, seed: jax.Array, act: Callable, episodes: int) -> Outcomes:
    """The first episodes of a seed, (episodes,)."""

    def one_episode(number: jax.Array) -> Outcomes:
        key = episode_key(seed, number)

        def one_step(episode: Playing) -> Playing:
            now = step_key(key, episode.so_far.steps + 1)
            chosen = act(task, params, stream(now, "agent"), episode.seen)
            out = loop.step(task, now, episode.world, chosen)
            so_far = episode.so_far
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
                ),
            )

        seen, world = loop.reset(task, step_key(key, 0))
        nothing = jnp.int32(0), jnp.float32(0), jnp.float32(0), jnp.bool_(False), jnp.bool_(False)
        first = Playing(seen, world, Outcomes(*nothing, drawn_in(task, world)))
        return jax.lax.while_loop(alive, one_step, first).so_far

    return jax.vmap(one_episode)(jnp.arange(episodes))
