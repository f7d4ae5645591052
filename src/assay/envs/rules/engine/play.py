"""The game itself: begin, legal, attempt. Pure functions of tables and state, for one game.

`vmap` over states plays many games of a rule, and `vmap` over stacked tables many rules. There is no loop
whose length depends on data: after each move all lines are evaluated at once with fresh counters, and the
first in cyclic order that offers a move is taken where the active one is spent.
"""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.engine.bits import NONE, any_of, holds, pack, single, total, unpack
from assay.envs.rules.engine.conditions import evaluate_lines, find_pieces, join_conditions
from assay.envs.rules.engine.tables import BoardArrays, Episode, GameState, Memory, Tables
from assay.envs.rules.engine.variables import CELL


def begin(tables: Tables, board: BoardArrays) -> GameState:
    """A new game of a rule on a board. It may begin in a later line, or in stalemate."""
    counters = (jnp.int32(0), tables.line_count[0], tables.atom_count[0])
    return settle(tables, set_up(tables, board), pack(board.cell > 0), empty_memory(tables), *counters)


def set_up(tables: Tables, board: BoardArrays) -> Episode:
    """All that can be said of the pieces before the first move."""
    sizes = tables.sizes
    plain = jnp.stack([board.shape, board.color, board.cell, tables.near[board.cell]])
    values = jnp.concatenate([plain, board.properties])
    fitting = holds(tables.shapes, board.shape) & holds(tables.colors, board.color)
    fitting &= holds(tables.cells, board.cell)
    allowed = unpack(tables.buckets[:, None], sizes.buckets)
    fits = jnp.where(allowed[..., None], pack(fitting)[:, None], NONE)
    if sizes.fixed:
        found = find_pieces(tables, tables.fixed, values, empty_memory(tables))
        fits &= join_conditions(found, tables.fixed.others)
    ranks, listed = tables.ranks[:, board.cell], pack(holds(tables.list_cells, board.cell))
    return Episode(values, fits, ranks, listed, rows_of(values, tables.kin_key))


def empty_memory(tables: Tables) -> Memory:
    sizes = tables.sizes
    shapes = ((sizes.last,), (sizes.kin, sizes.pieces), (sizes.bins, sizes.buckets))
    return Memory(*(jnp.zeros(shape, jnp.int32) for shape in shapes))


def settle(
    tables: Tables,
    episode: Episode,
    left: jax.Array,
    memory: Memory,
    line: jax.Array,
    line_left: jax.Array,
    atoms_left: jax.Array,
) -> GameState:
    """The game after a move: the active line, or where it is spent the next one that offers a move."""
    sizes, every = tables.sizes, np.arange(tables.sizes.lines)
    words = evaluate_lines(tables, episode, left, memory)
    words = words.reshape(sizes.lines, sizes.atoms, *words.shape[1:])
    offers = any_of(words, 2, 3) != 0  # (lines, atoms)
    cleared = (left == 0).all()
    stays = (offers & (every == line)[:, None] & (atoms_left != 0)).any() & (line_left != 0)
    changes = ~stays & ~cleared
    after = next_line(tables, offers, line)
    stalemate = changes & (after < 0)
    line = jnp.where(changes & ~stalemate, after, line)
    active = every == line
    finish = jnp.where(cleared, Finish.CLEARED, jnp.where(stalemate, Finish.STALEMATE, Finish.PLAYING))
    return GameState(
        episode=episode,
        left=left,
        memory=memory,
        line=line,
        line_left=jnp.where(changes, total(jnp.where(active, tables.line_count, 0), 0), line_left),
        atoms_left=jnp.where(changes, total(jnp.where(active[:, None], tables.atom_count, 0), 0), atoms_left),
        takes=any_of(jnp.where(active[:, None, None, None], words, NONE), 0),
        finish=finish.astype(jnp.int32),
    )


def next_line(tables: Tables, offers: jax.Array, line: jax.Array) -> jax.Array:
    """The first line behind this one, counted around, that offers a move with fresh counters; -1: none.

    The line itself comes last.
    """
    every, none = jnp.arange(tables.sizes.lines), tables.sizes.lines
    opens = (offers & (tables.atom_count != 0)).any(1) & (tables.line_count != 0)
    steps = every - line - 1
    ahead = jnp.where(opens, jnp.where(steps < 0, steps + tables.lines, steps), none).min()
    after = line + 1 + ahead
    after = jnp.where(after >= tables.lines, after - tables.lines, after)
    return jnp.where(ahead == none, -1, after)


