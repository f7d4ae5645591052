"""Arithmetic of 32 bits on plain Python numbers, as XLA's programs for CPUs do it.

Doubles hold every float32, and what is computed of two float32s in a double and then rounded is the float32
that a processor gives. Denormal numbers are zero there.
"""

from __future__ import annotations

import math
from array import array
from ctypes import c_float
from functools import partial

TINY = 2.0**-126  # the least number that is not denormal

# A place in which a number becomes a float32, in a third of the time that other ways take. Each call has its
# own: steps of other threads would write into a common one.
new_cell = partial(array, "f", (0.0,))


def single(number: float) -> float:
    """The float32 nearest to a number, zero in place of a denormal one."""
    rounded = c_float(number).value
    return rounded * 0.0 if -TINY < rounded < TINY else rounded


def fused(a: float, b: float, c: float) -> float:
    """a * b + c, rounded once."""
    product = a * b  # exact: 48 bits
    total = product + c
    rounded = single(total)
    gap = total - rounded
    if gap != 0.0 and not math.isinf(rounded) and gap == gap:
        other = total + gap
        if single(other) == other:
            # Halfway between two float32s, as far as a double can tell: what the sum has lost decides.
            part = total - product
            lost = (product - (total - part)) + (c - part)
            if lost:
                return max(rounded, other) if lost > 0 else min(rounded, other)
    return rounded


def quotient(a: float, b: float) -> float:
    """a / b as the processor has it."""
    if b:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def root(a: float) -> float:
    return math.sqrt(a) if a >= 0 else (a if a == 0 else math.nan)


def whole_quotient(a: int, b: int) -> int:
    """a / b cut towards zero; what XLA gives for a zero below."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def whole_rest(a: int, b: int) -> int:
    return a if b == 0 else a - b * whole_quotient(a, b)


def to_whole(a: float) -> int:
    """A float cut to an int32, as XLA does it."""
    if a != a:
        return 0
    return -(2**31) if a <= -(2**31) else 2**31 - 1 if a >= 2**31 - 1 else int(a)


def sign(a: float) -> float:
    return math.copysign(1.0, a) if a else a


def floor(a: float) -> float:
    return float(math.floor(a)) if math.isfinite(a) and a != 0 else a


FUNCTIONS = {
    "fused": fused, "quotient": quotient, "root": root, "whole_quotient": whole_quotient,
    "whole_rest": whole_rest, "to_whole": to_whole, "sign": sign, "floor": floor,
}  # fmt: skip


def fold_float(op: str, *numbers: float) -> float:
    if op == "fsqrt":
        return single(root(*numbers))
    a, b = numbers
    return single({"fadd": a + b, "fsub": a - b, "fmul": a * b}[op] if op != "fdiv" else quotient(a, b))
