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
from assay.core.env import Task
from assay.core.keys import episode_key, root, step_key, stream


class Outcomes(NamedTuple):
    """What became of each episode, (tasks, episodes)."""

    steps: jax.Array  # int32
    paid: jax.Array  # float32, the return the agent was paid
    score: jax.Array  # float32, the return of the unmodified reward
    terminated: jax.Array  # bool
    truncated: jax.Array  # bool


@partial(jax.jit, static_argnames=("act", "episodes", "limit"))
def evaluate(tasks: Task, params: Any, words: Any, act: Callable, episodes: int, limit: int) -> Outcomes:
    """One trained agent on a stack of tasks. `limit` is the longest horizon among them."""
    seed = root(words)

    def one_episode(task: Task, number: jax.Array) -> Outcomes:
        key = episode_key(seed, number)
        seen, world = loop.reset(task, step_key(key, 0))
        nothing = Outcomes(jnp.int32(0), jnp.float32(0), jnp.float32(0), jnp.bool_(False), jnp.bool_(False))

        def one_step(carry: tuple, t: jax.Array) -> tuple:
            seen, world, so_far = carry
            now = step_key(key, t + 1)
            out = loop.step(task, now, world, act(task, params, stream(now, "agent"), seen))
            alive = ~(so_far.terminated | so_far.truncated)
            after = Outcomes(
                so_far.steps + 1,
                so_far.paid + out.reward,
                so_far.score + out.score,
                out.terminated,
                out.truncated,
            )
            so_far = jax.tree.map(partial(jnp.where, alive), after, so_far)
            return (out.observation, out.state, so_far), None

        return jax.lax.scan(one_step, (seen, world, nothing), jnp.arange(limit))[0][2]

    def one_task(task: Task) -> Outcomes:
        return jax.vmap(partial(one_episode, task))(jnp.arange(episodes))

    return jax.vmap(one_task)(tasks)
