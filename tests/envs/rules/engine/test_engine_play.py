"""Games computed by hand: each construct once, in the compiled engine."""

import jax
import jax.numpy as jnp
import pytest

from assay.envs.rules.board import Board, Piece
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.engine import play
from assay.envs.rules.engine.board_arrays import to_arrays, vocabulary_of
from assay.envs.rules.engine.compile import compile_rule
from assay.envs.rules.engine.play import piece_at
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.language.parse import parse

attempt, begin, legal = jax.jit(play.attempt), jax.jit(play.begin), jax.jit(play.legal)
RED_A, RED_B = Piece(0, "star", "red", 1), Piece(1, "circle", "red", 8)
BLUE_C = Piece(2, "star", "blue", 36)
THREE = Board((RED_A, RED_B, BLUE_C))


class Game:
    """A rule on a board, played move by move."""

    def __init__(self, text, board=THREE, pieces=4, geometry=STANDARD):
        vocabulary = vocabulary_of([board])
        self.tables = compile_rule(parse(text, geometry=geometry), geometry, vocabulary, pieces)
        self.state = begin(self.tables, to_arrays(board, vocabulary, pieces))

    def move(self, piece, bucket):
        self.state, code = attempt(self.tables, self.state, piece, bucket)
        return Response(int(code))

    @property
    def legal(self):
        bits = [int(each) for each in legal(self.tables, self.state)]
        return [[b for b in range(4) if each >> b & 1] for each in bits]

    @property
    def finish(self):
        return Finish(int(self.state.finish))


def test_the_worked_example():
    game = Game("(1,*,red,*,0) (2,*,*,*,[0,1])\n1 (*,*,*,*,p+2)")
    assert game.legal == [[0, 1], [0, 1], [0, 1], []]
    assert game.move(0, 0) == Response.ACCEPT and game.state.atoms_left.tolist() == [0, 1]
    assert game.move(0, 0) == Response.INVALID_OBJECT_ID
    assert game.move(1, 2) == Response.DENY
    assert game.move(1, 1) == Response.ACCEPT and int(game.state.line) == 1
    assert game.legal == [[], [], [3], []] and int(game.state.line_left) == 1
    assert game.move(2, 3) == Response.ACCEPT and game.finish == Finish.CLEARED
    assert game.move(2, 3) == Response.NO_GAME


def test_priorities_and_stalemate():
    game = Game("(color:blue, bucket:1)\n(color:red, shape:circle)")
    assert game.move(0, 0) == Response.IMMOVABLE
    assert game.move(2, 1) == Response.ACCEPT and int(game.state.line) == 1
    assert game.move(1, 3) == Response.ACCEPT and game.finish == Finish.STALEMATE
    assert game.legal == [[]] * 4


def test_a_game_may_begin_in_a_later_line_or_in_stalemate():
    assert int(Game("0 ()\n(color:yellow)\n(bucket:2)").state.line) == 2
    assert Game("(color:yellow)").finish == Finish.STALEMATE
    assert Game("0 ()").finish == Finish.STALEMATE


def test_orders_and_postpos():
    assert Game("(pos:T, bucket:0)").legal == [[], [], [0], []]
    assert Game("(color:red, pos:T)").finish == Finish.STALEMATE
    assert Game("(color:red, postpos:T, bucket:0)").legal == [[], [0], [], []]
    assert Game("(pos:[1, T], bucket:0)").legal == [[0], [], [0], []]
    assert Game("Order Mine = [8, [1, 36]]\n(pos:Mine)").legal == [[], [0, 1, 2, 3], [], []]


def test_memory():
    game = Game("(code:!pc, bucket:2) (bucket:pc+1)")
    assert game.legal == [[2], [2], [2], []]
    game.move(0, 2)
    assert game.legal == [[], [3], [2], []]
    game = Game("(count:1)\n(bucket:ps)")
    game.move(2, 1)
    assert game.legal == [[1], [], [], []]


def test_last_and_q():
    game = Game("(count:1)\n(shape:last.shape, bucket:q.shape.bucket) (code:last.pos>this.pos, bucket:3)")
    game.move(2, 1)
    assert game.legal == [[1, 3], [3], [], []]
    game = Game("(code:!q.bucket)")
    game.move(0, 1)
    assert game.legal == [[], [0, 2, 3], [0, 2, 3], []]


def test_the_bucket_tried_and_the_nearest_ones():
    assert Game("(code:this.bucket % 2 == 1)").legal == [[1, 3], [1, 3], [1, 3], []]
    assert Game("(bucket:Nearby)").legal == [[3], [3], [1], []]
    assert Game("(bucket:Remotest + 1)").legal == [[2], [2], [0], []]


def test_an_odd_board_has_ties():
    # 3 by 3: cell 5 is the middle, cell 8 the middle of the top row, cell 7 the top left.
    board = Board(tuple(Piece(i, "star", "red", cell) for i, cell in enumerate((5, 8, 7))))
    assert Game("(bucket:Nearby)", board, 3, Geometry(3, 3, 4)).legal == [[0, 1, 2, 3], [0, 1], [0]]
    assert Game("(bucket:Remotest + 1)", board, 3, Geometry(3, 3, 4)).legal == [[0, 1, 2, 3], [0, 3], [3]]


def test_properties():
    pieces = (
        Piece(0, "", "", 1, (("size", 3), ("kind", "cat"))),
        Piece(1, "", "", 2, (("size", "*"),)),
        Piece(2, "", "", 3, (("kind", "dog"),)),
    )
    board = Board(pieces)
    assert Game("(size:[2..3], bucket:0)", board).legal == [[0], [0], [], []]
    assert Game("(kind:CAT, bucket:0)", board).legal == [[0], [], [], []]
    assert Game("(bucket:this.size)", board).legal == [[3], [], [], []]
    assert Game("(weight:3)", board).finish == Finish.STALEMATE


def test_pieces_by_cell():
    game = Game("()", Board((RED_A, Piece(1, "star", "blue", 1), BLUE_C)))
    found = {cell: tuple(map(int, piece_at(game.state, cell))) for cell in (1, 2, 36)}
    assert found[1][1] == Response.MULTIPLE_OBJECTS_IN_CELL
    assert found[2][1] == Response.EMPTY_CELL and found[36] == (2, Response.ACCEPT)
    game.move(0, 0)
    assert tuple(map(int, piece_at(game.state, 1))) == (1, Response.ACCEPT)


@pytest.mark.parametrize(
    "piece, bucket, code", [(9, 0, -10), (-1, 0, -10), (3, 0, -10), (0, 4, -2), (0, -1, -2)]
)
def test_what_is_not_counted_changes_nothing(piece, bucket, code):
    game = Game("()")
    before = game.state
    assert game.move(piece, bucket) == code
    assert jax.tree.all(jax.tree.map(jnp.array_equal, before, game.state))


def test_more_pieces_than_a_word_has_bits():
    board = Board(tuple(Piece(i, "star", "red", i + 1) for i in range(36)))
    game = Game("(pos:L1, bucket:0)", board, 36)
    assert [i for i, each in enumerate(game.legal) if each] == [30]
    for piece in (30, 31, 32, 33, 34, 35, 24):
        assert game.move(piece, 0) == Response.ACCEPT
    assert [i for i, each in enumerate(game.legal) if each] == [25]
