"""Boards as arrays, and random boards in a program with the frequencies of the plain ones."""

from collections import Counter
from dataclasses import replace

import jax
import numpy as np
import pytest

from assay.envs.rules.board import Board, Piece
from assay.envs.rules.codes import Finish
from assay.envs.rules.engine.board_arrays import stack_boards, to_arrays
from assay.envs.rules.engine.compile import compile_rules
from assay.envs.rules.engine.random_boards import draw_board, prepare_draw
from assay.envs.rules.engine.renew import begin_lanes, renew
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.parse import parse
from assay.envs.rules.random_boards import BoardDraw, make_chance
from assay.envs.rules.random_boards import draw_board as draw_plain_board
from assay.errors import AssayError

COUNT = 4000


def draw_many(asked, pieces, vocabulary=Vocabulary(), count=COUNT):
    draw = prepare_draw(asked, vocabulary, pieces)
    keys = jax.random.split(jax.random.key(7), count)
    drawn = jax.jit(jax.vmap(draw_board, (0, None)))(keys, draw)
    return jax.tree.map(np.asarray, drawn)


def shares(values):
    counts = Counter(values)
    return {value: count / sum(counts.values()) for value, count in counts.items()}


def test_a_board_as_arrays():
    board = Board((Piece(5, "star", "blue", 3), Piece(7, "circle", "red", 36)))
    arrays = to_arrays(board, pieces=3)
    assert arrays.cell.tolist() == [3, 36, 0]
    assert arrays.shape.tolist() == [2, 3, 0] and arrays.color.tolist() == [3, 1, 0]
    assert stack_boards([board, board], pieces=2).cell.tolist() == [[3, 36], [3, 36]]


def test_boards_that_do_not_fit_are_refused():
    board = Board((Piece(0, "moon", "blue", 3), Piece(1, "star", "red", 4)))
    with pytest.raises(AssayError, match="no shape 'MOON'"):
        to_arrays(board)
    with pytest.raises(AssayError, match="2 pieces does not fit into 1 slots"):
        to_arrays(board, pieces=1)
    with pytest.raises(AssayError, match="up to 9 pieces do not fit into 4 slots"):
        prepare_draw(BoardDraw(), pieces=4)


def test_random_boards_have_what_was_asked_for():
    drawn = draw_many(BoardDraw((4, 7), (2, 3), (0, 1)), 8)
    sizes = (drawn.cell > 0).sum(1)
    assert set(sizes) == {4, 5, 6, 7} and abs((sizes == 4).mean() - 0.25) < 0.03
    for cell, shape, color in zip(drawn.cell, drawn.shape, drawn.color):
        present = cell[cell > 0]
        assert (np.diff(present) > 0).all() and present.max() <= 36 and not cell[len(present) :].any()
        assert len(set(shape) - {0}) in (2, 3)
        assert ((shape > 0) == (cell > 0)).all() and ((color > 0) == (cell > 0)).all()
    alone = np.array([len(set(color) - {0}) == 1 for color in drawn.color])
    # Half of the boards are asked to have one colour; 4 to 7 pieces of any colour rarely have one by chance.
    assert abs(alone.mean() - 0.503) < 0.03


@pytest.mark.parametrize("assignment", ["published", "uniform"])
def test_frequencies_are_those_of_the_plain_generator(assignment):
    """Patterns of shapes on boards of 4 pieces, by how many pieces each shape has; and the cells."""
    asked = BoardDraw((4, 4), (0, 3), (2, 2), assignment=assignment, geometry=Geometry(3, 2, 4))
    drawn, chance = draw_many(asked, 5), make_chance(11)
    plain = [draw_plain_board(asked, chance) for _ in range(COUNT)]
    ours = [tuple(sorted(Counter(row[:4]).values())) for row in drawn.shape.tolist()]
    theirs = [tuple(sorted(Counter(piece.shape for piece in board.pieces).values())) for board in plain]
    compare(shares(ours), shares(theirs))
    compare(shares(drawn.shape[:, 1].tolist()), dict.fromkeys(range(1, 5), 0.25))
    cells = [tuple(piece.cell for piece in board.pieces) for board in plain]
    compare(shares(map(tuple, drawn.cell[:, :4].tolist())), shares(cells))


def compare(ours, theirs):
    """Shares of 4000 draws each: beyond 0.045 lies less than one in 10,000 of honest differences."""
    assert ours.keys() == theirs.keys()
    assert max(abs(ours[each] - theirs[each]) for each in ours) < 0.045


def test_crowded_boards_share_cells():
    drawn = draw_many(BoardDraw((6, 6), (0, 0), (0, 0), crowded=True, geometry=Geometry(2, 2, 4)), 6)
    assert all((np.diff(cell) >= 0).all() for cell in drawn.cell)
    compare(shares(drawn.cell.ravel().tolist()), dict.fromkeys(range(1, 5), 0.25))


def test_property_pieces_are_drawn_from_their_table():
    kinds = ((("size", 1), ("kind", "cat")), (("size", 2),))
    vocabulary = Vocabulary(properties=(("size", (1, 2)), ("kind", ("cat",))))
    drawn = draw_many(BoardDraw((3, 3), kinds=kinds), 4, vocabulary)
    compare(shares(map(tuple, drawn.properties[:, :, 0].tolist())), {(1, 1): 0.5, (2, 0): 0.5})
    assert not drawn.properties[:, :, 3].any() and not drawn.shape.any()


def test_games_that_are_over_begin_anew():
    tables, draw = compile_rules([parse("()"), parse("(color:red)")]), prepare_draw(BoardDraw())
    states = jax.jit(begin_lanes, static_argnums=3)(jax.random.key(0), tables, draw, 8)
    finish = states.finish.at[0, 2:7].set(Finish.CLEARED).at[1, 7].set(Finish.STALEMATE)
    after = jax.jit(renew)(jax.random.key(1), tables, draw, replace(states, finish=finish))
    assert after.finish.tolist() == [[0, 0, 0, 0, 1, 1, 1, 0], [0] * 8]  # two of eight lanes at a time
    same = (after.episode.values == states.episode.values).all((2, 3)).tolist()
    assert same == [[True, True, False, False] + [True] * 4, [True] * 7 + [False]]
