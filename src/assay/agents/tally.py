"""The learning curve: reports on the episodes that end while an agent trains."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core.env import Step


class Report(NamedTuple):
    """Means over the episodes that finished since the last report, NaN if none did."""

    step: Any  # () int32, env steps so far
    score: Any  # () float32, mean episode score
    paid: Any  # () float32, mean episode return
    length: Any  # () float32, mean episode length
    episodes: Any  # () int32


class Tally(NamedTuple):
    """The sums for the next report."""

    so_far: jax.Array  # (2,) float32, score and payment of the episode under way
    finished: jax.Array  # (4,) float32, sums over finished episodes: score, payment, length, and their number


def no_reports() -> Report:
    """The reports of an agent that learns nothing, (0,) each."""
    nothing, none = jnp.zeros(0), jnp.zeros(0, jnp.int32)
    return Report(step=none, score=nothing, paid=nothing, length=nothing, episodes=none)


def empty_tally() -> Tally:
    return Tally(jnp.zeros(2), jnp.zeros(4))


def count_step(tally: Tally, out: Step) -> Tally:
    """The tally with one more step."""
    ended = out.terminated | out.truncated
    so_far = tally.so_far + jnp.stack([out.score, out.reward])
    totals = jnp.stack([*so_far, out.state.time.astype(jnp.float32), jnp.float32(1)])
    return Tally(jnp.where(ended, 0.0, so_far), tally.finished + jnp.where(ended, totals, 0.0))


def take_report(tally: Tally, step: jax.Array) -> tuple[Tally, Report]:
    """The report of a tally, and the tally after it: an episode under way goes on."""
    score, paid, length, episodes = tally.finished
    report = Report(step, score / episodes, paid / episodes, length / episodes, episodes.astype(jnp.int32))
    return tally._replace(finished=jnp.zeros(4)), report
