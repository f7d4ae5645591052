"""Transcripts of native agents: the episodes of an evaluation played again, with every step recorded.

The evaluation itself stays as it is. This is another program with the same keys, and the digest of every
episode shows whether it has played the same one.
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


class RecordedSteps(NamedTuple):
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
    recorded, digests = jax.device_get(on_every_task(tasks, Policy(params), words, setup, episodes, length))
    if not np.array_equal(digests, outcomes.digest):
        raise AssayError(
            "an episode came out differently when its transcript was made: compiled anew, the same steps "
            "gave other numbers; leave --transcripts out."
        )
    return [list(episodes_of_task(recorded, lengths, task)) for task, lengths in enumerate(outcomes.steps)]


@partial(jax.jit, static_argnames=("setup", "episodes", "length"))
def on_every_task(
    tasks: Task, policy: Policy, words: Any, setup: EvaluationSetup, episodes: int, length: int
) -> tuple[RecordedSteps, jax.Array]:
    return jax.vmap(lambda task: replay(task, policy.params, root(words), setup, episodes, length))(tasks)


def replay(
    task: Task, params: Any, seed: jax.Array, setup: EvaluationSetup, episodes: int, length: int
) -> tuple[RecordedSteps, jax.Array]:
    """The first episodes of a seed, step by step, and their digests."""

    def one_episode(number: jax.Array) -> tuple[RecordedSteps, jax.Array]:
        key = episode_key(seed, number)

        def one_step(episode: Playing, _: None) -> tuple[Playing, RecordedSteps]:
            moved, now, chosen, out = step_on(task, params, key, setup, episode)
            ends = out.terminated, out.truncated
            recorded = RecordedSteps(
                chosen, out.executed, out.reward, out.score, *ends, reports(task, now, episode.world, chosen)
            )
            lives = alive(episode)
            kept = jax.tree.map(lambda new, old: jnp.where(lives, new, old), moved, episode)
            return kept, recorded

        first = first_moment(task, params, key, setup)
        last, recorded = jax.lax.scan(one_step, first, length=length)
        return recorded, mix_in(last.so_far.digest, last.observation)

    return jax.vmap(one_episode)(jnp.arange(episodes))


def episodes_of_task(recorded: RecordedSteps, lengths: np.ndarray, task: int) -> Iterator[list[StepTaken]]:
    """The episodes of one task, each cut where it ended."""
    for episode, length in enumerate(lengths):
        line = jax.tree.map(lambda leaf, i=episode: leaf[task, i], recorded)
        yield [StepTaken(*jax.tree.map(lambda leaf, t=t: leaf[t], line)) for t in range(int(length))]
