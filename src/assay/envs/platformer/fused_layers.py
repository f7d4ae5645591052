"""The layers of a frame as a GPU kernel draws them: four neighbouring pixels of one channel to a 32-bit word.

A layer is made in two parts. Outside the kernel it writes the numbers of its frame into `Facts`: colours,
places, seeds. Inside, `draw(sight, words)` puts it onto one tile of the frame, three arrays of words. A mask
of whole bytes fills in one operation a word; only what is blended or filtered is taken apart into pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer import hashing
from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_background import color_array, find_solid_spans
from assay.envs.platformer.draw_characters import AGENT_LOWER, KAGE_REACH, NOWHERE, shape_color
from assay.envs.platformer.npc_motion import NPC_ABOVE
from assay.envs.platformer.palettes import (
    BACKGROUND_COLORS,
    LAYOUT_COLORS,
    LAYOUT_COLORS_OF_KAGE,
    SHAPES,
)
from assay.envs.platformer.scene import shows_walk
from assay.envs.platformer.shapes import (
    GRAIN,
    INNER,
    Size,
    agent_size,
    corner_angle,
    distractor_size,
    order_from_above,
)

PIXELS = 4  # in a word
SPLAT = np.uint32(0x01010101)  # a byte in every place of a word
BITS, HALF = 32, 16  # of a number, and of one of two numbers in it
LOW = (1 << HALF) - 1
RADII = {"triangle": [1.0] * 3, "star": [1.0, INNER] * 5, "polygon": [1.0] * 6}  # parts, corner by corner
EDGES = 10  # of the shape with most corners
CORNERS = np.array([len(RADII.get(name, ())) for name in SHAPES], np.int32)
CORNER_ANGLES, CORNER_PARTS = np.zeros((2, len(SHAPES), EDGES), np.float32)
for number, name in enumerate(SHAPES):
    parts = RADII.get(name, [])
    CORNER_ANGLES[number, : len(parts)] = [corner_angle(k, len(parts)) for k in range(len(parts))]
    CORNER_PARTS[number, : len(parts)] = parts
Words = tuple[jax.Array, jax.Array, jax.Array]  # red, green, blue: (rows, words) uint32


class Tiling(NamedTuple):
    """How a frame is cut into tiles; rows and words are those of one tile."""

    rows: int
    words: int
    down: int  # tiles
    across: int


@dataclass
class Facts:
    """The numbers of one frame that its kernel reads, and the tables, which frames share."""

    tiling: Tiling
    ints: list[jax.Array] = field(default_factory=list)
    floats: list[jax.Array] = field(default_factory=list)
    tables: list[jax.Array] = field(default_factory=list)

    def add_ints(self, *values: Any) -> int:
        """The place of the first of these among the whole numbers."""
        return add(self.ints, values, jnp.int32)

    def add_floats(self, *values: Any) -> int:
        return add(self.floats, values, jnp.float32)

    def add_table(self, table: jax.Array) -> int:
        self.tables.append(table)
        return len(self.tables) - 1


def add(numbers: list[jax.Array], values: tuple[Any, ...], dtype: Any) -> int:
    start = sum(each.size for each in numbers)
    numbers += [jnp.asarray(value).astype(dtype).reshape(-1) for value in values]
    return start


class Sight(NamedTuple):
    """One tile of a frame, inside the kernel."""

    ints: Any  # references
    floats: Any
    tables: Any
    rows: jax.Array  # (rows, 1) int32, of the frame
    words: jax.Array  # (1, words) int32
    top: Any  # () int32, the first row
    left: Any  # () int32, the first column
    number: Any  # () int32, of the tile
    fast: bool  # whether the card's own instructions are there, as they are not in a trial on a CPU

    def columns(self, pixel: int) -> jax.Array:
        """The columns of one of the four pixels of every word."""
        return self.words * PIXELS + pixel

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.words.shape[1]


Layer = Callable[[Sight, Words], Words]


def splat(color: jax.Array) -> Any:
    return color.astype(jnp.uint32) * SPLAT


def byte_mask(inside: list[jax.Array]) -> jax.Array:
    """Words with 255 in the bytes whose pixels are inside."""
    whole = jnp.zeros(inside[0].shape, jnp.uint32)
    for pixel, each in enumerate(inside):
        whole |= jnp.where(each, np.uint32(255 << 8 * pixel), np.uint32(0))
    return whole


def fill_bytes(words: Words, mask: jax.Array, colors: list[Any]) -> Words:
    red, green, blue = ((word & ~mask) | (color & mask) for word, color in zip(words, colors))
    return red, green, blue


def take_pixel(word: jax.Array, pixel: int) -> jax.Array:
    return ((word >> (8 * pixel)) & 255).astype(jnp.int32)


def join_pixels(pixels: list[jax.Array]) -> jax.Array:
    """A word of four bytes, int32 from 0 to 255 each."""
    whole = pixels[0].astype(jnp.uint32)
    for pixel, each in enumerate(pixels[1:], 1):
        whole |= each.astype(jnp.uint32) << (8 * pixel)
    return whole


def read_color(sight: Sight, place: int) -> list[Any]:
    return [splat(sight.ints[place + channel]) for channel in range(3)]


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


class Box(NamedTuple):
    """A part of the frame."""

    top: Any
    left: Any
    height: Any
    width: Any


def add_meetings(facts: Facts, boxes: Box) -> int:
    """The place of the bits that say for each tile which of the boxes it meets, 32 to a number.

    A tile that asked every box in turn would spend most of its time on those it does not meet.
    """
    tiling, count = facts.tiling, boxes.top.shape[0]
    tops = jnp.arange(tiling.down)[:, None] * tiling.rows
    lefts = jnp.arange(tiling.across)[:, None] * (tiling.words * PIXELS)
    in_rows = (boxes.top < tops + tiling.rows) & (boxes.top + boxes.height > tops)
    in_columns = (boxes.left < lefts + tiling.words * PIXELS) & (boxes.left + boxes.width > lefts)
    meets = (in_rows[:, None] & in_columns[None]).reshape(tiling.down * tiling.across, count)
    meets = jnp.pad(meets, ((0, 0), (0, -count % BITS))).reshape(len(meets), -1, BITS)
    bits = jnp.where(meets, np.uint32(1) << np.arange(BITS, dtype=np.uint32), np.uint32(0)).sum(
        -1, dtype=jnp.uint32
    )
    return facts.add_ints(jax.lax.bitcast_convert_type(bits, jnp.int32))


def draw_met(
    sight: Sight, place: int, count: int, draw: Callable[[Any, Words], Words], words: Words
) -> Words:
    """Draws those of the boxes of `add_meetings` that meet this tile, in their order."""
    groups = -(-count // BITS)
    for group in range(groups):

        def draw_next(carry: tuple[Any, Words], group: int = group) -> tuple[Any, Words]:
            bits, words = carry
            last = bits & -bits
            return bits - last, draw(BITS - 1 - jax.lax.clz(last) + BITS * group, words)

        bits = sight.ints[place + sight.number * groups + group]
        _, words = jax.lax.while_loop(lambda carry: carry[0] != 0, draw_next, (bits, words))
    return words


def only_over(sight: Sight, box: Box, draw: Callable[[Words], Words], words: Words) -> Words:
    """Draws where a box meets the tile; elsewhere no pixel is asked."""
    rows, columns = sight.shape[0], sight.shape[1] * PIXELS
    meets = (box.top < sight.top + rows) & (box.top + box.height > sight.top)
    meets &= (box.left < sight.left + columns) & (box.left + box.width > sight.left)
    drawn: Words = jax.lax.cond(meets, draw, lambda words: words, words)
    return drawn


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


def turning_shape_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    tables = params.tables
    size = agent_size(tables.width, tables.height, jnp.minimum(tables.width, tables.height))
    x, y = agent_place(state)
    return shapes_layer(
        facts, params, x[None], y[None], scene.shape[None], shape_color(scene.shape_color)[None],
        jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32)[None], size), jnp.deg2rad(scene.angle)[None],
        tables.shape_reach, cut=False,
    )  # fmt: skip


def distractor_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    shapes, as_kage = scene.distractors, params.compat == "kage"
    x, y = (jnp.round(each).astype(jnp.int32) for each in (shapes.x, shapes.y))
    angle = shapes.angle if as_kage else jnp.deg2rad(shapes.angle)
    size = jax.tree.map(
        lambda leaf: jnp.broadcast_to(jnp.asarray(leaf, jnp.float32), x.shape), distractor_size(shapes.size)
    )
    return shapes_layer(
        facts, params, x, y, shapes.shape, shape_color(shapes.color), size, angle,
        params.tables.distractor_reach, cut=as_kage,
    )  # fmt: skip


def shapes_layer(
    facts: Facts,
    params: Params,
    x: jax.Array,
    y: jax.Array,
    shape: jax.Array,
    color: jax.Array,
    size: Size,
    radians: jax.Array,
    reach: int,
    cut: bool,
) -> Layer:
    """Turned shapes one after another; their corners are worked out before, once for each shape."""
    count = x.shape[0]
    far = jnp.minimum(jnp.ceil(reach_of(size)).astype(jnp.int32) + 1, reach)
    whole = facts.add_ints(x, y, shape, *(color[:, channel] for channel in range(3)))
    meetings = add_meetings(facts, Box(y - far, x - far, 2 * far + 1, 2 * far + 1))
    thin = jnp.maximum(1.0, size.radius / 4) / 2
    real = facts.add_floats(
        jnp.cos(radians), jnp.sin(radians), size.radius, thin, *size.ellipse, *size.diamond
    )
    edges = facts.add_floats(*polygon_edges(shape, size.radius, radians))  # four of (count, EDGES)

    def draw(sight: Sight, words: Words) -> Words:
        def put(i: jax.Array, words: Words) -> Words:
            x, y, shape = (sight.ints[whole + by * count + i] for by in range(3))
            colors = [splat(sight.ints[whole + by * count + i]) for by in range(3, 6)]
            numbers = [sight.floats[real + by * count + i] for by in range(9)]
            dy = (sight.rows - y).astype(jnp.float32)
            offsets = [(sight.columns(pixel) - x).astype(jnp.float32) for pixel in range(PIXELS)]
            first_edge = edges + i * EDGES
            branches = [
                lambda name=name: byte_mask([
                    jnp.broadcast_to(inside_shape(name, sight, dx, dy, numbers, first_edge, count * EDGES),
                        sight.shape,
                    )
                    for dx in offsets
                ])
                for name in SHAPES
            ]  # fmt: skip
            mask = jax.lax.switch(shape, branches)
            if cut:
                near = jnp.abs(dy + 0.5) < KAGE_REACH
                mask &= byte_mask([near & (jnp.abs(dx + 0.5) < KAGE_REACH) for dx in offsets])
            return fill_bytes(words, mask, colors)

        return draw_met(sight, meetings, count, put, words)

    return draw


def reach_of(size: Size) -> jax.Array:
    """How far from its centre the largest of the shapes of this size may come."""
    by_x, by_y, most = size.ellipse
    corner = size.radius * np.float32(2**0.5)
    ellipse = jnp.sqrt(most / jnp.minimum(by_x, by_y))
    return jnp.maximum(jnp.maximum(corner, ellipse), jnp.maximum(*size.diamond))


def inside_shape(
    name: str, sight: Sight, dx: Any, dy: Any, numbers: list[Any], first_edge: Any, stride: int
) -> jax.Array:
    """One shape of `shapes.mask_shape`; which one is known here, so the others are not asked."""
    cos, sin, r, thin, by_x, by_y, most, side, tip = numbers
    if name == "circle":
        return dx * dx + dy * dy <= r * r
    if name in ("triangle", "star", "polygon"):
        count = len(RADII[name])
        inside = jnp.zeros(sight.shape, jnp.bool_)
        for edge in range(count):
            x0, y0, y1, slope = (sight.floats[first_edge + edge + by * stride] for by in range(4))
            crosses = (y0 > dy) != (y1 > dy)
            inside = inside ^ (crosses & (dx < x0 + (dy - y0) * slope))
        return inside
    x, y = dx * cos - dy * sin, dx * sin + dy * cos
    across, along = jnp.abs(x), jnp.abs(y)
    if name == "square":
        return (across <= r) & (along <= r)
    if name == "ellipse":
        return by_x * (x * x) + by_y * (y * y) <= most
    if name == "diamond":
        return across * tip + along * side <= side * tip
    line, upright = (across <= r) & (along <= thin), (along <= r) & (across <= thin)
    return line if name == "line" else line | upright


def polygon_edges(shape: jax.Array, radius: jax.Array, radians: jax.Array) -> tuple[jax.Array, ...]:
    """Of each edge its upper corner, the row of its lower one, and its slope: x, y, y, slope of (count, EDGES).

    Edges that a shape does not have are not asked for; neither are those of shapes without corners.
    """
    count = jnp.asarray(CORNERS)[shape][:, None]
    angles = radians[:, None] + jnp.asarray(CORNER_ANGLES)[shape]
    radii = radius[:, None] * jnp.asarray(CORNER_PARTS)[shape]
    x, y = (jnp.round(radii * f(angles) * GRAIN) / GRAIN for f in (jnp.cos, jnp.sin))
    # Otherwise both would be worked out again for each number of each edge that has a part in them.
    x, y = jax.lax.optimization_barrier((x, y))
    is_last = jnp.arange(EDGES) == count - 1
    after = tuple(jnp.where(is_last, line[:, :1], jnp.roll(line, -1, 1)) for line in (x, y))
    x0, y0, x1, y1 = order_from_above(jnp, (x, y), after)
    return x0, y0, y1, (x1 - x0) / jnp.where(y1 == y0, 1.0, y1 - y0)
