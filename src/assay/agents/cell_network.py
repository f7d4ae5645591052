"""One small network for all cells of a board: it gives the value of every bucket for the piece in one cell.

What a piece is worth in a bucket is much the same wherever it lies, so what is learned of one cell holds for
the others. The network sees the piece in the cell, which cell it is, and all that the observation tells
beside the board: the last accepted move, the last response, and attempts where they are shown.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from assay.agents.network import Layers, Network, as_features, features, outputs
from assay.agents.piece_features import Pieces
from assay.core.space import Discrete, Space


def split_space(space: Space, pieces: Pieces) -> tuple[Discrete, Discrete]:
    """The part of an observation that is the board, and what follows it."""
    assert isinstance(space, Discrete) and isinstance(space.n, tuple), "a board was recognised in it"
    return Discrete(space.n[: pieces.cells]), Discrete(space.n[pieces.cells :])


def cell_features(space: Space, pieces: Pieces) -> int:
    """The number of inputs of the network."""
    return pieces.kinds + 1 + pieces.cells + features(split_space(space, pieces)[1])


def cell_network(space: Space, pieces: Pieces, activation: str, layers: Layers) -> Network:
    """The network as a function of one observation: values by cell, then by bucket, as actions count."""
    rest = split_space(space, pieces)[1]

    def values(observation: jax.Array) -> jax.Array:
        kinds = jax.nn.one_hot(observation[: pieces.cells], pieces.kinds + 1)  # (cells, kinds + 1)
        beside = as_features(rest, observation[pieces.cells :])
        shared = jnp.broadcast_to(beside, (pieces.cells, len(beside)))
        seen = jnp.concatenate([kinds, jnp.eye(pieces.cells), shared], axis=1)
        return outputs(layers, seen, activation).reshape(-1)

    return values
