"""rules/*: pieces of a board are moved into buckets, and a rule that is not told accepts or denies each move.

The state holds the board, and of the rule only which line is active and what was used of its counters. All
that follows from the rule is computed anew in every move: a start is then the same under every rule, and a
change of the rule touches the transition alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import Env, record
from assay.core.space import Box, Discrete
from assay.core.variation import static
from assay.envs.rules.board import Board
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.engine.bits import pack, unpack
from assay.envs.rules.engine.board_arrays import number_pieces, stack_boards
from assay.envs.rules.engine.compile import compile_rule
from assay.envs.rules.engine.play import attempt, empty_memory, legal, piece_at, set_up, settle
from assay.envs.rules.engine.random_boards import DrawArrays, draw_board, prepare_draw
from assay.envs.rules.engine.tables import BoardArrays, GameState, Memory, Tables
from assay.envs.rules.observation import OF_AN_ATTEMPT, Layout, Shown
from assay.envs.rules.params import RuleGame
from assay.envs.rules.task_boards import TaskBoards, plan_boards
from assay.envs.rules.task_rule import find_task_rule

# Response codes of the game -> what is shown; the attempt on a piece that is gone meets an empty place.
SHOWN = (
    (Response.ACCEPT, Shown.ACCEPTED), (Response.DENY, Shown.DENIED), (Response.IMMOVABLE, Shown.IMMOVABLE),
    (Response.EMPTY_CELL, Shown.EMPTY), (Response.INVALID_OBJECT_ID, Shown.EMPTY),
    (Response.MULTIPLE_OBJECTS_IN_CELL, Shown.SEVERAL),
)  # fmt: skip
UNKNOWN = np.uint32(0xFFFFFFFF)  # legal buckets before the first move, for a start knows no rule


@record
class Params:
    """The params that the functions read."""

    tables: Tables  # of the rule
    draw: DrawArrays | None  # from which boards are drawn,
    pool: BoardArrays | None  # or boards, of which one is drawn
    kinds: BoardArrays | None  # kinds of pieces, one slot each, where shape and colour do not tell them apart
    board_number: Any  # () int32, of the pool from 1; 0: drawn
    merge_denials: Any  # () bool
    hide_shape: Any  # () bool
    hide_color: Any  # () bool
    horizon: Any  # () int32
    layout: Layout = static(Layout())
    by_piece: bool = static(False)

    @property
    def slots(self) -> int:
        return self.tables.sizes.pieces


@record
class Move:
    """An attempt, or none yet: all zeros. Cells are numbered from 1, and so are the others."""

    cell: Any  # () int32
    bucket: Any  # () int32
    shape: Any  # () int32; 0: no piece was there
    color: Any  # () int32


@record
class State:
    """An episode between two attempts."""

    board: BoardArrays
    left: Any  # (words,) uint32, the pieces on the board
    memory: Memory  # what the rule remembers
    line: Any  # () int32, the active line from 0
    line_used: Any  # () int32, moves that the line's counter has counted
    atoms_used: Any  # (atoms,) int32, likewise
    finish: Any  # () int32, the finish code
    legal: Any  # (pieces,) uint32, buckets open to each piece as bits; UNKNOWN before the first attempt
    accepted: Move  # the last accepted move
    tried: Move  # the last attempt
    response: Any  # () int32, to the last attempt, a `Shown`
    attempts: Any  # () int32, that the game counts: of a piece that was there
    errors: Any  # () int32, attempts that were not accepted, of empty cells too

    @property
    def cleared(self) -> Any:
        return self.finish == Finish.CLEARED

    @property
    def stalemate(self) -> Any:
        return self.finish == Finish.STALEMATE

    @property
    def pieces_left(self) -> Any:
        return jax.lax.population_count(self.left).sum(-1).astype(jnp.int32)


def no_move() -> Move:
    return Move(*(jnp.int32(0) for _ in range(4)))


def initial(key: jax.Array, params: Params) -> State:
    return start_on(params, choose_board(key, params))


def start_on(params: Params, board: BoardArrays) -> State:
    none = jnp.int32(0)
    return State(
        board=board,
        left=pack(board.cell > 0),
        memory=empty_memory(params.tables),
        line=none,
        line_used=none,
        atoms_used=jnp.zeros(params.tables.sizes.atoms, jnp.int32),
        finish=jnp.int32(Finish.PLAYING),
        legal=jnp.full(params.slots, UNKNOWN),
        accepted=no_move(),
        tried=no_move(),
        response=none,
        attempts=none,
        errors=none,
    )


def choose_board(key: jax.Array, params: Params) -> BoardArrays:
    if params.draw is not None:
        return draw_board(key, params.draw)
    assert params.pool is not None, "a task has one of the two"
    count = params.pool.cell.shape[0]
    drawn = jax.random.randint(key, (), 0, count)
    index = jnp.where(params.board_number > 0, (params.board_number - 1) % count, drawn)
    return jax.tree.map(lambda leaf: leaf[index], params.pool)


def current_game(params: Params, state: State) -> GameState:
    """The game of the rule in this state, with its active line settled."""
    tables = params.tables
    counts = tables.atom_count[state.line]
    return settle(
        tables,
        set_up(tables, state.board),
        state.left,
        state.memory,
        state.line,
        left_of(tables.line_count[state.line], state.line_used),
        left_of(counts, state.atoms_used),
    )


def left_of(count: jax.Array, used: jax.Array) -> jax.Array:
    """What is left of counters; -1: unmetered."""
    return jnp.where(count < 0, -1, count - used)


def legal_now(params: Params, state: State) -> jax.Array:
    """The buckets open to each piece as bits, (pieces,) uint32, also before the first attempt."""
    return legal(params.tables, current_game(params, state))


def transition(key: jax.Array, params: Params, state: State, action: jax.Array) -> State:
    tables, buckets = params.tables, params.layout.buckets
    game = current_game(params, state)
    place, bucket = action // buckets, action % buckets
    if params.by_piece:
        piece, code = place, jnp.int32(Response.ACCEPT)
    else:
        piece, code = piece_at(game, place + 1)
        piece = jnp.where(code == Response.ACCEPT, piece, -1)
    after, answer = attempt(tables, game, piece, bucket)
    code = jnp.where(code == Response.ACCEPT, answer, code)
    response = show_response(jnp.where(game.finish == Finish.PLAYING, code, Response.NO_GAME))
    move = describe_move(params, state, piece, place, bucket)
    is_accepted = response == Shown.ACCEPTED
    counts = tables.line_count[after.line], tables.atom_count[after.line]
    return State(
        board=state.board,
        left=after.left,
        memory=after.memory,
        line=after.line,
        line_used=jnp.where(counts[0] < 0, 0, counts[0] - after.line_left),
        atoms_used=jnp.where(counts[1] < 0, 0, counts[1] - after.atoms_left),
        finish=after.finish,
        legal=legal(tables, after),
        accepted=jax.tree.map(lambda new, old: jnp.where(is_accepted, new, old), move, state.accepted),
        tried=move,
        response=response,
        attempts=state.attempts + ((response >= Shown.ACCEPTED) & (response <= Shown.IMMOVABLE)),
        errors=state.errors + (response > Shown.ACCEPTED),
    )


def show_response(code: jax.Array) -> jax.Array:
    shown = jnp.int32(Shown.NOTHING)
    for known, says in SHOWN:
        shown = jnp.where(code == known, jnp.int32(says), shown)
    return shown


def describe_move(params: Params, state: State, piece: Any, place: Any, bucket: Any) -> Move:
    """The attempt; a piece that is gone has neither shape nor colour."""
    there = (np.arange(params.slots) == piece) & unpack(state.left, params.slots)
    shapes, colors = features(params, state.board)
    own = (jnp.where(there, each, 0).sum() for each in (shapes, colors))
    cell = jnp.where(there, state.board.cell, 0).sum() if params.by_piece else place + 1
    return Move(cell.astype(jnp.int32), bucket.astype(jnp.int32) + 1, *own)


def features(params: Params, board: BoardArrays) -> tuple[jax.Array, jax.Array]:
    """Shape and colour of each piece as they are shown, from 1; of a table's pieces the kind, and 1."""
    if params.kinds is None:
        return board.shape, board.color
    kinds = params.kinds
    same = (board.shape[:, None] == kinds.shape) & (board.color[:, None] == kinds.color)
    same &= (board.properties[:, :, None] == kinds.properties[:, None]).all(0)
    return jnp.argmax(same, 1).astype(jnp.int32) + 1, jnp.ones_like(board.shape)


