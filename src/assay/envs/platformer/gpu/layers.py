"""The layers of a frame inside the GPU kernel: background, level, sprites, and the agent's shape at rest.

A layer is made in two parts: outside the kernel it adds its numbers to `Facts`, inside, `draw(sight, words)`
puts it onto one tile, three arrays of words. The bytes are those of `draw_background.py` and
`draw_characters.py`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer import hashing
from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_background import color_array, find_solid_spans
from assay.envs.platformer.draw_characters import AGENT_LOWER, NOWHERE, shape_color
from assay.envs.platformer.gpu.tiles import (
    HALF,
    LOW,
    PIXELS,
    SPLAT,
    Box,
    Facts,
    Layer,
    Sight,
    Words,
    add_meetings,
    byte_mask,
    draw_met,
    fill_bytes,
    join_pixels,
    only_over,
    read_color,
    take_pixel,
)
from assay.envs.platformer.npc_motion import NPC_ABOVE
from assay.envs.platformer.palettes import (
    BACKGROUND_COLORS,
    LAYOUT_COLORS,
    LAYOUT_COLORS_OF_KAGE,
)
from assay.envs.platformer.scene import shows_walk


def background_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    mode = params.background.mode
    if mode == "black":
        return lambda sight, words: words
    if mode == "color":
        place = facts.add_ints(jnp.asarray(color_array(BACKGROUND_COLORS))[scene.background])

        def draw_color(sight: Sight, words: Words) -> Words:
            red, green, blue = (jnp.broadcast_to(each, sight.shape) for each in read_color(sight, place))
            return red, green, blue

        return draw_color
    if mode == "noise":
        return noise_layer(facts, params, scene.background)
    return picture_layer(facts, params, state, scene.background)


def noise_layer(facts: Facts, params: Params, seed: jax.Array) -> Layer:
    first = seed.astype(jnp.uint32)
    place = facts.add_ints(*(jax.lax.bitcast_convert_type(each, jnp.int32)
                             for each in (first, hashing.mix_bits(first))))  # fmt: skip
    width = params.W

    def draw(sight: Sight, words: Words) -> Words:
        seeds = [sight.ints[place + i].astype(jnp.uint32) for i in range(2)]
        bits = []
        for pixel in range(PIXELS):
            number = (sight.rows * width + sight.columns(pixel)).astype(jnp.uint32) * hashing.GOLDEN
            bits.append(hashing.mix_bits(hashing.mix_bits(number ^ seeds[0]) + seeds[1]))
        red, green, blue = (
            join_pixels([((each >> by) & 255).astype(jnp.int32) for each in bits]) for by in (24, 16, 8)
        )
        return red, green, blue

    return draw


def picture_layer(facts: Facts, params: Params, state: Any, which: jax.Array) -> Layer:
    pictures = params.tables.pictures  # (n, 3, H, width + W)
    width = pictures.shape[-1] - params.W
    offset = jnp.round(state.camera_x * params.background.parallax_factor).astype(jnp.int32)
    place = facts.add_ints(which, offset, offset % width, params.background.tile_horizontal)
    table = facts.add_table(pictures_as_words(pictures))
    height, seen = params.H, params.W

    def draw(sight: Sight, words: Words) -> Words:
        number, start, turned, again = (sight.ints[place + i] for i in range(4))
        inside = jnp.broadcast_to((sight.rows < height) & (sight.words < seen // PIXELS), sight.shape)
        rows = jnp.broadcast_to(sight.rows, sight.shape)
        first = jnp.broadcast_to(turned // PIXELS + sight.words, sight.shape)
        by = (8 * (turned % PIXELS)).astype(jnp.uint32)
        past = byte_mask([
            jnp.broadcast_to((again == 0) & (sight.columns(pixel) + start >= width), sight.shape)
            for pixel in range(PIXELS)
        ])  # fmt: skip
        drawn = []
        for channel in range(3):

            def load(word: Any, channel: int = channel) -> jax.Array:
                return plgpu.load(sight.tables[table].at[number, channel, rows, word], mask=inside, other=0)

            # Four bytes from any place are parts of two words; a shift by 32 would be none.
            low, high = load(first) >> by, (load(first + 1) << (31 - by)) << 1
            edge = (load(jnp.full(sight.shape, (width - 1) // PIXELS)) >> (8 * ((width - 1) % PIXELS))) & 255
            drawn.append(((low | high) & ~past) | (edge * SPLAT & past))
        red, green, blue = drawn
        return red, green, blue

    return draw


def pictures_as_words(pictures: jax.Array) -> jax.Array:
    """(..., bytes) as (..., words), with a word to spare at the end of each row."""
    missing = -pictures.shape[-1] % PIXELS + PIXELS
    filled = jnp.pad(pictures, [(0, 0)] * (pictures.ndim - 1) + [(0, missing)])
    return jax.lax.bitcast_convert_type(filled.reshape(*filled.shape[:-1], -1, PIXELS), jnp.uint32)


def level_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    colors = LAYOUT_COLORS_OF_KAGE if params.compat == "kage" else LAYOUT_COLORS
    place = facts.add_ints(jnp.asarray(color_array(colors))[scene.ground_color])
    first, count = (each.astype(jnp.int32) for each in find_solid_spans(params, state))
    start, end = (jnp.clip(each, 0, params.H) for each in (first, first + count))
    spans = facts.add_table(start | end << HALF)  # (W,); both ends in one number, since they are loaded often
    width = params.W

    def draw(sight: Sight, words: Words) -> Words:
        inside = []
        for pixel in range(PIXELS):
            column = jnp.minimum(sight.columns(pixel), width - 1)[0]
            span = sight.tables[spans][column][None, :]
            inside.append((sight.rows >= span & LOW) & (sight.rows < span >> HALF))
        return fill_bytes(words, byte_mask(inside), read_color(sight, place))

    return draw


def standing_shape_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    """The agent's shape where it does not turn: a mask that is looked up."""
    masks = params.tables.shape_masks
    side = masks.shape[-1] // 3
    x, y = agent_place(state)
    table = facts.add_table(masks[:, side : 2 * side, side : 2 * side].astype(jnp.uint8))
    place = facts.add_ints(y - side // 2, x - side // 2, scene.shape, shape_color(scene.shape_color))

    def draw(sight: Sight, words: Words) -> Words:
        top, left, shape = (sight.ints[place + i] for i in range(3))

        def put(words: Words) -> Words:
            down = jnp.broadcast_to(sight.rows - top, sight.shape)
            inside = []
            for pixel in range(PIXELS):
                right = jnp.broadcast_to(sight.columns(pixel) - left, sight.shape)
                within = (down >= 0) & (down < side) & (right >= 0) & (right < side)
                value = plgpu.load(sight.tables[table].at[shape, down, right], mask=within, other=0)
                inside.append(value != 0)
            return fill_bytes(words, byte_mask(inside), read_color(sight, place + 3))

        return only_over(sight, Box(top, left, side, side), put, words)

    return draw


def agent_place(state: Any) -> tuple[jax.Array, jax.Array]:
    x = jnp.round(state.x - state.camera_x).astype(jnp.int32)
    return x, jnp.round(state.y + AGENT_LOWER).astype(jnp.int32)


def agent_sprite_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    tables = params.tables
    idle, walk = tables.idle_frames[scene.skin], tables.frames[scene.skin]
    walking = tables.walk_from + jnp.minimum(scene.frame, walk - 1)
    number = jnp.where(shows_walk(params, state), walking, jnp.minimum(scene.frame, idle - 1))
    x, y = agent_place(state)
    return sprites_layer(facts, params, tables.atlas, scene.skin[None], number[None], x[None], y[None])


def npc_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    npcs, atlas = scene.npcs, params.tables.npc_atlas
    as_kage = params.compat == "kage"
    beside = params.tables.width if as_kage else atlas.shape[-1] // 3
    x = npcs.x - jnp.round(state.camera_x).astype(jnp.int32)
    is_near = (npcs.x > 0) & (x >= -beside) & (x < params.W + beside)
    y = jnp.where(is_near, npcs.y + (0 if as_kage else NPC_ABOVE), NOWHERE)
    number = jnp.minimum(npcs.frame, params.tables.npc_frames[npcs.skin] - 1)
    return sprites_layer(facts, params, atlas, npcs.skin, number, x, y)


def sticky_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    sticky, tables = scene.sticky, params.tables
    present = jnp.arange(params.npc.max_sticky_count) < sticky.count
    y = jnp.where(present, jnp.round(sticky.y).astype(jnp.int32), NOWHERE)
    number = jnp.minimum(sticky.frame, tables.sticky_frames[sticky.skin] - 1)
    x = jnp.round(state.x - state.camera_x).astype(jnp.int32) + sticky.offset
    return sprites_layer(facts, params, tables.sticky_atlas, sticky.skin, number, x, y)


def sprites_layer(
    facts: Facts, params: Params, atlas: jax.Array, skin: Any, number: Any, x: Any, y: Any
) -> Layer:
    """Sprites one after another, each with its feet at the lower end of a box around x, y."""
    height, width = (side // 3 for side in atlas.shape[-2:])
    count = x.shape[0]
    top, left = y + params.tables.half_height - height, x - width // 2
    # A sprite beside the frame is given a row below it, so that one question settles whether it is drawn.
    top = jnp.where((left < params.W) & (left + width > 0), top, NOWHERE)
    place = facts.add_ints(top, left, skin, number)
    meetings = add_meetings(facts, Box(top, left, height, width))
    table = facts.add_table(pack_colors(atlas[..., height : 2 * height, width : 2 * width]))

    def draw(sight: Sight, words: Words) -> Words:
        def put(i: jax.Array, words: Words) -> Words:
            up, side, skin, number = (sight.ints[place + by * count + i] for by in range(4))
            return blend_sprite(sight, sight.tables[table], (skin, number), up, side, (height, width), words)

        return draw_met(sight, meetings, count, put, words)

    return draw


def blend_sprite(
    sight: Sight, atlas: Any, which: tuple, top: Any, left: Any, size: tuple[int, int], words: Words
) -> Words:
    """An RGBA picture over the tile; fractions are dropped."""
    height, width = size
    down = jnp.broadcast_to(sight.rows - top, sight.shape)
    mixed: list[list[jax.Array]] = [[], [], []]
    for pixel in range(PIXELS):
        right = jnp.broadcast_to(sight.columns(pixel) - left, sight.shape)
        within = (down >= 0) & (down < height) & (right >= 0) & (right < width)
        color = plgpu.load(atlas.at[(*which, down, right)], mask=within, other=0)
        share = take_pixel(color, 3)
        for channel in range(3):
            below = take_pixel(words[channel], pixel)
            mixed[channel].append(over_255(share * take_pixel(color, channel) + (255 - share) * below))
    red, green, blue = map(join_pixels, mixed)
    return red, green, blue


def pack_colors(pictures: jax.Array) -> jax.Array:
    """(..., 4, height, width) bytes as (..., height, width) words."""
    red, green, blue, share = (pictures[..., channel, :, :].astype(jnp.uint32) for channel in range(4))
    return red | green << 8 | blue << 16 | share << 24


def over_255(number: jax.Array) -> jax.Array:
    """`number // 255` of a number from 0 to 65535, without a division."""
    return ((number.astype(jnp.uint32) * np.uint32(0x8081)) >> 23).astype(jnp.int32)
