"""Returns over n steps, computed when a batch is drawn, from rows that follow one another in the ring.

    R = r_1 + discount r_2 + ... + discount^(k-1) r_k,   and what follows is worth discount^k times its value

k is n, or less where the episode ended before, or where no later step has been made yet. Where the last of
these steps terminated the episode nothing follows; where a time limit cut it, its last observation has a
value like any other.

The ring may hold several lanes side by side: step i of all is in row i modulo the ring's length, and the next
step of the same lane is `lanes` rows further on.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.replay import Transition
from assay.core.env import record


@record
class Returns:
    """So many steps at once, (batch, ...) each."""

    observation: Any  # where they begin
    action: Any
    reward: Any  # float32, discounted and added up
    after: Any  # where they end
    discount: Any  # float32, what a value there counts; 0 where nothing follows


def draw_rows(key: jax.Array, rows: Transition, step: jax.Array, size: int) -> jax.Array:
    """So many rows of those filled, each as likely as the others, (size,) int32."""
    return jax.random.randint(key, (size,), 0, jnp.minimum(step, len(rows.reward)))


def returns_from(
    rows: Transition, step: jax.Array, first: jax.Array, n: int, discount: float, lanes: int = 1
) -> Returns:
    """The returns that begin in the rows `first`, (batch,); `step` counts the steps made in all lanes."""
    length = len(rows.reward)
    number = step - 1 - (step - 1 - first) % length  # of the step that each row holds
    reward, last = take(rows.reward, first), first
    # Where the sum still goes on: a flag for every return, which never rises again.
    goes_on, weight = jnp.ones(first.shape, bool), jnp.full(first.shape, discount, jnp.float32)
    for k in range(1, n):
        next_row = (first + k * lanes) % length
        goes_on = goes_on & ~take(rows.ended, last) & (number + k * lanes < step)
        reward = reward + jnp.where(goes_on, discount**k * take(rows.reward, next_row), 0.0)
        weight = jnp.where(goes_on, discount ** (k + 1), weight)
        last = jnp.where(goes_on, next_row, last)
    return Returns(
        take(rows.observation, first),
        take(rows.action, first),
        reward,
        take(rows.after, last),
        jnp.where(take(rows.terminated, last), 0.0, weight),
    )


def take(leaf: jax.Array, rows: jax.Array) -> jax.Array:
    """These rows, which all exist: asking whether they do would cost as much as taking them."""
    return leaf.at[rows].get(mode="promise_in_bounds")
