"""Random boards: numbers, distributions, Java's generator bit for bit, and refusals at configuration."""

from collections import Counter

import numpy as np
import pytest

from assay.envs.rules.board import Piece
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.java_random import JavaRandom
from assay.envs.rules.property_tables import read_kinds
from assay.envs.rules.random_boards import BoardDraw, NumpyChance, draw_board, make_chance
from assay.errors import AssayError


def chance(seed: int = 1) -> NumpyChance:
    return NumpyChance(np.random.default_rng(seed))


class Scripted:
    """Chance that says what it was told to, and remembers the bounds it was asked for."""

    def __init__(self, *values: int):
        self.values, self.bounds = list(values), []

    def draw(self, below: int) -> int:
        self.bounds.append(below)
        return self.values.pop(0)


class TestJava:
    def test_known_values(self):
        draws = JavaRandom(42)
        assert [draws.next_int(10) for _ in range(10)] == [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]

    def test_powers_of_two_take_the_high_bits(self):
        bits = JavaRandom(42).next_bits()
        assert JavaRandom(42).next_int(16) == bits >> 27 and JavaRandom(42).next_int(1 << 30) == bits >> 1

    def test_a_draw_that_would_not_be_uniform_is_made_again(self):
        # Below 2^30 + 1 only numbers under the bound itself are kept: the first and the third are not.
        bits = JavaRandom(42)
        assert [bits.next_bits() for _ in range(4)] == [1562431130, 117392763, 1467211248, 102948884]
        draws = JavaRandom(42)
        assert [draws.next_int((1 << 30) + 1) for _ in range(2)] == [117392763, 102948884]

    def test_a_board_computed_by_hand(self):
        """Seed 7: the states of the generator by pencil, s -> (25214903917 s + 11) mod 2^48, and s / 2^17."""
        bits = [1569164236, 1371249164, 1608829485, 20678044, 747989380, 1053566254, 1926887968, 1594696649,
                1520798850, 1222239534, 755731200, 2045813712, 259278708, 542588911, 1825174495, 1495889662,
                178712961, 1474650738]  # fmt: skip
        generator = JavaRandom(7)
        assert generator.state == 25214903914
        assert [generator.next_bits() for _ in bits] == bits
        # 2 to 3 objects: the high bit of the first is 1, so 3; 1 to 2 shapes: 1 again, so 2; one colour.
        # Cells: 1608829485 mod 36 = 33; 20678044 mod 35 = 9; 747989380 mod 34 = 22, of what is left 23.
        # Shapes: high bits 0 1 1; piece 0 (mod 3 = 0) gets 0, and of 1, 2 the second gets 1: still 0 1 1.
        # Of four names 755731200 takes the second, then 2045813712 (mod 3 = 0) the first: SQUARE and STAR.
        # Colours: three draws below 1; piece 1 (mod 3 = 1) gets 0; of four names 178712961 takes the first.
        chance = make_chance(7, "java")
        board = draw_board(BoardDraw((2, 3), (1, 2), (1, 1)), chance)
        assert board.pieces == (
            Piece(0, "SQUARE", "RED", 10), Piece(1, "STAR", "RED", 24), Piece(2, "STAR", "RED", 34),
        )  # fmt: skip
        assert chance.draw(1 << 30) == 1474650738 >> 1  # the stream goes on with the next board

    def test_a_seed_may_be_negative(self):
        assert JavaRandom(-1).state == (-1 ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def test_a_bound_is_needed(self):
        with pytest.raises(AssayError, match="not 0"):
            JavaRandom(1).next_int(0)

    def test_boards_of_one_seed_continue_one_stream(self):
        first, second = make_chance(42, "java"), make_chance(42, "java")
        one = [draw_board(BoardDraw(), first) for _ in range(3)]
        assert one == [draw_board(BoardDraw(), second) for _ in range(3)] and one[0] != one[1]


class TestTheOrderOfDraws:
    def test_by_hand(self):
        # objects 2..3 -> 2; shapes 1..2 -> 2; colours 1 draws nothing. Cells: index 35 of 36, then 0 of 35.
        # Shapes: dealt 0, 0; pieces 1 then 0 get values 0, 1; names: index 3 of 4, then 0 of 3.
        # Colours: dealt 0, 0; piece 0 gets 0; name index 2 of 4.
        script = Scripted(0, 1, 35, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 2)
        board = draw_board(BoardDraw((2, 3), (1, 2), (1, 1)), script)
        assert script.bounds == [2, 2, 36, 35, 2, 2, 2, 1, 4, 3, 1, 1, 2, 4] and not script.values
        assert board.pieces == (Piece(0, "TRIANGLE", "BLUE", 1), Piece(1, "SQUARE", "BLUE", 36))

    def test_zero_means_any(self):
        script = Scripted(0, 3, 1)
        board = draw_board(BoardDraw((1, 1), (0, 0), (0, 0)), script)
        assert script.bounds == [36, 4, 4] and board.pieces == (Piece(0, "TRIANGLE", "BLACK", 1),)


class TestDistributions:
    def test_numbers_are_as_asked(self):
        asked = BoardDraw((5, 7), (2, 3), (1, 4))
        boards = [draw_board(asked, draws) for draws in [chance()] for _ in range(400)]
        assert {len(board.pieces) for board in boards} == {5, 6, 7}
        assert {len({p.shape for p in board.pieces}) for board in boards} == {2, 3}
        assert {len({p.color for p in board.pieces}) for board in boards} == {1, 2, 3, 4}
        assert all([p.id for p in board.pieces] == list(range(len(board.pieces))) for board in boards)
        assert all(p.cell < q.cell for board in boards for p, q in zip(board.pieces, board.pieces[1:]))

    def test_cells_are_uniform(self):
        counts = Counter(
            piece.cell
            for draws in [chance()]
            for _ in range(2000)
            for piece in draw_board(BoardDraw(), draws).pieces
        )
        assert set(counts) == set(range(1, 37)) and min(counts.values()) > 400 and max(counts.values()) < 610

    @pytest.mark.parametrize("assignment, share", [("published", 1 / 2), ("uniform", 3 / 7)])
    def test_how_two_values_are_dealt_to_four_pieces(self, assignment, share):
        """The share of boards on which two pieces have each value.

        Published: two pieces are overwritten with one value each, the others are free: equal parts have
        chance 1/2. Uniform: of the 14 ways to use both values, 6 are equal parts.
        """
        asked = BoardDraw((4, 4), (2, 2), (1, 1), assignment=assignment)
        draws, equal = chance(), 0
        for _ in range(4000):
            counts = Counter(piece.shape for piece in draw_board(asked, draws).pieces)
            equal += set(counts.values()) == {2}
        assert equal / 4000 == pytest.approx(share, abs=0.03)

    def test_crowded_boards_repeat_cells(self):
        boards = [draw_board(BoardDraw(crowded=True), draws) for draws in [chance()] for _ in range(50)]
        assert sum(board.is_crowded for board in boards) > 25
        assert len(draw_board(BoardDraw((50, 50), crowded=True), chance()).pieces) == 50

    def test_names_of_ones_own(self):
        asked = BoardDraw((3, 3), (3, 3), (2, 2), shape_names=("a", "b", "arrows/up"), color_names=("x", "y"))
        board = draw_board(asked, chance())
        assert {piece.shape for piece in board.pieces} == {"A", "B", "ARROWS/UP"}

    def test_a_seed_of_0_is_fresh(self):
        assert draw_board(BoardDraw(), make_chance(0)) != draw_board(BoardDraw(), make_chance(0))
        assert draw_board(BoardDraw(), make_chance(5)) == draw_board(BoardDraw(), make_chance(5))


class TestPropertyPieces:
    TABLE = "image,size,kind,color\na.png,1,cat,red\nb.png,-2,dog,\n"

    def test_kinds_of_a_table(self):
        assert read_kinds(self.TABLE) == (
            (("image", "a.png"), ("size", 1), ("kind", "cat"), ("color", "red")),
            (("image", "b.png"), ("size", -2), ("kind", "dog")),
        )

    def test_boards_of_kinds(self):
        board = draw_board(BoardDraw((30, 30), kinds=read_kinds(self.TABLE)), chance())
        assert {(piece.color, piece.ask("size")) for piece in board.pieces} == {("RED", 1), ("", -2)}
        assert board.property_names == {"image", "size", "kind"}

    def test_images_are_not_needed(self):
        assert read_kinds("size\n1\n") == ((("size", 1),),)

    @pytest.mark.parametrize(
        "text", ["", "size\n", "size,size\n1,2", "bucket\n1", "a b\n1", "size\n1,2", "size,kind\n,\n1,"]
    )
    def test_tables_that_are_refused(self, text):
        if text.endswith("1,"):  # an empty row is skipped, a missing property allowed
            assert read_kinds(text) == ((("size", 1),),)
        else:
            with pytest.raises(AssayError):
                read_kinds(text)


@pytest.mark.parametrize(
    "asked, says",
    [
        ({"objects": (0, 3)}, "at least one piece"),
        ({"objects": (37, 37)}, "37 pieces do not fit into 36 cells"),
        ({"objects": (5, 4)}, "the smaller first"),
        ({"shapes": (5, 5)}, "up to 5 shapes are asked for, and there are 4"),
        ({"objects": (3, 9)}, "as few as 3 pieces, which cannot show 4 shapes"),
        ({"objects": (3, 3), "shapes": (0, 0)}, "cannot show 4 colors"),
        ({"shape_names": ("a", "A", "b", "c")}, "each once"),
        ({"assignment": "fair"}, "published or uniform"),
        ({"geometry": Geometry(2, 2, 4)}, "do not fit into 4 cells"),
    ],
)
def test_what_cannot_be_drawn_is_refused_at_once(asked, says):
    with pytest.raises(AssayError, match=says):
        BoardDraw(**asked)


def test_chance_is_numpys_or_javas():
    with pytest.raises(AssayError, match="numpy or java"):
        make_chance(1, "c")
