"""One small network for all cells of a board: it gives the value of every bucket for the piece in one cell.

What a piece is worth in a bucket is much the same wherever it lies, so what is learned of one cell holds for
the others. The network sees the piece in the cell, which cell it is, and all that the observation tells
beside the board: the last accepted move, the last response, and attempts where they are shown.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from assay.agents.agent import how_many
from assay.agents.network import Layers, Network, as_features, features, network, outputs
from assay.agents.piece_features import Pieces, read_pieces
from assay.core.space import Discrete, Space

FULL, CELLS = "full", "cells"  # the kinds of networks: of the whole observation, or one that all cells share


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


def why_no_cells(kind: str, spaces: dict[str, Space]) -> str:
    """Why a network of this kind is of no use in these spaces, or ""."""
    if kind == CELLS and read_pieces(spaces) is None:
        return "network=cells needs a board of pieces whose actions are a cell and a bucket; leave it out"
    return ""


def layer_sizes(kind: str, hidden: tuple[int, ...], spaces: dict[str, Space]) -> tuple[int, ...]:
    """The inputs, the hidden layers and the outputs of a network."""
    pieces = read_pieces(spaces)
    if kind == CELLS and pieces:
        return cell_features(spaces["observation"], pieces), *hidden, pieces.buckets
    return features(spaces["observation"]), *hidden, how_many(spaces["action"])


def network_of(kind: str, activation: str, spaces: dict[str, Space], layers: Layers) -> Network:
    """The network of this kind as a function of one observation."""
    pieces = read_pieces(spaces)
    if kind == CELLS and pieces:
        return cell_network(spaces["observation"], pieces, activation, layers)
    return network(spaces["observation"], activation, layers)
