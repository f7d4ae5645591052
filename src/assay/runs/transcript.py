"""Transcripts of native agents: the episodes of an evaluation played once more, every step told.

The evaluation itself stays as it is. This is another program with the same keys, and the digest of every
episode says whether it has played the very same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import Task
from assay.core.events import EventReport, StepTaken
from assay.core.keys import episode_key, root
from assay.core.reports import reports
from assay.errors import AssayError
from assay.runs.evaluate import (
    EvaluationSetup,
    Outcomes,
    Playing,
    Policy,
    alive,
    first_moment,
    mix_in,
    step_on,
)


class Told(NamedTuple):
    """All steps, (tasks, episodes, steps, ...); those after the end of an episode mean nothing."""

    action: Any
    executed: Any
    reward: Any
    score: Any
    terminated: Any
    truncated: Any
    events: dict[str, EventReport]


def transcribe(
    tasks: Task,
    params: Any,
    words: Any,
    setup: EvaluationSetup,
    episodes: int,
    outcomes: Outcomes,
) -> list[list[list[StepTaken]]]:
    """The steps of every episode of every task, as the evaluation with these outcomes made them."""
    # A power of two, so that evaluations of about one length share a program.
    length = 1 << (int(outcomes.steps.max()) - 1).bit_length()
    told, digests = jax.device_get(on_every_task(tasks, Policy(params), words, setup, episodes, length))
    if not np.array_equal(digests, outcomes.digest):
        raise AssayError(
            "an episode came out otherwise when its transcript was made: the compiler has made other numbers "
            "of the same steps; leave --transcripts out."
        )
    return [list(of_task(told, steps, place)) for place, steps in enumerate(outcomes.steps)]


@partial(jax.jit, static_argnames=("setup", "episodes", "length"))
def on_every_task(
    tasks: Task, policy: Policy, words: Any, setup: EvaluationSetup, episodes: int, length: int
) -> tuple[Told, jax.Array]:
    return jax.vmap(lambda task: replay(task, policy.params, root(words), setup, episodes, length))(tasks)


def replay(
    task: Task, params: Any, seed: jax.Array, setup: EvaluationSetup, episodes: int, length: int
) -> tuple[Told, jax.Array]:
    """The first episodes of a seed, step by step, and their digests."""

    def one_episode(number: jax.Array) -> tuple[Told, jax.Array]:
        key = episode_key(seed, number)

        def one_step(episode: Playing, _: None) -> tuple[Playing, Told]:
            moved, now, chosen, out = step_on(task, params, key, setup, episode)
            ends = out.terminated, out.truncated
            told = Told(
                chosen, out.executed, out.reward, out.score, *ends, reports(task, now, episode.world, chosen)
            )
            lives = alive(episode)
            kept = jax.tree.map(lambda new, old: jnp.where(lives, new, old), moved, episode)
            return kept, told

        first = first_moment(task, params, key, setup)
        last, told = jax.lax.scan(one_step, first, length=length)
        return told, mix_in(last.so_far.digest, last.seen)

    return jax.vmap(one_episode)(jnp.arange(episodes))


def of_task(told: Told, steps: np.ndarray, place: int) -> Iterator[list[StepTaken]]:
    """The episodes of one task, each cut where it ended."""
    for episode, length in enumerate(steps):
        line = jax.tree.map(lambda leaf, i=episode: leaf[place, i], told)
        yield [StepTaken(*jax.tree.map(lambda leaf, t=t: leaf[t], line)) for t in range(int(length))]
