"""A small network of full layers over any space: whole numbers go in one-hot, a Box goes in flat."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import jax
import jax.numpy as jnp

from assay.core.keys import stream
from assay.core.space import Box, Discrete, Space

Layers = list[tuple[jax.Array, jax.Array]]  # weights (in, out) and biases (out,), layer by layer
Network = Callable[[jax.Array], jax.Array]  # one observation -> (outputs,)

BRIGHTEST = 255
MOVED = 16  # pixels from frame to frame that count as much as the whole range
MOST_FRAMES = 7

ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "tanh": jnp.tanh,
    "relu": jax.nn.relu,
    "sigmoid": jax.nn.sigmoid,
}


def features(space: Space) -> int:
    """The number of inputs of the network."""
    if isinstance(space, Discrete):
        return sum(space.n) if isinstance(space.n, tuple) else space.n
    return jnp.zeros(space.shape).size


def is_stack_of_rows(space: Space) -> bool:
    """Whether they are rows of bytes from a few frames, (bytes, frames); no picture is as narrow."""
    return (
        isinstance(space, Box)
        and space.dtype == "uint8"
        and len(space.shape) == 2
        and 1 < space.shape[1] <= MOST_FRAMES
    )


def rows_as_features(rows: jax.Array) -> jax.Array:
    """The newest row, and how far each older one is from it: few pixels, but they are the movements."""
    pixels = rows.astype(jnp.float32)
    newest, older = pixels[:, -1:], pixels[:, :-1]
    moved = jnp.clip((newest - older) / MOVED, -1, 1)
    return jnp.concatenate([newest / BRIGHTEST, moved], 1).reshape(-1)


def as_features(space: Space, observation: jax.Array) -> jax.Array:
    """An observation as the inputs of the network, (features,) float32."""
    if isinstance(space, Box):
        if is_stack_of_rows(space):
            return rows_as_features(observation)
        flat = observation.reshape(-1).astype(jnp.float32)
        # The memory of a console would saturate a network; pictures of native tasks go in as they are.
        return flat / BRIGHTEST if space.dtype == "uint8" and len(space.shape) == 1 else flat
    assert isinstance(space, Discrete), "a network sees numbers"
    if not isinstance(space.n, tuple):
        return jax.nn.one_hot(observation - space.start, space.n)
    return jnp.concatenate([jax.nn.one_hot(observation[i] - space.start, n) for i, n in enumerate(space.n)])


def first_layers(key: jax.Array, sizes: tuple[int, ...]) -> Layers:
    """The layers before any training, Xavier-uniform."""
    layers = []
    for i, (into, out) in enumerate(pairwise(sizes)):
        edge = (6 / (into + out)) ** 0.5
        weights = jax.random.uniform(stream(key, f"layer {i}"), (into, out), minval=-edge, maxval=edge)
        layers.append((weights, jnp.zeros(out)))
    return layers


def outputs(layers: Layers, x: jax.Array, activation: str = "tanh") -> jax.Array:
    """The outputs of the network for these features, (..., outputs)."""
    weights, bias = layers[0]
    return above(layers[1:], x @ weights + bias, activation)


def above(layers: Layers, x: jax.Array, activation: str = "tanh") -> jax.Array:
    """The outputs of the further layers for the sums of the first."""
    for weights, bias in layers:
        x = ACTIVATIONS[activation](x) @ weights + bias
    return x


def network(space: Space, activation: str, layers: Layers) -> Network:
    """The network as a function of one observation."""
    return lambda observation: outputs(layers, as_features(space, observation), activation)
