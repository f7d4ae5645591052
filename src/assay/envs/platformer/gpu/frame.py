"""A frame drawn by one kernel on the GPU: planar, four pixels to a word, in one pass where that can be.

XLA stores bytes one by one, and on an H200 that alone holds frames to a sixth of what the memory takes. The
kernel stores words. Its bytes are those of the plain `frame.py` on every whole-number stage; after filters on
floats a byte may be one grey level apart where the float lies next to a whole number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.gpu.filters import (
    Filter,
    Stored,
    filters_of,
    point_lights,
    preset_filters,
)
from assay.envs.platformer.gpu.layers import (
    agent_sprite_layer,
    background_layer,
    level_layer,
    npc_layer,
    standing_shape_layer,
    sticky_layer,
)
from assay.envs.platformer.gpu.numbers import Values, to_values, to_words
from assay.envs.platformer.gpu.shapes import distractor_layer, turning_shape_layer
from assay.envs.platformer.gpu.tiles import PIXELS, Facts, Layer, Sight, Tiling, Words
from assay.envs.platformer.palettes import POP_FILTERS


class Tile(NamedTuple):
    """What one program draws at a time, and by how many warps; both lengths are powers of two."""

    rows: int
    words: int
    warps: int


WIDE = Tile(64, 32, 4)  # where every tile is drawn alike
SMALL = Tile(16, 16, 2)  # where characters and shapes meet few of them
FILTERED = Tile(8, 32, 4)  # where twelve floats of every word are at hand at once


class Drawn(NamedTuple):
    """A frame as the kernel has stored it."""

    words: jax.Array  # (3, H, W / 4) uint32, four pixels each
    sums: jax.Array  # (tiles,) int32, of the words of each tile


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
    height, words = params.H, params.W // PIXELS
    tile = tile or choose_tile(params, scene)
    rows, columns = min(tile.rows, power_of_two(height)), min(tile.words, power_of_two(words))
    down, across = -(-height // rows), -(-words // columns)
    tiles = down * across
    facts = Facts(Tiling(rows, columns, down, across))
    layers = layers_of(facts, params, state, scene)
    passes = passes_of(facts, key, params, scene)
    inputs = [
        jnp.concatenate(facts.ints),
        jnp.concatenate(facts.floats) if facts.floats else jnp.zeros(1, jnp.float32),
        *facts.tables,
    ]
    single = len(passes) == 1
    frame = jax.ShapeDtypeStruct((3, height, words), jnp.uint32)
    floats = jax.ShapeDtypeStruct((3, PIXELS, height, words), jnp.float32)
    # What the first pass stores is bytes still, unless filters came before; two places are enough by turns.
    stores_bytes = not single and not passes[0]
    kinds = [frame if stores_bytes and number == 0 else floats for number in range(len(passes) - 1)]
    outputs = [frame, jax.ShapeDtypeStruct((tiles,), jnp.int32), *kinds[:2]]
    if len(kinds) > 2 and stores_bytes:
        outputs.append(floats)

    def kernel(*references: Any) -> None:
        read, written = references[: len(inputs)], references[len(inputs) :]

        def sight_of(number: Any) -> Sight:
            # Neither is negative, and whole division as numpy means it would ask about signs.
            down_by, right_by = (
                (jax.lax.div(number, across), jax.lax.rem(number, across)) if across > 1 else (number, 0)
            )
            top, first = down_by * rows, right_by * columns
            down = top + jax.lax.broadcasted_iota(jnp.int32, (rows, 1), 0)
            right = first + jax.lax.broadcasted_iota(jnp.int32, (1, columns), 1)
            return Sight(read[0], read[1], read[2:], down, right, top, first * PIXELS, number, not interpret)

        def finish(number: int, tile: Any) -> None:
            draw_pass(number, sight_of(tile), layers, passes, written, height, words, stores_bytes)

        if single:
            finish(0, pl.program_id(0))
            return
        for number in range(len(passes)):
            if number and not interpret:
                plgpu.debug_barrier()
            jax.lax.fori_loop(0, tiles, lambda tile, _, number=number: finish(number, tile), None)

    words, sums, *_ = pl.pallas_call(
        kernel,
        out_shape=outputs,
        grid=(tiles if single else 1,),
        compiler_params=plgpu.CompilerParams(num_warps=tile.warps, num_stages=1),
        interpret=interpret,
        name="platformer_frame",
    )(*inputs)
    return Drawn(words, sums)


def choose_tile(params: Params, scene: Any) -> Tile:
    some = (scene.distractors, scene.npcs, scene.sticky)
    if any(each is not None for each in some):
        return SMALL
    filtered = params.tables.filters or scene.preset is not None or params.filters.pixelate_factor > 1
    return FILTERED if filtered or scene.lights is not None else WIDE


def power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


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


class Pass(list):
    """Filters that are applied in one pass; the first may read what the pass before has stored."""

    ends_preset: int | None = None  # the place of the preset's number, where its chain ends with this pass
    lights: Any = None
    starts_whole: bool = False  # whether it begins with the bytes of the frame


def passes_of(facts: Facts, key: jax.Array, params: Params, scene: Any) -> list[Pass]:
    passes = [Pass()]
    if scene.preset is not None:
        split(passes, preset_filters(facts, params, scene.preset))
        passes[-1].ends_preset = facts.add_ints(scene.preset)
    split(passes, filters_of(facts, key, params))
    if scene.lights is not None:
        passes[-1].lights = point_lights(facts, params, scene)
    return passes


def split(passes: list[Pass], chain: list[Filter]) -> None:
    """Adds filters to the last pass; one that reads around itself begins another."""
    for each in chain:
        if each.around:
            passes.append(Pass())
        passes[-1].append(each)


def draw_pass(
    number: int,
    sight: Sight,
    layers: list[Layer],
    passes: list[Pass],
    written: Any,
    height: int,
    words: int,
    stores_bytes: bool,
) -> None:
    """One tile of one pass: from the layers or from what was stored, through filters, to floats or bytes."""

    def scratch_of(number: int) -> Any:
        """Where a pass stores; bytes and floats have places of their own."""
        if stores_bytes:
            return written[2] if number == 0 else written[3 + (number - 1) % 2]
        return written[2 + number % 2]

    now, last = passes[number], number == len(passes) - 1
    frame, shape = written[0], sight.shape
    zero = jnp.zeros(shape, jnp.uint32)
    drawn: Words = (zero, zero, zero)
    inside = (sight.rows < height) & (sight.words < words)
    inside = jnp.broadcast_to(inside, shape)
    if number == 0:
        for layer in layers:
            drawn = layer(sight, drawn)
        plain = last and not now and now.lights is None
        if plain:
            finish_tile(written, sight, drawn, inside)
            return
        if any(each.ends_preset is not None for each in passes):
            store_words(frame, sight, drawn, inside)
        if stores_bytes:
            store_words(scratch_of(0), sight, drawn, inside)
            return
        v, stored = to_values(sight, drawn), None
    else:
        stored = Stored(scratch_of(number - 1), height, words, stores_bytes and number == 1)
        v = stored.load_tile(sight)
    for each in now:
        v = each.apply(sight, v, stored) if each.around else each.apply(sight, v)
    if now.ends_preset is not None:
        v = keep_without_preset(frame, sight, v, now.ends_preset, inside)
    if not last:
        store_floats(scratch_of(number), sight, v, inside)
        return
    if now.lights is not None:
        if now or number:
            v = to_values(sight, to_words(sight, v))
        v = now.lights(sight, v)
    finish_tile(written, sight, to_words(sight, v), inside)


def finish_tile(written: Any, sight: Sight, drawn: Words, inside: jax.Array) -> None:
    """Stores the words of a tile and their sum, by which a reader knows that they were stored."""
    frame, sums = written[:2]
    store_words(frame, sight, drawn, inside)
    red, green, blue = (jax.lax.bitcast_convert_type(word, jnp.int32) for word in drawn)
    sums[sight.number] = jnp.where(inside, red + green + blue, 0).sum()


def keep_without_preset(frame: Any, sight: Sight, v: Values, place: int, inside: jax.Array) -> Values:
    """The preset ends in bytes; under "none" they are those of the frame."""
    index = jnp.broadcast_to(sight.rows, sight.shape), jnp.broadcast_to(sight.words, sight.shape)
    before = tuple(plgpu.load(frame.at[(c, *index)], mask=inside, other=0) for c in range(3))
    none = sight.ints[place] == POP_FILTERS.index("none")
    red, green, blue = (jnp.where(none, old, new) for old, new in zip(before, to_words(sight, v)))
    return to_values(sight, (red, green, blue))


def store_words(frame: Any, sight: Sight, drawn: Words, inside: jax.Array) -> None:
    index = jnp.broadcast_to(sight.rows, sight.shape), jnp.broadcast_to(sight.words, sight.shape)
    for channel, word in enumerate(drawn):
        plgpu.store(frame.at[(channel, *index)], word, mask=inside)


def store_floats(scratch: Any, sight: Sight, v: Values, inside: jax.Array) -> None:
    index = jnp.broadcast_to(sight.rows, sight.shape), jnp.broadcast_to(sight.words, sight.shape)
    for channel, pixels in enumerate(v):
        for pixel, value in enumerate(pixels):
            plgpu.store(scratch.at[(channel, pixel, *index)], value, mask=inside)
