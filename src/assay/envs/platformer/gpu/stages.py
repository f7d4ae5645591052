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
from assay.envs.platformer.gpu.passes import (
    Pass,
    filter_tile,
    finish_tile,
    light_tile,
    passes_of,
    store_floats,
)
from assay.envs.platformer.gpu.tiles import PIXELS, WORD_BITS, Drawn, Facts, Sight, Tile, Tiling, Words, cut

TILE = Tile(8, 64, 4)  # 4 pixels to a thread
LAYERS = Tile(8, 16, 2)  # of the kernel that draws what is filtered
FEW = 1  # passes that read around themselves and still fit one kernel


def needs_stages(params: Params, scene: Any) -> bool:
    named = params.tables.filters
    around = [scene.preset is not None, "blur_sigma" in named, "sharpen_amount" in named,
              params.filters.pixelate_factor > 1]  # fmt: skip
    return sum(around) > FEW


def stage_tiling(params: Params) -> Tiling:
    return cut(TILE, params.H, params.W, pixels=1)


def filter_in_stages(key: jax.Array, params: Params, scene: Any, words: jax.Array, interpret: bool) -> Drawn:
    """The frame of these words after all its filters and lights."""
    facts = Facts(stage_tiling(params))
    passes = [each for each in passes_of(facts, key, params, scene) if each or each.lights is not None]
    stored = words
    for number, each in enumerate(passes):
        last = number == len(passes) - 1
        stored, *sums = filter_once(facts, each, words, stored, last, interpret)
    return Drawn(stored, sums[0])


def filter_once(
    facts: Facts, now: Pass, plain: jax.Array, stored: jax.Array, last: bool, interpret: bool
) -> list[jax.Array]:
    """A pass over a frame: floats (3, 1, H, W), or after the last one words (3, H, W / 4) and their sums."""
    tiling, inputs = facts.tiling, facts.inputs()
    height, width = plain.shape[1], plain.shape[2] * PIXELS
    is_plain = stored.ndim == plain.ndim
    floats = jax.ShapeDtypeStruct((3, 1, height, width), jnp.float32)
    sums = jax.ShapeDtypeStruct((tiling.tiles,), jnp.int32)
    outputs = [jax.ShapeDtypeStruct(plain.shape, plain.dtype), sums] if last else [floats]

    def kernel(*references: Any) -> None:
        *read, before, values = references[: len(inputs) + 2]
        written = references[len(inputs) + 2 :]
        sight = tiling.sight_of(pl.program_id(0), read, not interpret)
        source = Stored(values, height, width, is_plain)
        v = filter_tile(
            now, sight, source.load_tile(sight), source, Stored(before, height, width, whole=True)
        )
        if last:
            filtered = light_tile(now, sight, v, is_filtered=bool(now) or not is_plain)
            finish_tile(written, *join_columns(sight, filtered, height, width))
        else:
            inside = jnp.broadcast_to((sight.rows < height) & (sight.words < width), sight.shape)
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


def join_columns(sight: Sight, values: Words, height: int, width: int) -> tuple[Sight, Words, jax.Array]:
    """The tile with four columns to a word, its words, and which of them are inside the frame."""
    rows, columns = sight.shape
    words = columns // PIXELS
    by = (8 * (sight.words & (PIXELS - 1))).astype(jnp.uint32)
    red, green, blue = (
        (value << by).reshape(rows, words, PIXELS).sum(-1, dtype=jnp.uint32) for value in values
    )
    across = (sight.left >> WORD_BITS) + jax.lax.broadcasted_iota(jnp.int32, (1, words), 1)
    joined = sight._replace(words=across, pixels=PIXELS)
    inside = jnp.broadcast_to((sight.rows < height) & (across < width // PIXELS), joined.shape)
    return joined, (red, green, blue), inside
