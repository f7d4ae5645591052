"""Expressions as functions: what an expression comes to for a piece that is tried in a bucket.

An expression is compiled once for a rule and evaluated for every piece and bucket that a game looks at.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.envs.rules.board import Piece
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.syntax import (
    Arithmetic,
    Comparison,
    Expression,
    Name,
    Not,
    Number,
    Text,
    Union,
)
from assay.envs.rules.language.walk import Field, variables_of
from assay.envs.rules.set_arithmetic import NONE, Seen, Set, combine, compare, negate

History = tuple[Seen, ...]  # accepted moves of the episode, the latest last
Evaluate = Callable[[History, Piece, int], Set]  # of the piece and the bucket that are tried
NEAREST = ("Nearby", "nearby")
REMOTEST = ("Remotest", "remotest")


def compile_field(field: Field, geometry: Geometry) -> Evaluate:
    """The function of an expression; one without variables is computed here, once."""
    evaluate = _compile(field.tree, field.takes_names, geometry)
    if next(variables_of(field), None) is None:
        value = evaluate((), Piece(0, "", "", 1), 0)
        return lambda history, piece, bucket: value
    return evaluate


def asks_for_bucket(field: Field) -> bool:
    """Whether an expression may depend on the bucket that is tried."""
    return any(
        name.parts[0] in ("this", "p", "q") and name.parts[1:2] == ("bucket",) for name in variables_of(field)
    )


def _compile(tree: Expression, takes_names: bool, geometry: Geometry) -> Evaluate:
    if isinstance(tree, Number | Text):
        value: Set = frozenset({tree.value})
        return lambda history, piece, bucket: value
    if isinstance(tree, Name):
        return _compile_name(tree, takes_names, geometry)
    if isinstance(tree, Union):
        items = [_compile(item, takes_names, geometry) for item in tree.items]
        return lambda history, piece, bucket: NONE.union(*[item(history, piece, bucket) for item in items])
    if isinstance(tree, Not):
        of = _compile(tree.of, False, geometry)
        return lambda history, piece, bucket: negate(of(history, piece, bucket))
    return _compile_pairs(tree, geometry)


def _compile_pairs(tree: Arithmetic | Comparison, geometry: Geometry) -> Evaluate:
    left, right = _compile(tree.left, False, geometry), _compile(tree.right, False, geometry)
    join, operator = combine if isinstance(tree, Arithmetic) else compare, tree.operator
    return lambda history, piece, bucket: join(
        operator, left(history, piece, bucket), right(history, piece, bucket)
    )


def _compile_name(name: Name, takes_names: bool, geometry: Geometry) -> Evaluate:
    first, asked = name.parts[0], name.parts[1:]
    if takes_names and not asked:
        value: Set = frozenset({first})
        return lambda history, piece, bucket: value
    if not asked and first in NEAREST + REMOTEST:
        places = geometry.nearest if first in NEAREST else geometry.remotest
        return lambda history, piece, bucket: places[piece.cell - 1]
    if not asked and first in ("pc", "ps"):
        return _compile_latest_bucket("color" if first == "pc" else "shape")
    if first == "p" and len(asked) <= 1:
        return _compile_latest_bucket(asked[0]) if asked else _last_bucket
    if first in ("this", "last") and len(asked) <= 1:
        return _compile_record(first, asked)
    if first == "q" and len(asked) in (1, 2):
        return _compile_latest_record(asked)
    return lambda history, piece, bucket: NONE  # a name that strict reading refuses


def _last_bucket(history: History, piece: Piece, bucket: int) -> Set:
    return frozenset({history[-1].bucket}) if history else NONE


def _compile_latest_bucket(shared: str) -> Evaluate:
    def evaluate(history: History, piece: Piece, bucket: int) -> Set:
        latest = find_latest(history, Seen(piece, bucket), shared) if history else None
        return frozenset({latest.bucket}) if latest else NONE

    return evaluate


def _compile_record(which: str, asked: tuple[str, ...]) -> Evaluate:
    def evaluate(history: History, piece: Piece, bucket: int) -> Set:
        if which == "last" and not history:
            return NONE
        return _ask(history[-1] if which == "last" else Seen(piece, bucket), asked)

    return evaluate


def _compile_latest_record(asked: tuple[str, ...]) -> Evaluate:
    def evaluate(history: History, piece: Piece, bucket: int) -> Set:
        latest = find_latest(history, Seen(piece, bucket), asked[0]) if history else None
        return _ask(latest, asked[1:]) if latest else NONE

    return evaluate


def find_latest(history: History, tried: Seen, name: str) -> Seen | None:
    """The latest accepted move that shares a property with the one that is tried."""
    if name == "bucket":
        return next((seen for seen in reversed(history) if seen.bucket == tried.bucket), None)
    value = tried.piece.ask(name)
    if value is None:
        return None
    return next((seen for seen in reversed(history) if seen.piece.ask(name) == value), None)


def ask(seen: Seen, name: str) -> int | str | None:
    """What a move has under a name: its bucket, or something of its piece."""
    return seen.bucket if name == "bucket" else seen.piece.ask(name)


def _ask(seen: Seen, asked: tuple[str, ...]) -> Set:
    if not asked:
        return frozenset({seen})
    value = ask(seen, asked[0])
    return NONE if value is None else frozenset({value})
