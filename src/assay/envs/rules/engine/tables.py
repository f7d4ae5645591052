"""A compiled rule, a board and a game as arrays. Leaves of tables stack, so many rules share a program.

Sets of pieces are words of 32 bits, sets of buckets one word. A piece's values are numbered from 1 in each
row (shape, colour, cell, place among the buckets, properties), and 0 stands for no value.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import record
from assay.core.variation import static
from assay.envs.rules.engine.sizes import Sizes
from assay.errors import AssayError


@record
class Factors:
    """Conditions of atoms, each a table over a few variables: an index is offset + sum of weight x value."""

    others: jax.Array  # (F, A) uint32, all bits for atoms other than its own
    offset: jax.Array  # (F,) int32, where its table begins
    on_piece: jax.Array  # (F, rows) int32, weights of the piece's own values
    on_last: jax.Array  # (F, last) int32
    on_kin: jax.Array  # (F, kin) int32
    on_bin: jax.Array  # (F, bins) int32


@record
class Tables:
    """All that a rule says. `A` is lines x atoms."""

    lines: jax.Array  # () int32, without padding
    line_count: jax.Array  # (lines,) int32; -1: unmetered, and 0 in padding
    atom_count: jax.Array  # (lines, atoms) int32, likewise
    buckets: jax.Array  # (A,) uint32, buckets that a constant expression allows
    shapes: jax.Array  # (A, words of shapes + 1) uint32, bit 0: pieces without a shape
    colors: jax.Array  # (A, words of colours + 1) uint32
    cells: jax.Array  # (A, words of cells + 1) uint32
    near: jax.Array  # (cells + 1,) int32, number of a cell's nearest and most remote buckets
    ranks: jax.Array  # (orders, cells + 1) int32
    list_others: jax.Array  # (lists, A) uint32, all bits for atoms other than the list's own
    list_cells: jax.Array  # (lists, words of cells + 1) uint32, cells that the list names
    list_orders: jax.Array  # (lists, orders) bool
    trim_others: jax.Array  # (trims, A) uint32, likewise
    trim_orders: jax.Array  # (trims, orders) bool
    last_row: jax.Array  # (last,) int32, the row that is remembered; `rows` stands for the bucket
    kin_row: jax.Array  # (kin,) int32
    kin_key: jax.Array  # (kin,) int32, the row in which two pieces must agree
    bin_row: jax.Array  # (bins,) int32
    fixed: Factors
    common: Factors
    by_piece: Factors
    by_bucket: Factors
    by_both: Factors
    entries: jax.Array  # (entries,) uint32, the buckets for which the condition holds
    sizes: Sizes = static()


@record
class BoardArrays:
    """Pieces of a board, in its order; the last slots may be empty."""

    cell: jax.Array  # (pieces,) int32; 0 in an empty slot
    shape: jax.Array  # (pieces,) int32, numbered from 1; 0: none
    color: jax.Array  # (pieces,) int32
    properties: jax.Array  # (rows - 4, pieces) int32; 0: the piece does not have it


@record
class Episode:
    """What of a rule on a board stays as it is until the episode ends."""

    values: jax.Array  # (rows, pieces) int32
    fits: jax.Array  # (A, buckets, words) uint32, pieces that meet all conditions that never change
    ranks: jax.Array  # (orders, pieces) int32
    listed: jax.Array  # (lists, words) uint32, pieces in cells that a position list names
    kin_keys: jax.Array  # (kin, pieces) int32


@record
class Memory:
    """What accepted moves leave behind, numbered from 1; 0: nothing yet."""

    last: jax.Array  # (last,) int32
    kin: jax.Array  # (kin, pieces) int32
    bins: jax.Array  # (bins, buckets) int32


@record
class GameState:
    """A game between two moves. `takes` follows from the rest; it is kept since moves need it twice."""

    episode: Episode
    left: jax.Array  # (words,) uint32, the pieces on the board
    memory: Memory
    line: jax.Array  # () int32, the active line from 0
    line_left: jax.Array  # () int32, moves until the line is spent; -1: unmetered
    atoms_left: jax.Array  # (atoms,) int32, of the active line, likewise
    takes: jax.Array  # (atoms, buckets, words) uint32, pieces that each atom accepts, its counter aside
    finish: jax.Array  # () int32, the finish code


def stack_tables(tables: Sequence[Tables]) -> Tables:
    """Rules of the same sizes, one behind another along a new first axis."""
    if len({each.sizes for each in tables}) != 1:
        raise AssayError("tables stack only if their sizes are equal; compile with `common_sizes` of all.")
    return jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *tables)
