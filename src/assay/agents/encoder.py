"""What a network sees of an observation: convolutions (Mnih et al. 2015) of pictures, full layers of others.

`SMALL` are the convolutions of Mnih et al. (2013), which cost half as much on a CPU.

Both are functions of a batch, (batch, ...). The first convolution, 8 x 8 with a stride of 4, is computed as
2 x 2 with a stride of 1 on blocks of 4 x 4 pixels, which is the same sum in another order and more than twice
as fast on a GPU; `prepare` puts pictures into blocks once, when they are stored.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.network import as_features, features, is_stack_of_rows
from assay.core.keys import stream
from assay.core.space import Box, Space

BLOCK = 4  # pixels, the stride of the first convolution
HIDDEN = 64  # of each layer for other observations
GAIN = float(np.sqrt(2))
WHITE = 255


class Shape(NamedTuple):
    """Convolutions of pictures, and the full layer after them."""

    kernels: tuple[tuple[int, int, int], ...]  # side, stride, channels; the first is 8 x 8 with a stride of 4
    seen: int  # outputs


class Layer(NamedTuple):
    weights: Any  # (..., in, out)
    bias: Any  # (out,)


LARGE = Shape(((8, 4, 32), (4, 2, 64), (3, 1, 64)), 512)
SMALL = Shape(((8, 4, 16), (4, 2, 32)), 256)


def is_picture(space: Space) -> bool:
    return (
        isinstance(space, Box)
        and len(space.shape) in (2, 3)
        and space.dtype == "uint8"
        and not is_stack_of_rows(space)
    )


def sides_of(space: Space, shape: Shape = LARGE) -> list[tuple[int, int]]:
    """Height and width after each convolution."""
    height, width = space.shape[:2]
    sides = []
    for side, stride, _ in shape.kernels:
        height, width = (height - side) // stride + 1, (width - side) // stride + 1
        sides.append((height, width))
    return sides


def too_small(space: Space, shape: Shape = LARGE) -> str:
    """The reason why a picture has no place for the convolutions, or ""."""
    if is_picture(space) and min(sides_of(space, shape)[-1]) < 1:
        least = 1
        for side, stride, _ in reversed(shape.kernels):
            least = stride * (least - 1) + side
        return (
            f"its convolutions need pictures of at least {least} x {least} pixels, "
            f"and these are {space.shape}"
        )
    return ""


def new_layer(key: jax.Array, shape: tuple[int, ...], gain: float) -> Layer:
    return Layer(jax.nn.initializers.orthogonal(gain)(key, shape), jnp.zeros(shape[-1]))


def first_encoder(
    key: jax.Array, space: Space, shape: Shape = LARGE, hidden: int = HIDDEN, layers: int = 2, frames: int = 1
) -> list[Layer]:
    """The layers before any training: orthogonal, without bias. Other observations may come in a stack."""
    if not is_picture(space):
        sizes = (frames * features(space), *[hidden] * layers)
        shapes: list[tuple[int, ...]] = list(pairwise(sizes))
    else:
        channels = [space.shape[2] if len(space.shape) == 3 else 1, *(count for _, _, count in shape.kernels)]
        shapes = [(side, side, into, out) for (side, _, out), into in zip(shape.kernels, channels)]
        height, width = sides_of(space, shape)[-1]
        shapes.append((height * width * channels[-1], shape.seen))
    return [new_layer(stream(key, f"encoder {i}"), shape, GAIN) for i, shape in enumerate(shapes)]


def encoder_multiplications(space: Space, shape: Shape = LARGE) -> int:
    """How many multiplications the layers of pictures take for one picture."""
    channels = [space.shape[2] if len(space.shape) == 3 else 1, *(count for _, _, count in shape.kernels)]
    layers = zip(sides_of(space, shape), shape.kernels, channels, strict=False)
    height, width = sides_of(space, shape)[-1]
    return height * width * channels[-1] * shape.seen + sum(
        rows * columns * out * side * side * into for (rows, columns), (side, _, out), into in layers
    )


def prepare(space: Space, observations: jax.Array) -> jax.Array:
    """Observations as they are stored: pictures in blocks, (batch, rows, columns, pixels of a block)."""
    if not is_picture(space):
        return jax.vmap(lambda each: as_features(space, each))(observations)
    batch = len(observations)
    height, width = (BLOCK * (length + 1) for length in sides_of(space)[0])  # what the first layer reads
    channels = space.shape[2] if len(space.shape) == 3 else 1
    pixels = observations.reshape(batch, *space.shape[:2], channels)[:, :height, :width]
    blocks = pixels.reshape(batch, height // BLOCK, BLOCK, width // BLOCK, BLOCK, channels)
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(*blocks.shape[:2], width // BLOCK, -1)


def encode(
    space: Space, layers: list[Layer], prepared: jax.Array, dtype: Any = jnp.float32, shape: Shape = LARGE
) -> jax.Array:
    """(batch, outputs) of what `prepare` has made, multiplied in `dtype`."""
    x = prepared.astype(dtype)
    if not is_picture(space):
        for layer in layers:
            x = jnp.tanh(x @ layer.weights.astype(dtype) + layer.bias.astype(dtype))
        return x
    first, *others = layers[:-1]
    x = rectify(convolve(x, on_blocks(first.weights) / WHITE, first.bias, 1, dtype))
    for (_, stride, _), layer in zip(shape.kernels[1:], others):
        x = rectify(convolve(x, layer.weights, layer.bias, stride, dtype))
    last = layers[-1]
    return rectify(x.reshape(len(x), -1) @ last.weights.astype(dtype) + last.bias.astype(dtype))


def on_blocks(weights: jax.Array) -> jax.Array:
    """A kernel on pixels, (8, 8, channels, out), as a kernel on blocks of them, (2, 2, block, out)."""
    side, _, channels, out = weights.shape
    count = side // BLOCK
    parts = weights.reshape(count, BLOCK, count, BLOCK, channels, out).transpose(0, 2, 1, 3, 4, 5)
    return parts.reshape(count, count, BLOCK * BLOCK * channels, out)


@jax.custom_vjp
def rectify(x: jax.Array) -> jax.Array:
    """ReLU. Its gradient asks what came out and not what went in, so that only one of them is stored."""
    return jnp.maximum(x, 0)


def rectify_and_keep(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    # Without the barrier XLA compares what went in after all, and stores both: max(x, 0) > 0 is x > 0.
    out = jax.lax.optimization_barrier(jnp.maximum(x, 0))
    return out, out


def pass_back(out: jax.Array, gradient: jax.Array) -> tuple[jax.Array]:
    return (jnp.where(out > 0, gradient, 0),)


rectify.defvjp(rectify_and_keep, pass_back)


def convolve(x: jax.Array, weights: jax.Array, bias: jax.Array, stride: int, dtype: Any) -> jax.Array:
    if jax.default_backend() == "cpu":
        # Inside loops and branches XLA computes convolutions on CPUs 25 times slower than such a product.
        summed = cut_patches(x, len(weights), stride) @ weights.reshape(-1, weights.shape[-1]).astype(dtype)
    else:
        summed = jax.lax.conv_general_dilated(
            x, weights.astype(dtype), (stride, stride), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
    return summed + bias.astype(dtype)


def cut_patches(x: jax.Array, side: int, stride: int) -> jax.Array:
    """What each place of a kernel of this side covers, (batch, rows, columns, side * side * channels)."""
    rows, columns = (stride * ((length - side) // stride) + 1 for length in x.shape[1:3])
    places = [(i, j) for i in range(side) for j in range(side)]
    parts = [x[:, i : i + rows : stride, j : j + columns : stride] for i, j in places]
    return jnp.concatenate(parts, -1)
