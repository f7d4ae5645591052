"""Conditions that divide boards into those for training and those for tests.

A condition file is written like a rule and read otherwise: a piece meets a line if all its atoms take it,
into one and the same bucket and with nothing remembered; it meets the file if it meets any line. Training
boards have no piece that meets the file, boards for tests have at least one.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

from assay.envs.rules.atoms import PlayableAtom
from assay.envs.rules.board import Board, Piece
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.interpreter import Game, prepare
from assay.envs.rules.language.faults import TABLE, refuse_missing_properties
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.syntax import Atom, Cell, Rule
from assay.envs.rules.language.walk import atoms_of
from assay.envs.rules.random_boards import BoardDraw, Chance, draw_board
from assay.errors import AssayError

TRAIN, TEST = "train", "test"
MOST_TRIES = 1000


class Condition:
    """A condition file on boards of one geometry."""

    def __init__(self, rule: Rule, geometry: Geometry = STANDARD):
        self.game: Game = prepare(rule, geometry)
        self.only_cells = all(is_about_cells(atom) for atom in atoms_of(rule))

    def meets_piece(self, pieces: tuple[Piece, ...], piece: Piece) -> bool:
        return any(_share_a_bucket(line.atoms, pieces, piece) for line in self.game.lines)

    def fits(self, board: Board, side: str) -> bool:
        """Whether a board belongs to a side, `train` or `test`."""
        some = any(self.meets_piece(board.pieces, piece) for piece in board.pieces)
        return some if check_side(side) == TEST else not some

    def cells_for_training(self) -> list[int]:
        """The cells that no line names; for a condition on cells alone."""
        cells = range(1, self.game.geometry.cells + 1)
        return [cell for cell in cells if not self.meets_piece((), Piece(0, "", "", cell))]


def read_condition(
    text: str,
    geometry: Geometry = STANDARD,
    source: str = "the condition",
    properties: Collection[str] = (),
    remedy: str = TABLE,
) -> Condition:
    """The condition of a text; `properties` are those that pieces have beside shape and colour.

    `remedy` says what would give pieces properties, where they have none.
    """
    rule = parse(text, source=source, geometry=geometry)
    refuse_missing_properties(rule, properties, source, remedy)
    return Condition(rule, geometry)


def check_side(side: str) -> str:
    if side not in (TRAIN, TEST):
        raise AssayError(f"a condition has the sides {TRAIN} and {TEST}, not {side!r}.")
    return side


def is_about_cells(atom: Atom) -> bool:
    """Whether an atom asks for numbered cells and for nothing else."""
    others = (atom.shape, atom.color, atom.bucket, atom.code)
    has_others = any(each is not None for each in others) or atom.postpos or atom.properties
    return not has_others and all(isinstance(each, Cell) for cells in atom.positions for each in cells)


def _share_a_bucket(atoms: tuple[PlayableAtom, ...], pieces: tuple[Piece, ...], piece: Piece) -> bool:
    return bool(reduce(frozenset.intersection, [atom.takes(pieces, (), piece) for atom in atoms]))


def draw_on_side(asked: BoardDraw, chance: Chance, condition: Condition, side: str) -> Board:
    """A random board of one side, tried until it fits; a condition on cells is kept by the draw itself."""
    cells = None
    if check_side(side) == TRAIN and condition.only_cells:
        cells = condition.cells_for_training()
        if len(cells) < (1 if asked.crowded else asked.objects[1]):
            says = f"the condition leaves {len(cells)} cells for training"
            raise AssayError(f"{says}, too few for {asked.objects[1]} pieces; ask for fewer.")
    for _ in range(MOST_TRIES):
        board = draw_board(asked, chance, cells)
        if condition.fits(board, side):
            return board
    raise AssayError(
        f"none of {MOST_TRIES} random boards is one for {side}; widen the condition or the boards."
    )
