"""Atoms as functions: into which buckets an atom takes a piece, while its counter allows anything.

Conditions that cannot depend on the bucket are tried once for a piece, the others for each bucket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.envs.rules.board import ANYTHING, Piece, PropertyValue
from assay.envs.rules.evaluate import Evaluate, History, asks_for_bucket, compile_field
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.orders import Ranks
from assay.envs.rules.language.syntax import Atom, Cell, Name, OrderName, Position, Range, Text, Union
from assay.envs.rules.language.tokens import raise_case
from assay.envs.rules.language.walk import Field, fields_of
from assay.envs.rules.set_arithmetic import Set, reduce_to_buckets

FitsCell = Callable[[tuple[Piece, ...], Piece], bool]  # of the pieces on the board, for one of them
FitsMove = Callable[[History, Piece, int], bool]


@dataclass(frozen=True)
class PlayableAtom:
    """One atom, ready to be asked. All conditions of a tuple must hold."""

    count: int | None
    fits_cell: tuple[FitsCell, ...]
    fits_piece: tuple[FitsMove, ...]  # none of them depends on the bucket
    fits_bucket: tuple[FitsMove, ...]
    targets: Evaluate | None  # buckets; None: all of them
    targets_vary: bool  # with the bucket that is tried
    first_after: tuple[Ranks | None, ...]  # `postpos`; None: an order that is not known
    every_bucket: frozenset[int]

    def takes(self, pieces: tuple[Piece, ...], history: History, piece: Piece) -> frozenset[int]:
        """The buckets that accept the piece; the counter is not looked at."""
        buckets = self.takes_before_postpos(pieces, history, piece)
        if not buckets or not self.first_after:
            return buckets
        rivals = [each.cell for each in pieces if self.takes_before_postpos(pieces, history, each)]
        is_first = any(_is_first(ranks, piece.cell, rivals) for ranks in self.first_after)
        return buckets if is_first else frozenset()

    def takes_before_postpos(
        self, pieces: tuple[Piece, ...], history: History, piece: Piece
    ) -> frozenset[int]:
        if not all(fits(history, piece, 0) for fits in self.fits_piece):
            return frozenset()
        if not all(allows(pieces, piece) for allows in self.fits_cell):
            return frozenset()
        buckets = self._find_targets(history, piece)
        if not self.fits_bucket:
            return buckets
        return frozenset(
            [each for each in buckets if all(fits(history, piece, each) for fits in self.fits_bucket)]
        )

    def _find_targets(self, history: History, piece: Piece) -> frozenset[int]:
        count = len(self.every_bucket)
        if self.targets is None:
            return self.every_bucket
        if not self.targets_vary:
            return reduce_to_buckets(self.targets(history, piece, 0), count)
        return frozenset(
            [
                each
                for each in self.every_bucket
                if each in reduce_to_buckets(self.targets(history, piece, each), count)
            ]
        )


def compile_atom(atom: Atom, geometry: Geometry, ranks: dict[str, Ranks]) -> PlayableAtom:
    fixed: list[FitsMove] = []
    varying: list[FitsMove] = []
    for each in atom.properties:
        if not isinstance(each.accepts, tuple):
            fixed += [_has(each.name)] if each.accepts is None else []
        else:
            fixed.append(_within(each.name, each.accepts))
    fields = {field.name: field for field in fields_of(atom)}
    bucket = fields.get("bucket")
    for field in fields_of(atom):
        if field.name != "bucket":
            (varying if asks_for_bucket(field) else fixed).append(_compile_condition(field, geometry))
    return PlayableAtom(
        count=atom.count,
        fits_cell=tuple(_compile_positions(each, ranks) for each in atom.positions),
        fits_piece=tuple(fixed),
        fits_bucket=tuple(varying),
        targets=compile_field(bucket, geometry) if bucket else None,
        targets_vary=bucket is not None and asks_for_bucket(bucket),
        first_after=tuple(ranks.get(each.name) for each in atom.postpos),
        every_bucket=frozenset(range(geometry.buckets)),
    )


def _compile_condition(field: Field, geometry: Geometry) -> FitsMove:
    evaluate = compile_field(field, geometry)
    if field.name == "code":
        return lambda history, piece, bucket: bool(evaluate(history, piece, bucket))
    name = field.name
    if _is_literal(field):
        accepted = {_fold(each) for each in evaluate((), Piece(0, "", "", 1), 0)}
        if name == "shape":  # in upper case already
            return lambda history, piece, bucket: piece.shape in accepted
        if name == "color":
            return lambda history, piece, bucket: piece.color in accepted
        return lambda history, piece, bucket: _meets(piece.ask(name), accepted)
    return lambda history, piece, bucket: _is_among(piece.ask(name), evaluate(history, piece, bucket))


def _is_literal(field: Field) -> bool:
    items = field.tree.items if isinstance(field.tree, Union) else (field.tree,)
    return all(isinstance(each, Text) or (isinstance(each, Name) and len(each.parts) == 1) for each in items)


def _fold(value: object) -> object:
    return raise_case(value) if isinstance(value, str) else value


def _meets(value: PropertyValue | None, accepted: set[object]) -> bool:
    return value is not None and (_fold(value) in accepted or value == ANYTHING)


def _is_among(value: PropertyValue | None, values: Set) -> bool:
    return _meets(value, {_fold(each) for each in values})


def _has(name: str) -> FitsMove:
    return lambda history, piece, bucket: piece.ask(name) is not None


def _within(name: str, ranges: tuple[Range, ...]) -> FitsMove:
    def fits(history: History, piece: Piece, bucket: int) -> bool:
        value = piece.ask(name)
        if isinstance(value, int):
            return any(limits.low <= value <= limits.high for limits in ranges)
        return value == ANYTHING

    return fits


def _compile_positions(positions: tuple[Position, ...], ranks: dict[str, Ranks]) -> FitsCell:
    cells = frozenset(each.number for each in positions if isinstance(each, Cell))
    orders = [ranks.get(each.name) for each in positions if isinstance(each, OrderName)]
    if not orders:
        return lambda pieces, piece: piece.cell in cells

    def allows(pieces: tuple[Piece, ...], piece: Piece) -> bool:
        if piece.cell in cells:
            return True
        occupied = [each.cell for each in pieces]
        return any(_is_first(order, piece.cell, occupied) for order in orders)

    return allows


def _is_first(ranks: Ranks | None, cell: int, among: list[int]) -> bool:
    """Whether no cell of a list has a better rank; an order that is not known puts no cell first."""
    return ranks is not None and ranks[cell - 1] <= min(ranks[each - 1] for each in among)
