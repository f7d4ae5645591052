"""Random boards inside a compiled program, with the distribution of `envs/rules/random_boards.py`.

Whole numbers only. Pieces and names are put into random order by counting for each how many of the others
drew a smaller number; these have 32 bits, so that ties, which go to the first, do not matter. Cells are drawn
by Floyd's algorithm into a set of bits, as often as there are slots, whatever a board has.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import record
from assay.core.variation import static
from assay.envs.rules.board import Board
from assay.envs.rules.engine.bits import ALL, single
from assay.envs.rules.engine.board_arrays import number_pieces
from assay.envs.rules.engine.sizes import words_of
from assay.envs.rules.engine.tables import BoardArrays
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.random_boards import BoardDraw, make_property_piece
from assay.errors import AssayError


@record
class DrawArrays:
    """From what boards are drawn. Ranges are the fewest and the most, (2,) int32."""

    objects: jax.Array
    shapes: jax.Array  # 0: every piece has any shape
    colors: jax.Array
    kinds: BoardArrays  # of property pieces, one slot each; no slot where shapes and colours are drawn
    fresh_shape: jax.Array  # chances of a uniform deal, see `count_fresh`; empty where deals are as published
    fresh_color: jax.Array
    pieces: int = static(9)  # slots
    cells: int = static(36)
    shape_names: int = static(4)
    color_names: int = static(4)
    crowded: bool = static(False)


def prepare_draw(asked: BoardDraw, vocabulary: Vocabulary = Vocabulary(), pieces: int = 9) -> DrawArrays:
    """A draw of boards as arrays; the vocabulary begins with the names that are drawn."""
    if asked.objects[1] > pieces:
        raise AssayError(f"boards of up to {asked.objects[1]} pieces do not fit into {pieces} slots.")
    drawn, known = (asked.shape_names, asked.color_names), (vocabulary.shapes, vocabulary.colors)
    for names, every in zip(drawn, known):
        if not asked.kinds and tuple(map(str.upper, names)) != every[: len(names)]:
            raise AssayError(f"the vocabulary {list(every)} does not begin with the names {list(names)}.")
    kinds = Board(tuple(make_property_piece(i, kind, 1) for i, kind in enumerate(asked.kinds)))
    uniform = asked.assignment == "uniform"
    fresh = [jnp.asarray(count_fresh(len(names) if uniform else 0, pieces)) for names in drawn]
    return DrawArrays(
        objects=jnp.asarray(asked.objects, jnp.int32),
        shapes=jnp.asarray(asked.shapes, jnp.int32),
        colors=jnp.asarray(asked.colors, jnp.int32),
        kinds=jax.tree.map(jnp.asarray, number_pieces(kinds, vocabulary, len(asked.kinds))),
        fresh_shape=fresh[0],
        fresh_color=fresh[1],
        pieces=pieces,
        cells=asked.geometry.cells,
        shape_names=len(asked.shape_names),
        color_names=len(asked.color_names),
        crowded=asked.crowded,
    )


def draw_board(key: jax.Array, draw: DrawArrays) -> BoardArrays:
    """One random board; pieces in the ascending order of their cells."""
    return make_board(jax.random.bits(key, (count_bits(draw),), jnp.uint32), draw)


def count_bits(draw: DrawArrays) -> int:
    """How many random words a board is made of."""
    return 3 + 5 * draw.pieces + draw.shape_names + draw.color_names


def make_board(bits: jax.Array, draw: DrawArrays) -> BoardArrays:
    """The board that random words, (count_bits,) uint32, stand for."""
    slots = draw.pieces
    ends = np.cumsum([3, slots, 2 * slots, draw.shape_names, 2 * slots])
    for_counts, for_cells, for_shapes, names_of_shapes, for_colors, names_of_colors = jnp.split(bits, ends)
    ranges = (draw.objects, draw.shapes, draw.colors)
    count, shapes, colors = (low + below(bit, high - low + 1) for bit, (low, high) in zip(for_counts, ranges))
    present, cells = np.arange(slots) < count, draw_cells(for_cells, draw, count)
    if draw.kinds.cell.size:
        which = below(for_shapes[:slots], jnp.int32(draw.kinds.cell.size))
        drawn = jax.tree.map(lambda row: jnp.where(present, row[..., which], 0), draw.kinds)
        return BoardArrays(cells, drawn.shape, drawn.color, drawn.properties)
    of_shape = Deal(shapes, count, slots, draw.shape_names)
    of_color = Deal(colors, count, slots, draw.color_names)
    shape = assign(for_shapes, names_of_shapes, of_shape, draw.fresh_shape)
    color = assign(for_colors, names_of_colors, of_color, draw.fresh_color)
    properties = jnp.zeros((draw.kinds.properties.shape[0], slots), jnp.int32)
    return BoardArrays(cells, jnp.where(present, shape + 1, 0), jnp.where(present, color + 1, 0), properties)


def draw_cells(bits: jax.Array, draw: DrawArrays, count: jax.Array) -> jax.Array:
    """The cells of so many pieces, ascending; 0 behind them."""
    slots = np.arange(draw.pieces)
    if draw.crowded:
        drawn = jnp.where(slots < count, below(bits, jnp.int32(draw.cells)) + 1, draw.cells + 1)
        cells = jnp.where(rank(drawn)[:, None] == slots, drawn[:, None], 0).sum(0)
        return jnp.where(slots < count, cells, 0)
    return list_members(draw_subset(bits, draw, count), draw.pieces)


def draw_subset(bits: jax.Array, draw: DrawArrays, count: jax.Array) -> jax.Array:
    """A uniform set of so many cells, from 1, as words.

    The i-th draw is among the first cells - count + i; where that cell is taken, the next one, which cannot
    be, is taken instead.
    """
    words = words_of(draw.cells + 1)

    def take_one(taken: jax.Array, step: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        i, bit = step
        last = draw.cells - count + i + 1
        drawn = 1 + below(bit, last)
        drawn = jnp.where((taken & single(drawn, words) != 0).any(), last, drawn)
        return jnp.where(i < count, taken | single(drawn, words), taken), None

    return jax.lax.scan(take_one, jnp.zeros(words, jnp.uint32), (jnp.arange(draw.pieces), bits))[0]


def list_members(members: jax.Array, slots: int) -> jax.Array:
    """The numbers in a set of bits, ascending; 0 behind them. The set is without 0."""
    words, offsets = members.shape[0], 32 * np.arange(members.shape[0])

    def take_first(members: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        lowest = members & (~members + 1)
        numbers = offsets + jax.lax.population_count(lowest - 1).astype(jnp.int32)
        first = jnp.where(members != 0, numbers, 32 * words).min()
        return members & ~single(first, words), jnp.where(first < 32 * words, first, 0)

    return jax.lax.scan(take_first, members, None, slots)[1]


def rank(values: jax.Array) -> jax.Array:
    """How many of a few numbers come before each in ascending order."""
    places = np.arange(values.shape[0])
    ties = (values[:, None] == values) & (places[:, None] < places)
    return ((values[:, None] < values) | ties).sum(0)


def below(bits: jax.Array, limit: jax.Array) -> jax.Array:
    """Uniform numbers from 0 to limit - 1, for limits below 2**16: the high word of bits x limit."""
    limit = jnp.maximum(limit, 1).astype(jnp.uint32)
    high, low = bits >> 16, bits & 0xFFFF
    return ((high * limit + (low * limit >> 16)) >> 16).astype(jnp.int32)


class Deal(NamedTuple):
    """What is dealt to the pieces in the first of so many slots."""

    kinds: jax.Array  # () int32, values of which each occurs; 0: any of all names
    pieces: jax.Array  # () int32
    slots: int
    names: int

    @property
    def values(self) -> jax.Array:
        return jnp.where(self.kinds == 0, self.names, self.kinds)


def assign(bits: jax.Array, for_names: jax.Array, deal: Deal, fresh: jax.Array) -> jax.Array:
    """A name, from 0, for each piece: values are dealt, for which random names, in order, stand."""
    pairs = bits.reshape(2, deal.slots)
    index = deal_uniformly(pairs, deal, fresh) if fresh.size else deal_as_published(pairs, deal)
    used = rank(for_names) < deal.values
    own = used & (count_before(used) == index[:, None])
    return jnp.where(own, np.arange(deal.names), 0).sum(1)


def count_before(members: jax.Array) -> jax.Array:
    """How many members stand before each place of a short row."""
    places = np.arange(members.shape[0])
    return (members[:, None] & (places[:, None] < places)).sum(0)


def deal_as_published(bits: jax.Array, deal: Deal) -> jax.Array:
    """Each piece has a random value; then as many distinct pieces as there are kinds get one each."""
    free, order = bits
    behind = jnp.where(np.arange(deal.slots) < deal.pieces, order, ALL)
    turn = rank(behind)  # slots without a piece come last
    return jnp.where(turn < deal.kinds, turn, below(free, deal.values))


def deal_uniformly(bits: jax.Array, deal: Deal, fresh: jax.Array) -> jax.Array:
    """Uniform over all deals in which every kind occurs: piece by piece, a fresh value or a used one."""
    every = np.arange(deal.names)

    def one_piece(used: jax.Array, step: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        i, bit = step
        left, unused = jnp.maximum(deal.pieces - i, 0), deal.kinds - used.sum()
        must = (left <= unused) | ~used.any()
        is_fresh = (unused > 0) & (must | (bit[0] < fresh[deal.kinds, left, unused]))
        open_to = ((deal.kinds == 0) | (used != is_fresh)) & (every < deal.values)
        chosen = open_to & (count_before(open_to) == below(bit[1], open_to.sum()))
        return used | chosen, jnp.where(chosen, every, 0).sum()

    return jax.lax.scan(one_piece, jnp.zeros(deal.names, bool), (jnp.arange(deal.slots), bits.T))[1]


def count_fresh(names: int, slots: int) -> np.ndarray:
    """Chances, of 2**32, that a piece of a uniform deal has a value that none before it has.

    By the number of values, the pieces left and the values unused: (names + 1, slots + 1, names + 1) uint32.
    """
    chances = np.zeros((names + 1, slots + 1, names + 1) if names else (0, 0, 0), np.uint32)
    for values in range(1, names + 1):
        ways = count_ways(slots, values)
        for left in range(1, slots + 1):
            for unused in range(1, min(values, left) + 1):
                share = Fraction(unused * ways[left - 1][unused - 1], ways[left][unused])
                chances[values, left, unused] = min(int(share * 2**32), 2**32 - 1)
    return chances


def count_ways(most: int, values: int) -> list[list[int]]:
    """By the pieces left and the values unused: how many ways to deal values so that all of those occur."""
    ways = [[1] + [0] * values]
    for _ in range(most):
        before = ways[-1]
        used = [(values - unused) * before[unused] for unused in range(values + 1)]
        ways.append([used[0]] + [used[u] + u * before[u - 1] for u in range(1, values + 1)])
    return ways
