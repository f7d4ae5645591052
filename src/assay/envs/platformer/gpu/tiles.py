"""A tile of a frame inside the GPU kernel: four neighbouring pixels of one channel to a 32-bit word.

Outside the kernel a layer writes the numbers of its frame into `Facts`: colours, places, seeds. Inside, it
reads them through a `Sight`, the tile that one program draws. A mask of whole bytes fills in one operation a
word; only what is blended or filtered is taken apart into pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

PIXELS = 4  # in a word
WORD_BITS = 2  # by which a column is shifted to find its word
SPLAT = np.uint32(0x01010101)  # a byte in every place of a word
BITS, HALF = 32, 16  # of a number, and of one of two numbers in it
LOW = (1 << HALF) - 1
Words = tuple[jax.Array, jax.Array, jax.Array]  # red, green, blue: (rows, words) uint32


class Tile(NamedTuple):
    """What one program draws at a time, and by how many warps; both lengths are powers of two."""

    rows: int
    words: int
    warps: int


class Drawn(NamedTuple):
    """A frame as the kernel has stored it."""

    words: jax.Array  # (3, H, W / 4) uint32, four pixels each
    sums: jax.Array  # (tiles,) int32, of the words of each tile


class Tiling(NamedTuple):
    """How a frame is cut into tiles; rows and words are those of one tile."""

    rows: int
    words: int
    down: int  # tiles
    across: int
    pixels: int = PIXELS  # in a word

    @property
    def tiles(self) -> int:
        return self.down * self.across

    def sight_of(self, number: Any, read: Any, fast: bool) -> Sight:
        """The tile of this number; `read` is what `Facts.inputs` gives, inside the kernel."""
        # Neither is negative, and whole division as numpy means it would ask about signs.
        down_by, right_by = (
            (jax.lax.div(number, self.across), jax.lax.rem(number, self.across))
            if self.across > 1
            else (number, 0)
        )
        top, first = down_by * self.rows, right_by * self.words
        down = top + jax.lax.broadcasted_iota(jnp.int32, (self.rows, 1), 0)
        right = first + jax.lax.broadcasted_iota(jnp.int32, (1, self.words), 1)
        left = first * self.pixels
        return Sight(read[0], read[1], read[2:], down, right, top, left, number, fast, self.pixels)


def cut(tile: Tile, height: int, width: int, pixels: int = PIXELS) -> Tiling:
    """A frame in such tiles; a frame that is smaller than one is a tile itself."""
    words = width // pixels
    rows, columns = min(tile.rows, power_of_two(height)), min(tile.words, power_of_two(words))
    return Tiling(rows, columns, -(-height // rows), -(-words // columns), pixels)


def power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


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

    def inputs(self) -> list[jax.Array]:
        """What a kernel reads."""
        floats = jnp.concatenate(self.floats) if self.floats else jnp.zeros(1, jnp.float32)
        ints = jnp.concatenate(self.ints) if self.ints else jnp.zeros(1, jnp.int32)
        return [ints, floats, *self.tables]


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
    pixels: int = PIXELS  # in a word: four, or one where each is filtered by itself

    def columns(self, pixel: int) -> jax.Array:
        """The columns of one of the pixels of every word."""
        return self.words * self.pixels + pixel

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
