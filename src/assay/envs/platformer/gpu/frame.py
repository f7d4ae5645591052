"""A frame drawn by a kernel on the GPU: planar, four pixels to a word, in one pass where that can be.

XLA stores bytes one by one, and on an H200 that alone holds frames to a sixth of what the memory takes. The
kernel stores words. Its bytes are those of the plain `frame.py` on every whole-number stage; after filters on
floats a byte may be one grey level apart where the float lies next to a whole number.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.gpu.layers import (
    agent_sprite_layer,
    background_layer,
    level_layer,
    npc_layer,
    standing_shape_layer,
    sticky_layer,
)
from assay.envs.platformer.gpu.passes import Pass, draw_pass, passes_of
from assay.envs.platformer.gpu.shapes import distractor_layer, turning_shape_layer
from assay.envs.platformer.gpu.stages import LAYERS, filter_in_stages, needs_stages, stage_tiling
from assay.envs.platformer.gpu.tiles import PIXELS, Drawn, Facts, Layer, Tile, cut

WIDE = Tile(64, 32, 4)  # where every tile is drawn alike
SMALL = Tile(16, 16, 2)  # where characters and shapes meet few of them
FILTERED = Tile(8, 32, 4)  # where twelve floats of every word are at hand at once


def observe_fused(key: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    """One frame, (H, W, 3) uint8: a view of the planar bytes."""
    return draw_fused(key, params, state, scene).transpose(1, 2, 0)


def draw_fused(
    key: jax.Array, params: Params, state: Any, scene: Any, interpret: bool = False, tile: Tile | None = None
) -> jax.Array:
    """One frame, (3, H, W) uint8, as `frame.draw_layers` draws it."""
    words = draw_words(key, params, state, scene, interpret, tile).words
    return jax.lax.bitcast_convert_type(words, jnp.uint8).reshape(3, params.H, params.W)


def draw_words(
    key: jax.Array, params: Params, state: Any, scene: Any, interpret: bool = False, tile: Tile | None = None
) -> Drawn:
    in_stages = needs_stages(params, scene)
    facts = Facts(cut(tile or choose_tile(params, scene, in_stages), params.H, params.W))
    layers = layers_of(facts, params, state, scene)
    passes = [Pass()] if in_stages else passes_of(facts, key, params, scene)
    warps = (tile or choose_tile(params, scene, in_stages)).warps
    drawn = draw_at_once(facts, layers, passes, params, warps, interpret)
    return filter_in_stages(key, params, scene, drawn.words, interpret) if in_stages else drawn


def empty_words(key: jax.Array, params: Params, state: Any, scene: Any) -> Drawn:
    """Zeros of the shapes that `draw_words` gives, for a carry before the first frame."""
    in_stages = needs_stages(params, scene)
    tiling = stage_tiling(params) if in_stages else cut(choose_tile(params, scene), params.H, params.W)
    words = jnp.zeros((3, params.H, params.W // PIXELS), jnp.uint32)
    return Drawn(words, jnp.zeros(tiling.tiles, jnp.int32))


def draw_at_once(
    facts: Facts, layers: list[Layer], passes: list[Pass], params: Params, warps: int, interpret: bool
) -> Drawn:
    """A frame by one kernel. Of several passes a single program draws the whole frame, pass after pass."""
    tiling, inputs = facts.tiling, facts.inputs()
    height, words = params.H, params.W // PIXELS
    single = len(passes) == 1
    frame = jax.ShapeDtypeStruct((3, height, words), jnp.uint32)
    floats = jax.ShapeDtypeStruct((3, PIXELS, height, words), jnp.float32)
    # What the first pass stores is bytes still, unless filters came before; two places are enough by turns.
    stores_bytes = not single and not passes[0]
    kinds = [frame if stores_bytes and number == 0 else floats for number in range(len(passes) - 1)]
    outputs = [frame, jax.ShapeDtypeStruct((tiling.tiles,), jnp.int32), *kinds[:2]]
    if len(kinds) > 2 and stores_bytes:
        outputs.append(floats)

    def kernel(*references: Any) -> None:
        read, written = references[: len(inputs)], references[len(inputs) :]

        def finish(number: int, tile: Any) -> None:
            sight = tiling.sight_of(tile, read, not interpret)
            draw_pass(number, sight, layers, passes, written, height, words, stores_bytes)

        if single:
            finish(0, pl.program_id(0))
            return
        for number in range(len(passes)):
            if number and not interpret:
                plgpu.debug_barrier()
            jax.lax.fori_loop(0, tiling.tiles, lambda tile, _, number=number: finish(number, tile), None)

    drawn, sums, *_ = pl.pallas_call(
        kernel,
        out_shape=outputs,
        grid=(tiling.tiles if single else 1,),
        compiler_params=plgpu.CompilerParams(num_warps=warps, num_stages=1),
        interpret=interpret,
        name="platformer_frame",
    )(*inputs)
    return Drawn(drawn, sums)


def choose_tile(params: Params, scene: Any, in_stages: bool = False) -> Tile:
    some = (scene.distractors, scene.npcs, scene.sticky)
    if in_stages:
        return LAYERS
    if any(each is not None for each in some):
        return SMALL
    filtered = params.tables.filters or scene.preset is not None or params.filters.pixelate_factor > 1
    return FILTERED if filtered or scene.lights is not None else WIDE


def layers_of(facts: Facts, params: Params, state: Any, scene: Any) -> list[Layer]:
    """From the back to the front, as in `frame.observe_pixels`."""
    makers = [background_layer]
    if scene.distractors is not None and params.distractors.count:
        makers.append(distractor_layer)
    makers.append(level_layer)
    if scene.npcs is not None and params.npc.max_npc_count:
        makers.append(npc_layer)
    if scene.sticky is not None and params.npc.max_sticky_count:
        makers.append(sticky_layer)
    if params.character.use_sprites:
        makers.append(agent_sprite_layer)
    else:
        makers.append(turning_shape_layer if params.character.shape_rotate else standing_shape_layer)
    return [make(facts, params, state, scene) for make in makers]
