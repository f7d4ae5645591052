"""The arithmetic of rules: every value is a finite set of whole numbers, texts or pieces.

Numbers have 32 bits and wrap, as in the published game. What has no number in it, a text or a piece,
contributes nothing to arithmetic; an empty operand makes every result empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from assay.envs.rules.board import Piece


class Seen(NamedTuple):
    """A piece and a bucket: the one it went into, or is tried in."""

    piece: Piece
    bucket: int


Value = int | str | Seen
Set = frozenset[Value]
NONE: Set = frozenset()
TRUE: Set = frozenset({1})
HALF, WHOLE = 2**31, 2**32


def wrap(number: int) -> int:
    """The number in 32 bits, with a sign."""
    return number if -HALF <= number < HALF else (number + HALF) % WHOLE - HALF


def divide(a: int, b: int) -> int | None:
    """Rounded toward zero; nothing for a divisor of 0."""
    if b == 0:
        return None
    whole = abs(a) // abs(b)
    return whole if (a < 0) == (b < 0) else -whole


def remain(a: int, b: int) -> int | None:
    """The remainder with the sign of what is divided."""
    if b == 0:
        return None
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


OPERATIONS: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divide,
    "%": remain,
}
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def combine(operator: str, left: Set, right: Set) -> Set:
    """All pairs of whole numbers, joined by an operator."""
    if not left or not right:
        return NONE
    apply = OPERATIONS[operator]
    results = [apply(a, b) for a in left if type(a) is int for b in right if type(b) is int]
    return frozenset([wrap(each) for each in results if each is not None])


def compare(operator: str, left: Set, right: Set) -> Set:
    """{1} if some pair satisfies the relation; numbers with numbers, texts with texts as they are written."""
    return TRUE if any(_satisfies(operator, a, b) for a in left for b in right) else NONE


def _satisfies(operator: str, a: Value, b: Value) -> bool:
    if type(a) is not type(b) or isinstance(a, Seen):
        return False
    if operator == "==":
        return a == b
    if operator == "!=":
        return a != b
    return type(a) is int and type(b) is int and RELATIONS[operator](a, b)


def negate(of: Set) -> Set:
    return NONE if of else TRUE


def reduce_to_buckets(values: Set, buckets: int) -> frozenset[int]:
    """The buckets that a set names: whole numbers modulo the number of buckets; all else is dropped."""
    return frozenset([each % buckets for each in values if type(each) is int])
