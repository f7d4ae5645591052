"""The filters of a frame by a kernel for each pass, every pixel by itself: for frames with many of them.

One kernel of all layers and all filters, four pixels to a word, has twelve of every number and takes minutes
to compile. Here a number stands once for each channel, and no kernel holds more than one pass. It costs
traffic with the memory: a frame's floats are written and read again between passes.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.gpu.filters import Stored
from assay.envs.platformer.gpu.passes import Pass, filter_tile, light_tile, passes_of, store_floats
from assay.envs.platformer.gpu.tiles import PIXELS, Drawn, Facts, Sight, Tile, Words, cut

TILE = Tile(16, 64, 4)  # 8 pixels to a thread
FEW = 1  # passes that read around themselves and still fit one kernel


def needs_stages(params: Params, scene: Any) -> bool:
    named = params.tables.filters
    around = [scene.preset is not None, "blur_sigma" in named, "sharpen_amount" in named,
              params.filters.pixelate_factor > 1]  # fmt: skip
    return sum(around) > FEW


def filter_in_stages(key: jax.Array, params: Params, scene: Any, words: jax.Array, interpret: bool) -> Drawn:
    """The frame of these words after all its filters and lights."""
    facts = Facts(cut(TILE, params.H, params.W, pixels=1))
    passes = [each for each in passes_of(facts, key, params, scene) if each or each.lights is not None]
    plain = jax.lax.bitcast_convert_type(words, jnp.uint8).reshape(3, params.H, params.W)
    stored = plain
    for number, each in enumerate(passes):
        last = number == len(passes) - 1
        stored, *sums = filter_once(facts, each, plain, stored, last, interpret)
    whole = stored.reshape(*words.shape, PIXELS)
    return Drawn(jax.lax.bitcast_convert_type(whole, jnp.uint32), sums[0])


def filter_once(
    facts: Facts, now: Pass, plain: jax.Array, stored: jax.Array, last: bool, interpret: bool
) -> list[jax.Array]:
    """A pass over a frame: floats (3, 1, H, W), or after the last one bytes (3, H, W) and their sums."""
    tiling, inputs = facts.tiling, facts.inputs()
    _, height, width = plain.shape
    is_plain = stored.ndim == plain.ndim
    floats = jax.ShapeDtypeStruct((3, 1, height, width), jnp.float32)
    sums = jax.ShapeDtypeStruct((tiling.tiles,), jnp.int32)
    outputs = [jax.ShapeDtypeStruct(plain.shape, jnp.uint8), sums] if last else [floats]

    def kernel(*references: Any) -> None:
        *read, before, values = references[: len(inputs) + 2]
        written = references[len(inputs) + 2 :]
        sight = tiling.sight_of(pl.program_id(0), read, not interpret)
        inside = jnp.broadcast_to((sight.rows < height) & (sight.words < width), sight.shape)
        source = Stored(values, height, width, is_plain)
        v = filter_tile(now, sight, source.load_tile(sight), source, before, inside)
        if last:
            filtered = light_tile(now, sight, v, is_filtered=bool(now) or not is_plain)
            finish_bytes(written, sight, filtered, inside)
        else:
            store_floats(written[0], sight, v, inside)

    made: list[jax.Array] = pl.pallas_call(
        kernel,
        out_shape=outputs,
        grid=(tiling.tiles,),
        compiler_params=plgpu.CompilerParams(num_warps=TILE.warps, num_stages=1),
        interpret=interpret,
        name="platformer_filters",
    )(*inputs, plain, stored)
    return made


def finish_bytes(written: Any, sight: Sight, values: Words, inside: jax.Array) -> None:
    """Stores the bytes of a tile, and the sum of the words that they are parts of."""
    frame, sums = written
    index = jnp.broadcast_to(sight.rows, sight.shape), jnp.broadcast_to(sight.words, sight.shape)
    for channel, value in enumerate(values):
        plgpu.store(frame.at[(channel, *index)], value.astype(jnp.uint8), mask=inside)
    red, green, blue = (value.astype(jnp.int32) for value in values)
    parts = (red + green + blue) << (8 * (sight.words % PIXELS))
    sums[sight.number] = jnp.where(inside, parts, 0).sum()
