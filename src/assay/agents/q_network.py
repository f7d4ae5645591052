"""The networks that give the values of all actions, by kind: full layers, one for every cell, convolutions.

`network.py` has the full layers, `cell_network.py` the network that the cells of a board share, `encoder.py`
the convolutions (Mnih et al. 2015, and the smaller ones of 2013), which are followed here by a layer of one
output for each action.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jax

from assay.agents.agent import how_many
from assay.agents.cell_network import cell_features, cell_network
from assay.agents.encoder import (
    LARGE,
    SMALL,
    Shape,
    encode,
    encoder_multiplications,
    first_encoder,
    is_picture,
    prepare,
    too_small,
)
from assay.agents.network import Network, features, first_layers, is_stack_of_rows, network, outputs
from assay.agents.piece_features import read_pieces
from assay.agents.value_head import PLAIN, Head
from assay.core.keys import stream
from assay.core.space import Discrete, Space

STEP_S = 1e-5  # CPU-seconds of a step of training beside the network, on a plain core
MULTIPLY_S = 2e-11  # of a multiplication of the network: an update on pictures of 84 x 84 x 4 takes 25 ms
FULL, CELLS, CONVOLUTIONS, SMALLER = KINDS = "full", "cells", "convolutions", "small_convolutions"
OF_PICTURES: dict[str, Shape] = {CONVOLUTIONS: LARGE, SMALLER: SMALL}


def why_no_network(kind: str, spaces: dict[str, Space]) -> str:
    """Why a network of this kind is of no use in these spaces, or ""."""
    space = spaces["observation"]
    if kind == CELLS and read_pieces(spaces) is None:
        return "network=cells needs a board of pieces whose actions are a cell and a bucket; leave it out"
    if kind in OF_PICTURES and not is_picture(space):
        return f"network={kind} needs pictures, and these observations are none; leave it out"
    return too_small(space, OF_PICTURES[kind]) if kind in OF_PICTURES else ""


def why_no_rows(kind: str, spaces: dict[str, Space]) -> str:
    """Why full layers cannot learn from what a hosted env shows, or ""."""
    space = spaces["observation"]
    if kind in OF_PICTURES or len(space.shape) <= 1 or is_stack_of_rows(space):
        return ""
    if is_picture(space):
        return "full layers see rows of numbers, and these are pictures; set network=convolutions"
    return f"its network sees rows of numbers, and these observations have the shape {space.shape}"


def first_params(
    key: jax.Array, kind: str, hidden: tuple[int, ...], spaces: dict[str, Space], head: Head = PLAIN
) -> Any:
    """The network before any training; `hidden` counts where layers are full."""
    space, actions = spaces["observation"], head.outputs(how_many(spaces["action"]))
    if kind in OF_PICTURES:
        shape = OF_PICTURES[kind]
        return first_encoder(key, space, shape), first_layers(stream(key, "values"), (shape.seen, actions))
    pieces = read_pieces(spaces)
    if kind == CELLS and pieces:
        return first_layers(key, (cell_features(space, pieces), *hidden, pieces.buckets))
    return first_layers(key, (features(space), *hidden, actions))


def multiplications(kind: str, hidden: tuple[int, ...], spaces: dict[str, Space], head: Head = PLAIN) -> int:
    """How many multiplications give the values of all actions for one observation."""
    space, actions, times = spaces["observation"], head.outputs(how_many(spaces["action"])), 1
    if kind in OF_PICTURES:
        shape = OF_PICTURES[kind]
        return encoder_multiplications(space, shape) + shape.seen * actions
    pieces = read_pieces(spaces)
    if kind == CELLS and pieces:
        inputs, actions, times = cell_features(space, pieces), pieces.buckets, pieces.cells
    else:
        inputs = 0 if isinstance(space, Discrete) else features(space)  # whole numbers only pick their rows
    return times * sum(into * out for into, out in pairwise((inputs, *hidden, actions)))


def network_of(kind: str, activation: str, spaces: dict[str, Space], params: Any) -> Network:
    """The network of this kind as a function of one observation."""
    space, pieces = spaces["observation"], read_pieces(spaces)
    if kind in OF_PICTURES:
        (encoder, last), shape = params, OF_PICTURES[kind]
        return lambda seen: outputs(last, encode(space, encoder, prepare(space, seen[None]), shape=shape)[0])
    if kind == CELLS and pieces:
        return cell_network(space, pieces, activation, params)
    return network(space, activation, params)


def step_s(config: Any, spaces: dict[str, Space]) -> float:
    """CPU-seconds of a step of DQN's training on a plain core, its share of an update included."""
    # A gradient takes three times the values; the target's, and in double Q-learning the own, are one each.
    seen = config.batch * (4 + config.double + bool(config.munchausen)) / config.steps_per_update
    learning = 1 - config.learning_starts / config.steps
    once = multiplications(config.network, config.hidden, spaces, config.head) * MULTIPLY_S
    return STEP_S + once * (1 + seen * learning)
