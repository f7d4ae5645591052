"""What the outputs of a network of values mean: one value for each action, or how likely each return is.

Dueling (Wang et al. 2016) splits them into the value of the state and what each action adds to it; here both
are read off one layer. Categorical (Bellemare et al. 2017) has a row of logits for each action, of returns
that lie evenly between two bounds: its atoms. With one atom the logit is the value.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Head(NamedTuple):
    dueling: bool = False
    atoms: int = 1
    lowest: float = -10.0
    highest: float = 10.0

    def outputs(self, actions: int) -> int:
        """How many outputs the network has."""
        return self.atoms * (actions + self.dueling)

    @property
    def between(self) -> float:
        """The distance from one atom to the next."""
        return (self.highest - self.lowest) / (self.atoms - 1)


PLAIN = Head()


def rows_of(head: Head, outputs: jax.Array) -> jax.Array:
    """What is said of each action, (..., actions, atoms)."""
    rows = outputs.reshape(*outputs.shape[:-1], -1, head.atoms)
    if not head.dueling:
        return rows
    state, gains = rows[..., :1, :], rows[..., 1:, :]
    # Without the mean taken away, state and gains could shift against each other for ever.
    return state + gains - gains.mean(-2, keepdims=True)


def returns_of(head: Head) -> jax.Array:
    """The return of each atom, (atoms,)."""
    return jnp.linspace(head.lowest, head.highest, head.atoms)


def values_of(head: Head, outputs: jax.Array) -> jax.Array:
    """The values of the actions, (..., actions): with atoms, the mean return."""
    rows = rows_of(head, outputs)
    if head.atoms == 1:
        return rows[..., 0]
    return (jax.nn.softmax(rows) * returns_of(head)).sum(-1)


def project(head: Head, returns: jax.Array, chances: jax.Array) -> jax.Array:
    """The distribution over the atoms that is nearest to chances of any returns, (..., atoms) each.

    A return between two atoms gives to both, more to the nearer one; one beyond the bounds goes to the end.
    """
    places = (jnp.clip(returns, head.lowest, head.highest) - head.lowest) / head.between
    nearness = jnp.clip(1 - jnp.abs(places[..., None, :] - jnp.arange(head.atoms)[:, None]), 0, 1)
    return (nearness * chances[..., None, :]).sum(-1)
