"""Evaluation of a native agent: many tasks of one structure, many episodes, one compiled program.

Every task plays the same episodes: the keys depend on the seed and the episode's number alone, so plain and
varied outcomes are pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core import step as loop
from assay.core.env import Task, World
from assay.core.keys import episode_key, root, step_key, stream


class Outcomes(NamedTuple):
    """What became of each episode, (tasks, episodes)."""

    steps: jax.Array  # int32
    paid: jax.Array  # float32, the return the agent was paid
    score: jax.Array  # float32, the return of the unmodified reward
    terminated: jax.Array  # bool
    truncated: jax.Array  # bool


class Playing(NamedTuple):
    """An episode under way."""

    seen: Any
    world: World
    so_far: Outcomes


def alive(episode: Playing) -> jax.Array:
    return ~(episode.so_far.terminated | episode.so_far.truncated)


@partial(jax.jit, static_argnames=("act", "episodes"))
def evaluate(tasks: Task, params: Any, words: Any, act: Callable, episodes: int) -> Outcomes:
    """One trained agent on a stack of tasks; it takes as long as the longest episode."""
    seed = root(words)

    def one_episode(task: Task, number: jax.Array) -> Outcomes:
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
                ),
            )

        nothing = Outcomes(jnp.int32(0), jnp.float32(0), jnp.float32(0), jnp.bool_(False), jnp.bool_(False))
        first = Playing(*loop.reset(task, step_key(key, 0)), nothing)
        return jax.lax.while_loop(alive, one_step, first).so_far

    def one_task(task: Task) -> Outcomes:
        return jax.vmap(partial(one_episode, task))(jnp.arange(episodes))

    return jax.vmap(one_task)(tasks)
