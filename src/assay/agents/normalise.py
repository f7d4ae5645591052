"""Observations in units of their own spread: the mean and variance of all that a learner has seen so far.

Counted while it learns alone; whoever acts takes them as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

FEW = 1e-4  # rows that the first mean of 0 and variance of 1 weigh
MOST = 10.0  # spreads beyond which an observation is cut
TINY = 1e-8  # added to the variance


class Running(NamedTuple):
    """What is known of the rows so far."""

    mean: Any  # (entries,) float32
    variance: Any  # (entries,) float32
    count: Any  # () float32


def nothing_seen(entries: int) -> Running:
    return Running(jnp.zeros(entries), jnp.ones(entries), jnp.float32(FEW))


def count_rows(known: Running, rows: jax.Array) -> Running:
    """What is known after some more rows, (rows, entries): two samples as one (Chan et al. 1983)."""
    more = len(rows)
    count, apart = known.count + more, rows.mean(0) - known.mean
    squares = known.variance * known.count + rows.var(0) * more + apart**2 * (known.count * more / count)
    return Running(known.mean + apart * more / count, squares / count, count)


def normalise(known: Running, rows: jax.Array) -> jax.Array:
    """Rows in units of the spread, around the mean; no gradient passes to what is known."""
    mean, variance, _ = jax.lax.stop_gradient(known)
    return jnp.clip((rows - mean) / jnp.sqrt(variance + TINY), -MOST, MOST)