def reward(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    """-1 for each attempt that is not accepted."""
    return jnp.where(after.response > Shown.ACCEPTED, -1.0, 0.0).astype(jnp.float32)


def terminal(params: Params, state: State) -> jax.Array:
    return state.finish != Finish.PLAYING


def horizon(params: Params) -> jax.Array:
    return params.horizon


def scene(key: jax.Array, params: Params, state: State, before: Any) -> Any:
    """The last attempts, the latest first, (history, 5) int32, where they are shown."""
    if not params.layout.history:
        return None
    if before is None:
        return jnp.zeros((params.layout.history, OF_AN_ATTEMPT), jnp.int32)
    tried = state.tried
    latest = jnp.stack([tried.cell, tried.bucket, state.response, tried.shape, tried.color])
    return jnp.concatenate([latest[None], before[:-1]])


def observation(key: jax.Array, params: Params, state: State, attempts: Any = None) -> jax.Array:
    """The numbers of `Layout`, in its order."""
    layout, last = params.layout, state.accepted
    parts = [
        show_board(params, state),
        jnp.stack([hide(last.shape, params.hide_shape), hide(last.color, params.hide_color), last.bucket]),
        merge(params, state.response)[None],
    ]
    if layout.shows_buckets:
        fresh = (state.legal == UNKNOWN).all()
        open_to = jnp.where(fresh, legal_now(params, state), state.legal).astype(jnp.int32)
        if not params.by_piece:
            open_to = jnp.where(is_alone(params, state), open_to, 0)
        parts.append(put_into_cells(params, state, open_to))
    if attempts is not None:
        cell, bucket, response, shape, color = attempts.T
        shown = (hide(shape, params.hide_shape), hide(color, params.hide_color))
        parts.append(jnp.stack([cell, bucket, merge(params, response), *shown], 1).reshape(-1))
    return jnp.concatenate(parts)


def is_alone(params: Params, state: State) -> jax.Array:
    """Which pieces have their cell for themselves, (pieces,) bool: others cannot be named by it."""
    left = unpack(state.left, params.slots)
    shared = (state.board.cell[:, None] == state.board.cell) & left
    return shared.sum(1) <= 1


def hide(number: jax.Array, hidden: Any) -> jax.Array:
    """A shape or colour from 1; a hidden one is 1 whatever it is, and 0 stays."""
    return jnp.where(hidden, jnp.minimum(number, 1), number)


def merge(params: Params, response: jax.Array) -> jax.Array:
    is_merged = params.merge_denials & (response == Shown.IMMOVABLE)
    return jnp.where(is_merged, jnp.int32(Shown.DENIED), response)


def show_board(params: Params, state: State) -> jax.Array:
    shape, color = features(params, state.board)
    shape, color = hide(shape, params.hide_shape), hide(color, params.hide_color)
    return put_into_cells(params, state, 1 + (shape - 1) * params.layout.colors + color - 1)


def put_into_cells(params: Params, state: State, values: jax.Array) -> jax.Array:
    """A number for each cell, of the first piece in it; 0 where there is none."""
    cells = np.arange(1, params.layout.cells + 1)[:, None]
    here = (state.board.cell == cells) & unpack(state.left, params.slots)
    first = here & (jnp.cumsum(here, 1) == 1)
    return jnp.where(first, values, 0).sum(1).astype(jnp.int32)


def spaces(params: Params) -> dict[str, Any]:
    layout = params.layout
    places = params.slots if params.by_piece else layout.cells
    return {
        "action": Discrete(places * layout.buckets),
        "reward": Box(-1.0, 0.0),
        "observation": Discrete(layout.sizes),
    }


def build(settings: RuleGame, others: Mapping[str, Any]) -> Env:
    """The env of these settings, refused where they do not fit each other."""
    boards = plan_boards(settings)
    rule = find_task_rule(settings, boards)
    pool = stack_boards(boards.pool, boards.vocabulary, boards.slots) if boards.pool else None
    draw = prepare_draw(boards.draw, boards.vocabulary, boards.slots) if boards.draw else None
    params = Params(
        tables=compile_rule(rule, boards.geometry, boards.vocabulary, boards.slots),
        draw=draw,
        pool=pool,
        kinds=number_kinds(boards),
        board_number=jnp.int32(settings.board_number),
        merge_denials=jnp.bool_(settings.merge_denials),
        hide_shape=jnp.bool_(settings.hide_shape),
        hide_color=jnp.bool_(settings.hide_color),
        horizon=jnp.int32(settings.horizon),
        layout=layout_of(settings, boards),
        by_piece=settings.actions == "pieces",
    )
    return Env(params, initial, transition, reward, observation, terminal, horizon, spaces, scene=scene)


def number_kinds(boards: TaskBoards) -> BoardArrays | None:
    if not boards.kinds:
        return None
    return jax.tree.map(jnp.asarray, number_pieces(Board(boards.kinds), boards.vocabulary, len(boards.kinds)))


def layout_of(settings: RuleGame, boards: TaskBoards) -> Layout:
    names = boards.vocabulary
    kinds = (len(boards.kinds), 1) if boards.kinds else (len(names.shapes), len(names.colors))
    sides = settings.columns, settings.rows, settings.buckets
    return Layout(*sides, *kinds, shows_buckets=settings.show_buckets, history=settings.history)
