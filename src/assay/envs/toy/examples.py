"""Functions as a task's text can name them: `toy/discrete+transition_function=assay.envs.toy.examples:ring`.

Write your own in a module of yours. Functions that toy/discrete can tabulate (its transition_function, its
terminal_states) may be any Python. All other functions become part of the compiled program: they use
jax.numpy in place of numpy and `if`, and draw from their key alone, since any other draw is made only once,
at compilation.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from assay.core.variation import Channel


def ring(state: int, action: int) -> int:
    """Eight states in a circle; action a goes a + 1 on."""
    return (state + action + 1) % 8


def from_five_on(state: int) -> bool:
    return state >= 5


def pays_two(history: jax.Array, action: jax.Array) -> jax.Array:
    """1 for coming to state 2 from another one; the history's last two are the states before and after."""
    return jnp.where((history[-1] == 2) & (history[-2] != 2), 1.0, 0.0)


def uneven(key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
    """Noise that grows with the state's number."""
    return 0.1 * state * jax.random.normal(key)


def on_the_diagonal(cell: tuple[int, ...]) -> bool:
    """The cells of the second diagonal of a board of eight by eight."""
    return sum(cell) == 7


def turned(state: jax.Array, action: jax.Array) -> jax.Array:
    """In the first two dimensions the point goes to the left of where it is pushed."""
    return state.at[:2].add(jnp.stack([-action[1], action[0]]))


def pays_progress(history: jax.Array, action: jax.Array) -> jax.Array:
    """How far the point moved in the first dimension."""
    return history[-1, 0] - history[-2, 0]


def beyond_three(position: jax.Array) -> jax.Array:
    return position[0] > 3.0


def wind(key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
    """A wind that is stronger far from the middle."""
    return 0.1 * jnp.abs(state) * jax.random.normal(key, state.shape)


def gusts(key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
    """Noise on the reward where the point is far from the middle."""
    return 0.1 * jnp.abs(state).max() * jax.random.normal(key)


def scaled(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Any) -> tuple:
    """Every action times `level`, beyond the bounds of the action space too."""
    return memory, value * level


overshoot = Channel(2.0, "overshoot", ("action",), scaled, neutral=1.0)
