"""The look-up trick: a network over few observations is evaluated once at each of them.

A toy task may have 8 observations, and a batch 32 rows: then 24 rows of every product are computed for
nothing. Here a table holds the values of the network at each observation, and the values of one observation
are a row of it. Values and gradients are the same; the products are fewer. A one-hot input picks a row of
the first layer, so for all observations together the product with that layer is the layer itself.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from assay.agents.agent import how_many, number_of, with_number
from assay.agents.network import Layers, Network, above, as_features, network
from assay.core.space import Discrete, Space

MOST_BATCHES = 4  # for which a look-up pays: picking a row takes a product over all observations


def most_looked_up(batch: int, batches: int = 1) -> int:
    """The most observations for which a look-up pays, in a network that evaluates so many batches."""
    return batch * min(batches, MOST_BATCHES)


def look_up(space: Space, activation: str, most: int, layers: Layers) -> Network:
    """The network as a function of one observation, by a table if there are at most `most` of them."""
    if not isinstance(space, Discrete) or how_many(space) > most:
        return network(space, activation, layers)
    weights, bias = layers[0]
    if space.shape:
        every = with_number(space, jnp.arange(how_many(space)))
        weights = jax.vmap(partial(as_features, space))(every) @ weights
    table = above(layers[1:], weights + bias, activation)  # (observations, actions)
    # A product, not an index: the gradient of an index is a scatter, and a CPU does that entry by entry.
    return lambda observation: jax.nn.one_hot(number_of(space, observation), len(table)) @ table
