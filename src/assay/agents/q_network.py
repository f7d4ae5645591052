"""The networks that give the values of all actions, by kind: full layers, one for every cell, convolutions.

`network.py` has the full layers, `cell_network.py` the network that the cells of a board share, `encoder.py`
the convolutions (Mnih et al. 2015), which are followed here by a layer of one output for each action.
"""

from __future__ import annotations

from typing import Any

import jax

from assay.agents.agent import how_many
from assay.agents.cell_network import cell_features, cell_network
from assay.agents.encoder import SEEN, encode, first_encoder, is_picture, prepare, too_small
from assay.agents.network import Network, features, first_layers, network, outputs
from assay.agents.piece_features import read_pieces
from assay.core.keys import stream
from assay.core.space import Space

FULL, CELLS, CONVOLUTIONS = KINDS = "full", "cells", "convolutions"


def why_no_network(kind: str, spaces: dict[str, Space]) -> str:
    """Why a network of this kind is of no use in these spaces, or ""."""
    space = spaces["observation"]
    if kind == CELLS and read_pieces(spaces) is None:
        return "network=cells needs a board of pieces whose actions are a cell and a bucket; leave it out"
    if kind == CONVOLUTIONS and not is_picture(space):
        return "network=convolutions needs pictures, and these observations are none; leave it out"
    return too_small(space) if kind == CONVOLUTIONS else ""


def why_no_rows(kind: str, spaces: dict[str, Space]) -> str:
    """Why full layers cannot learn from what a hosted env shows, or ""."""
    space = spaces["observation"]
    if kind == CONVOLUTIONS or len(space.shape) <= 1:
        return ""
    if is_picture(space):
        return "full layers see rows of numbers, and these are pictures; set network=convolutions"
    return f"its network sees rows of numbers, and these observations have the shape {space.shape}"


def first_params(key: jax.Array, kind: str, hidden: tuple[int, ...], spaces: dict[str, Space]) -> Any:
    """The network before any training; `hidden` counts where layers are full."""
    space, actions = spaces["observation"], how_many(spaces["action"])
    if kind == CONVOLUTIONS:
        return first_encoder(key, space), first_layers(stream(key, "values"), (SEEN, actions))
    pieces = read_pieces(spaces)
    if kind == CELLS and pieces:
        return first_layers(key, (cell_features(space, pieces), *hidden, pieces.buckets))
    return first_layers(key, (features(space), *hidden, actions))


def network_of(kind: str, activation: str, spaces: dict[str, Space], params: Any) -> Network:
    """The network of this kind as a function of one observation."""
    space, pieces = spaces["observation"], read_pieces(spaces)
    if kind == CONVOLUTIONS:
        encoder, last = params
        return lambda seen: outputs(last, encode(space, encoder, prepare(space, seen[None]))[0])
    if kind == CELLS and pieces:
        return cell_network(space, pieces, activation, params)
    return network(space, activation, params)
