"""The residual convolutions of IMPALA (Espeholt et al. 2018), its larger network without the memory.

Three sections, each a convolution, a maximum over 3 x 3 with a stride of 2, and two blocks whose input is
added to what comes out; then a full layer. They read the blocks of pixels that `encoder.prepare` stores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.encoder import BLOCK, GAIN, WHITE, Layer, convolve, new_layer, rectify, sides_of
from assay.core.keys import stream
from assay.core.space import Space

CHANNELS = 16, 32, 32  # of each section
SIDE = 3  # of every kernel
SEEN = 256  # outputs


class Section(NamedTuple):
    first: Layer
    blocks: list[tuple[Layer, Layer]]


class Residual(NamedTuple):
    sections: list[Section]
    last: Layer


def first_residual(key: jax.Array, space: Space) -> Residual:
    """The layers before any training: orthogonal, without bias."""

    def layer(name: str, into: int, out: int) -> Layer:
        return new_layer(stream(key, f"residual {name}"), (SIDE, SIDE, into, out), GAIN)

    into, sections = space.shape[2] if len(space.shape) == 3 else 1, []
    height, width = stored_size(space)
    for number, out in enumerate(CHANNELS):
        blocks = [
            (layer(f"{number} {block} a", out, out), layer(f"{number} {block} b", out, out))
            for block in range(2)
        ]
        sections.append(Section(layer(f"{number} first", into, out), blocks))
        into, height, width = out, (height + 1) // 2, (width + 1) // 2
    return Residual(sections, new_layer(stream(key, "residual last"), (height * width * into, SEEN), GAIN))


def stored_size(space: Space) -> tuple[int, int]:
    """Height and width of the pixels that `prepare` stores."""
    rows, columns = sides_of(space)[0]
    return BLOCK * (rows + 1), BLOCK * (columns + 1)


def encode_residual(
    space: Space, layers: Residual, prepared: jax.Array, dtype: Any = jnp.float32
) -> jax.Array:
    """(batch, outputs) of what `prepare` has made, multiplied in `dtype`."""
    x = as_pixels(space, prepared).astype(dtype) / WHITE
    for section in layers.sections:
        x = shrink(convolve_same(x, section.first, dtype))
        for first, second in section.blocks:
            x = x + convolve_same(rectify(convolve_same(rectify(x), first, dtype)), second, dtype)
    x = rectify(x).reshape(len(x), -1)
    return rectify(x @ layers.last.weights.astype(dtype) + layers.last.bias.astype(dtype))


def as_pixels(space: Space, blocks: jax.Array) -> jax.Array:
    """Blocks as pictures again, (batch, height, width, channels)."""
    batch, rows, columns, _ = blocks.shape
    parts = blocks.reshape(batch, rows, columns, BLOCK, BLOCK, -1).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(batch, *stored_size(space), -1)


def convolve_same(x: jax.Array, layer: Layer, dtype: Any) -> jax.Array:
    edge = SIDE // 2
    padded = jnp.pad(x, ((0, 0), (edge, edge), (edge, edge), (0, 0)))
    return convolve(padded, layer.weights, layer.bias, 1, dtype)


def shrink(x: jax.Array) -> jax.Array:
    """The largest of 3 x 3, at every second row and column."""
    low = np.array(
        -np.inf, x.dtype
    )  # of numpy: jax knows a maximum, and its gradient, by this constant alone
    return jax.lax.reduce_window(x, low, jax.lax.max, (1, SIDE, SIDE, 1), (1, 2, 2, 1), "SAME")
