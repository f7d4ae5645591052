"""Noisy networks (Fortunato et al. 2018): full layers whose weights have a learned spread.

The noise of a layer is the product of one number for each input and one for each output. Drawing it turns
noisy layers into plain ones, so the networks themselves know nothing of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.encoder import Layer
from assay.agents.network import Layers
from assay.core.keys import stream


class Noisy(NamedTuple):
    mean: Any  # the params of a network; without noise these are the network
    spread: Layers  # of its full layers, in their order


def full_layers(params: Any) -> Layers:
    """The full layers of a network: all of them, or with convolutions those behind them."""
    if isinstance(params, tuple):
        encoder, last = params
        return [tuple(encoder[-1]), *last]
    layers: Layers = params
    return layers


def with_full_layers(params: Any, layers: Layers) -> Any:
    if isinstance(params, tuple):
        encoder, _ = params
        return [*encoder[:-1], Layer(*layers[0])], layers[1:]
    return layers


def with_spread(params: Any, scale: float) -> Noisy:
    """The network with the spread that its full layers have before any training."""
    spread = []
    for weights, bias in full_layers(params):
        width = scale * len(weights) ** -0.5
        spread.append((jnp.full(weights.shape, width), jnp.full(bias.shape, width)))
    return Noisy(params, spread)


def shrink(noise: jax.Array) -> jax.Array:
    """Its root with its sign, so that products of two such numbers have a variance near one."""
    return jnp.sign(noise) * jnp.sqrt(jnp.abs(noise))


def disturb(key: jax.Array, params: Any) -> Any:
    """The network with one draw of its noise; a network without noise as it is."""
    if not isinstance(params, Noisy):
        return params
    layers = []
    for i, (plain, spread) in enumerate(zip(full_layers(params.mean), params.spread)):
        (weights, bias), (of_weights, of_bias), now = plain, spread, stream(key, f"layer {i}")
        into, out = (
            shrink(jax.random.normal(stream(now, name), (count,)))
            for name, count in zip(("into", "out"), weights.shape)
        )
        layers.append((weights + of_weights * into[:, None] * out, bias + of_bias * out))
    return with_full_layers(params.mean, layers)


def undisturbed(params: Any) -> Any:
    """The network without its noise, as it is judged."""
    return params.mean if isinstance(params, Noisy) else params
