"""Expressions over variables that have numbers: what an expression comes to for every combination of them.

The arithmetic is that of `set_arithmetic.py`; only the variables are read differently here, from numbers in
place of a history. No jax here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from assay.envs.rules.board import Piece
from assay.envs.rules.engine.variables import CELL, COLOR, NEAR, SHAPE, Domains, Variable, Vocabulary
from assay.envs.rules.evaluate import NEAREST, REMOTEST
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

Numbers = Mapping[Variable, int]  # the value of each variable; 0: none
Evaluate = Callable[[Numbers, int], Set]  # of the variables and the bucket that is tried

# A whole piece, as `last` or `q.color` without a field: no two of them compare, so that one stands for all.
WHOLE_PIECE: Set = frozenset({Seen(Piece(0, "", "", 1), 0)})
TRIED = ("this", "bucket")
OWN_CELL, OWN_NEAR = Variable("piece", CELL), Variable("piece", NEAR)


def variable_of(parts: tuple[str, ...], vocabulary: Vocabulary) -> Variable | None:
    """The variable that a name reads; None for the bucket tried, the whole piece tried, and unknown names."""
    first, asked = parts[0], parts[1:]
    bucket = vocabulary.bucket_row
    if not asked and first in NEAREST + REMOTEST:
        return Variable("piece", NEAR)
    if not asked and first in ("p", "pc", "ps"):
        key = {"pc": COLOR, "ps": SHAPE}.get(first)
        return Variable("last", bucket) if key is None else Variable("kin", bucket, key)
    if first == "this" and len(asked) == 1:
        row = vocabulary.row_of(asked[0])
        return None if row is None or row == bucket else Variable("piece", row)
    if first == "last" and len(asked) <= 1:
        row = vocabulary.row_of(asked[0]) if asked else bucket
        return None if row is None else Variable("last", row)
    if first == "p" and len(asked) == 1:
        return _latest(bucket, asked[0], vocabulary)
    if first == "q" and len(asked) in (1, 2):
        row = vocabulary.row_of(asked[1]) if len(asked) == 2 else bucket
        return None if row is None else _latest(row, asked[0], vocabulary)
    return None


def _latest(row: int, shared: str, vocabulary: Vocabulary) -> Variable | None:
    key = vocabulary.row_of(shared)
    if key is None:
        return None
    return Variable("bin", row) if key == vocabulary.bucket_row else Variable("kin", row, key)


def variables_in(field: Field, vocabulary: Vocabulary) -> list[Variable]:
    """The variables that an expression reads, sorted. The cell of a piece says what is near to it as well."""
    read = {variable_of(name.parts, vocabulary) for name in variables_of(field)}
    redundant = {OWN_NEAR} if OWN_CELL in read else set()
    return sorted(variable for variable in read - redundant if variable is not None)


def asks_for_bucket(field: Field) -> bool:
    return any(name.parts == TRIED for name in variables_of(field))


def compile_tree(tree: Expression, takes_names: bool, domains: Domains, vocabulary: Vocabulary) -> Evaluate:
    """The function of an expression."""

    def compile_part(part: Expression) -> Evaluate:
        return compile_tree(part, takes_names and isinstance(tree, Union), domains, vocabulary)

    if isinstance(tree, Number | Text):
        return _constant(frozenset({tree.value}))
    if isinstance(tree, Name):
        if takes_names and len(tree.parts) == 1:
            return _constant(frozenset({tree.parts[0]}))
        return _compile_name(tree.parts, domains, vocabulary)
    if isinstance(tree, Union):
        items = [compile_part(item) for item in tree.items]
        return lambda numbers, tried: NONE.union(*[item(numbers, tried) for item in items])
    if isinstance(tree, Not):
        of = compile_part(tree.of)
        return lambda numbers, tried: negate(of(numbers, tried))
    left, right = compile_part(tree.left), compile_part(tree.right)
    join, operator = combine if isinstance(tree, Arithmetic) else compare, tree.operator
    return lambda numbers, tried: join(operator, left(numbers, tried), right(numbers, tried))


def _constant(value: Set) -> Evaluate:
    return lambda numbers, tried: value


def _compile_name(parts: tuple[str, ...], domains: Domains, vocabulary: Vocabulary) -> Evaluate:
    if parts == TRIED:
        return lambda numbers, tried: frozenset({tried})
    if parts == ("this",):
        return _constant(WHOLE_PIECE)
    variable = variable_of(parts, vocabulary)
    if variable is None:
        return _constant(NONE)
    sets: list[Set]
    if variable.row == NEAR:
        return _compile_near(domains.nearest if parts[0] in NEAREST else domains.remotest, domains.near)
    elif parts == ("last",) or (parts[0] == "q" and len(parts) == 2):
        sets = [NONE] + [WHOLE_PIECE] * len(domains.rows[variable.row])
    else:
        sets = [NONE, *(frozenset({value}) for value in domains.rows[variable.row])]
    return lambda numbers, tried: sets[numbers[variable]]


def _compile_near(places: tuple[frozenset[int], ...], near: tuple[int, ...]) -> Evaluate:
    """Nearest or most remote buckets, by what is near to the piece or else by its cell; 0 is no piece."""
    by_place: list[Set] = [NONE, *places]
    by_cell: list[Set] = [NONE, *(by_place[each] for each in near)]

    def evaluate(numbers: Numbers, tried: int) -> Set:
        return by_place[numbers[OWN_NEAR]] if OWN_NEAR in numbers else by_cell[numbers[OWN_CELL]]

    return evaluate


def split_condition(tree: Expression, vocabulary: Vocabulary) -> Iterator[Expression]:
    """Expressions all of which must be non-empty for this one to be: each has fewer variables."""
    if is_never_lost(tree, vocabulary):
        yield from split_condition(tree.left, vocabulary)
        yield from split_condition(tree.right, vocabulary)
    elif isinstance(tree, Not) and isinstance(tree.of, Union):
        for item in tree.of.items:
            yield from split_condition(Not(item, tree.at), vocabulary)
    elif isinstance(tree, Not) and isinstance(tree.of, Not):
        yield from split_condition(tree.of.of, vocabulary)
    else:
        yield tree


def is_never_lost(tree: Expression, vocabulary: Vocabulary) -> TypeGuard[Arithmetic]:
    """Whether an expression is arithmetic that comes to something wherever both of its sides do."""
    if not isinstance(tree, Arithmetic) or tree.operator not in "+-*":
        return False
    return all(has_numbers_alone(side, vocabulary) for side in (tree.left, tree.right))


def has_numbers_alone(tree: Expression, vocabulary: Vocabulary) -> bool:
    """Whether an expression can come to nothing but whole numbers, so that arithmetic drops none of it."""
    if isinstance(tree, Number | Arithmetic | Comparison | Not):
        return True
    if isinstance(tree, Union):
        return all(has_numbers_alone(item, vocabulary) for item in tree.items)
    if isinstance(tree, Name) and tree.parts not in (("last",), ("this",)):
        variable = variable_of(tree.parts, vocabulary)
        whole = tree.parts[0] == "q" and len(tree.parts) == 2
        numeric = (NEAR, CELL, vocabulary.bucket_row)
        return not whole and variable is not None and variable.row in numeric
    return False