def legal(tables: Tables, state: GameState) -> jax.Array:
    """The buckets that would take each piece now, as bits: (pieces,) uint32; 0 for a piece that is gone."""
    words = any_of(jnp.where((state.atoms_left != 0)[:, None, None], state.takes, NONE), 0)
    words = jnp.where(state.finish == Finish.PLAYING, words, NONE)
    return pack(unpack(words, tables.sizes.pieces).T)[:, 0]


def attempt(
    tables: Tables, state: GameState, piece: jax.Array, bucket: jax.Array
) -> tuple[GameState, jax.Array]:
    """Tries to put a piece, by its slot from 0, into a bucket: the game after, and the response code."""
    sizes, playing = tables.sizes, state.finish == Finish.PLAYING
    piece, bucket = jnp.asarray(piece, jnp.int32), jnp.asarray(bucket, jnp.int32)
    chosen = single(piece, sizes.words)
    here = (state.takes & chosen != 0).any(2) & (state.atoms_left != 0)[:, None]  # (atoms, buckets)
    accepting = (here & (np.arange(sizes.buckets) == bucket)).any(1)
    accepted = accepting.any() & playing
    code = jnp.where(accepted, Response.ACCEPT, jnp.where(here.any(), Response.DENY, Response.IMMOVABLE))
    code = jnp.where((state.left & chosen != 0).any(), code, Response.INVALID_OBJECT_ID)
    code = jnp.where((bucket >= 0) & (bucket < sizes.buckets), code, Response.INVALID_ARGUMENTS)
    code = jnp.where(playing, code, Response.NO_GAME)
    after = settle(
        tables,
        state.episode,
        jnp.where(accepted, state.left & ~chosen, state.left),
        remember(tables, state, piece, bucket, accepted),
        state.line,
        state.line_left - (accepted & (state.line_left > 0)),
        state.atoms_left - (accepted & accepting & (state.atoms_left > 0)),
    )
    finish = jnp.where(playing, after.finish, state.finish)
    return replace(after, finish=finish), code.astype(jnp.int32)


def remember(
    tables: Tables, state: GameState, piece: jax.Array, bucket: jax.Array, accepted: jax.Array
) -> Memory:
    """The memory after a move: of the last piece, of pieces that share something with it, of the bucket."""
    sizes, episode, memory = tables.sizes, state.episode, state.memory
    moved = (np.arange(sizes.pieces) == piece) & accepted
    values = jnp.append(total(jnp.where(moved, episode.values, 0), 1), bucket + 1)
    key = total(jnp.where(moved, episode.kin_keys, 0), 1)[:, None]
    kin = (episode.kin_keys == key) & (key > 0)
    target = (np.arange(sizes.buckets) == bucket) & accepted
    return Memory(
        jnp.where(accepted, rows_of(values, tables.last_row), memory.last),
        jnp.where(kin, rows_of(values, tables.kin_row)[:, None], memory.kin),
        jnp.where(target, rows_of(values, tables.bin_row)[:, None], memory.bins),
    )


def rows_of(values: jax.Array, rows: jax.Array) -> jax.Array:
    """The chosen rows of a table, without a gather: (rows, ...) and (n,) make (n, ...)."""
    own = rows[:, None] == np.arange(values.shape[0])
    own = own.reshape(*own.shape, *[1] * (values.ndim - 1))
    return total(jnp.where(own, values, 0), 1)


def piece_at(state: GameState, cell: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The slot of the piece in a cell, and a code: ACCEPT, EMPTY_CELL or MULTIPLE_OBJECTS_IN_CELL."""
    cells = state.episode.values[CELL]
    inside = (cells == cell) & unpack(state.left, cells.shape[0]) & (cells > 0)
    count = inside.sum()
    code = jnp.where(count > 1, Response.MULTIPLE_OBJECTS_IN_CELL, Response.ACCEPT)
    code = jnp.where(count == 0, Response.EMPTY_CELL, code)
    return jnp.argmax(inside).astype(jnp.int32), code.astype(jnp.int32)
