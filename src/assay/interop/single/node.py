"""One number of a function that is written, and what can be said of it beforehand."""

from __future__ import annotations

import math
import struct
from typing import Any

KINDS = {"int32": "i", "uint32": "u", "bool": "b", "float32": "f"}
LIMITS = {"i": (-(2**31), 2**31 - 1), "u": (0, 2**32 - 1), "b": (0, 1)}
LARGE = 1e30  # floats below this are finite, and so are their sums and roots


class Node:
    """One number of the function that is written. Ends of a range mean nothing in floats."""

    __slots__ = ("args", "high", "kind", "literal", "low", "most", "nonnegative", "number", "op", "value")

    def __init__(self, op: str, args: tuple, kind: str, low: int, high: int, value: Any, number: int):
        self.op, self.args, self.kind, self.low, self.high = op, args, kind, low, high
        self.value, self.number = value, number
        self.literal = False  # a constant of the program; the levels of a task are none
        self.nonnegative = False  # a float that is never below zero
        self.most = math.inf  # no float is farther from zero; infinite where it may be NaN

    @property
    def known(self) -> bool:
        return self.op == "const"

    @property
    def positive(self) -> bool:
        return self.low > 0


def is_rest_below(which: Node, yes: Node, no: Node) -> bool:
    """Whether this choice is jax's remainder: what is left towards zero, and the divisor more if below it."""
    if no.op != "whole_rest" or not no.args[1].positive:
        return False
    below = which.args[0] if which.op == "and_flags" else which
    if which.op == "and_flags":
        other = which.args[1]
        is_zero = other.args[0] if other.op == "not" else None
        if is_zero is None or is_zero.op != "eq" or no not in is_zero.args:
            return False
        if not any(arg.known and arg.value == 0 for arg in is_zero.args):
            return False
    if below.op != "lt" or below.args[0] is not no or not below.args[1].known or below.args[1].value != 0:
        return False
    return yes.op == "add" and no in yes.args and no.args[1] in yes.args


def beyond(most: float) -> float:
    """A bound for a rounded result, from one for the exact result."""
    return most * 1.000001 if most < LARGE else math.inf


def same_value(a: Node, b: Node) -> bool:
    if a.kind == "f":
        return struct.pack("d", a.value) == struct.pack("d", b.value)
    return a.value == b.value
