"""Operations on single numbers, as they are written into a Python function: nodes of a graph.

A node is made once for equal operands, and folded where its operands are known. Whole numbers carry the range
in which they lie, so that comparisons and remainders that cannot matter are left out, and only sums that can
pass 32 bits are wrapped. Floats are those of 32 bits; denormal ones are zero, as in XLA's programs for CPUs.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.interop.single.arithmetic import (
    floor,
    fold_float,
    sign,
    single,
    to_whole,
    whole_quotient,
    whole_rest,
)
from assay.interop.single.flat import Unsupported
from assay.interop.single.node import LARGE, LIMITS, Node, beyond, is_rest_below, same_value

EXACT = 2**24  # up to here whole numbers are float32s
LONGEST_CHOICE = 64  # late numbers among which a late index chooses
ROUNDED = {"fadd", "fsub", "fmul", "fdiv", "fsqrt", "to_float"}  # results are rounded to float32


class Graph:
    """Makes nodes. One that is `rough` tells ranges alone, and nothing is computed by it."""

    def __init__(self, rough: bool = False) -> None:
        self._rough = rough
        self.nodes: list[Node] = []
        self._made: dict[Any, Node] = {}

    def _node(self, op: str, args: tuple, kind: str, low: int = 0, high: int = 0, value: Any = None) -> Node:
        key = op, kind, tuple(arg.number for arg in args), value
        if key not in self._made:
            self._made[key] = Node(op, args, kind, low, high, value, len(self.nodes))
            self.nodes.append(self._made[key])
        return self._made[key]

    def given(self, name: str, kind: str, low: int | None = None, high: int | None = None,
              most: float = math.inf) -> Node:  # fmt: skip
        """An argument of the function."""
        least, highest = LIMITS.get(kind, (0, 0))
        node = self._node(
            "given", (), kind, least if low is None else low, highest if high is None else high, name
        )
        node.most = most
        return node

    def const(self, value: Any, kind: str, literal: bool = True) -> Node:
        if kind == "f":
            bits = struct.pack("d", float(value))
            key = ("const", kind, bits, literal)
        else:
            value = bool(value) if kind == "b" else int(value)
            key = ("const", kind, value, literal)
        if key not in self._made:
            low = high = 0 if kind == "f" else int(value)
            node = Node("const", (), kind, low, high, float(value) if kind == "f" else value, len(self.nodes))
            node.literal = literal
            node.nonnegative = kind == "f" and float(value) >= 0
            node.most = abs(node.value) if kind == "f" and node.value == node.value else math.inf
            self.nodes.append(node)
            self._made[key] = node
        return self._made[key]

    # Sums and products

    def _bounded(self, op: str, args: tuple, kind: str, low: int, high: int) -> Node:
        """A whole number that is wrapped to 32 bits if it may need to be."""
        least, most = LIMITS[kind]
        if least <= low and high <= most:
            return self._node(op, args, kind, low, high)
        return self._node("wrap", (self._node(op, args, kind, low, high),), kind, least, most)

    def add(self, a: Node, b: Node) -> Node:
        if a.kind == "f":
            for one, other in ((a, b), (b, a)):
                if one.known and one.literal and one.value == 0.0:
                    return other
            return self._float(
                "fadd", a, b, nonnegative=a.nonnegative and b.nonnegative, most=a.most + b.most
            )
        if a.known and b.known:
            return self.wrapped(a.value + b.value, a.kind)
        for one, other in ((a, b), (b, a)):
            if one.known and one.value == 0:
                return other
        return self._bounded("add", (a, b), a.kind, a.low + b.low, a.high + b.high)

    def sub(self, a: Node, b: Node) -> Node:
        if a.kind == "f":
            if b.known and b.value == 0.0 and math.copysign(1.0, b.value) > 0:
                return a
            return self._float("fsub", a, b, most=a.most + b.most)
        if a.known and b.known:
            return self.wrapped(a.value - b.value, a.kind)
        if b.known and b.value == 0:
            return a
        if a is b:
            return self.const(0, a.kind)
        return self._bounded("sub", (a, b), a.kind, a.low - b.high, a.high - b.low)

    def mul(self, a: Node, b: Node) -> Node:
        if a.kind == "f":
            for one, other in ((a, b), (b, a)):
                if one.known and one.value == 1.0:
                    return other
            for one, other in ((a, b), (b, a)):
                if one.op == "as_float" and one.args[0].kind == "b" and not other.known:
                    return self._node("gated", (one.args[0], other), "f")
            for one, other in ((a, b), (b, a)):
                if (
                    one.known
                    and same_value(one, self.const(0.0, "f"))
                    and other.nonnegative
                    and other.most < LARGE
                ):
                    return self.const(0.0, "f", literal=False)
            if a.known and b.known and a.literal and b.literal:
                return self.const(single(a.value * b.value), "f")
            # Not folded otherwise, for a sum may swallow it; `source.py` does so in time.
            node = self._node("fmul", (a, b), "f")
            node.nonnegative = a is b or (a.nonnegative and b.nonnegative)
            node.most = beyond(a.most * b.most)
            return node
        if a.known and b.known:
            return self.wrapped(a.value * b.value, a.kind)
        for one, other in ((a, b), (b, a)):
            if one.known and one.value in (0, 1):
                return other if one.value else one
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return self._bounded("mul", (a, b), a.kind, min(ends), max(ends))

    def wrapped(self, value: int, kind: str) -> Node:
        if kind == "i":
            return self.const((value + 2**31) % 2**32 - 2**31, kind)
        return self.const(value % 2**32, kind)

    def _float(self, op: str, *args: Node, nonnegative: bool = False, most: float = math.inf) -> Node:
        if all(arg.known for arg in args):
            return self.const(fold_float(op, *(arg.value for arg in args)), "f", literal=False)
        node = self._node(op, args, "f")
        node.nonnegative, node.most = nonnegative, beyond(most)
        return node

    def div(self, a: Node, b: Node) -> Node:
        if a.kind == "f":
            if b.known and b.value == 1.0:
                return a
            return self._float("fdiv", a, b, nonnegative=a.nonnegative and b.nonnegative)
        if a.known and b.known:
            return self.wrapped(whole_quotient(a.value, b.value), a.kind)
        if b.known and b.value == 1:
            return a
        if a.low >= 0 and b.positive:
            return self._node("floordiv", (a, b), a.kind, a.low // b.high, a.high // b.low)
        return self._node("whole_quotient", (a, b), a.kind, *LIMITS[a.kind])

    def rem(self, a: Node, b: Node) -> Node:
        if a.kind == "f":
            raise Unsupported("rem of floats")
        if a.known and b.known:
            return self.wrapped(whole_rest(a.value, b.value), a.kind)
        if a.low >= 0 and b.positive:
            if a.high < b.low:
                return a
            if b.known and b.value == 1:
                return self.const(0, a.kind)
            return self._node("mod", (a, b), a.kind, 0, min(a.high, b.high - 1))
        most = max(abs(a.low), abs(a.high))
        if b.positive:
            most = min(most, b.high - 1)
        return self._node("whole_rest", (a, b), a.kind, -most if a.low < 0 else 0, most if a.high > 0 else 0)

    def neg(self, a: Node) -> Node:
        if a.kind == "f":
            node = self.const(-a.value, "f", a.literal) if a.known else self._node("neg", (a,), "f")
            node.most = a.most
            return node
        return self.sub(self.const(0, a.kind), a)

    def abs(self, a: Node) -> Node:
        if a.kind == "f":
            node = self.const(abs(a.value), "f", a.literal) if a.known else self._node("abs", (a,), "f")
            node.nonnegative, node.most = True, a.most
            return node
        return self.select(self.compare("lt", a, self.const(0, a.kind)), self.neg(a), a)

    def sqrt(self, a: Node) -> Node:
        return self._float("fsqrt", a, nonnegative=True, most=max(a.most, 1.0) if a.nonnegative else math.inf)

    def floor(self, a: Node) -> Node:
        return self.const(floor(a.value), "f", a.literal) if a.known else self._node("floor", (a,), "f")

    def sign(self, a: Node) -> Node:
        if a.kind == "f":
            return self.const(sign(a.value), "f") if a.known else self._node("sign", (a,), "f")
        zero, one = self.const(0, a.kind), self.const(1, a.kind)
        below = self.select(self.compare("lt", a, zero), self.neg(one), zero)
        return self.select(self.compare("gt", a, zero), one, below)

    # Choices

    def compare(self, how: str, a: Node, b: Node) -> Node:
        if how in ("gt", "ge"):
            return self.compare({"gt": "lt", "ge": "le"}[how], b, a)
        if how == "ne":
            return self.not_(self.compare("eq", a, b))
        if a.known and b.known:
            x, y = a.value, b.value
            return self.const({"lt": x < y, "le": x <= y, "eq": x == y}[how], "b")
        if a.kind != "f":
            if a is b:
                return self.const(how != "lt", "b")
            sure, never = {
                "lt": (a.high < b.low, a.low >= b.high),
                "le": (a.high <= b.low, a.low > b.high),
                "eq": (False, a.high < b.low or b.high < a.low),
            }[how]
            if sure or never:
                return self.const(sure, "b")
            if how == "eq" and a.kind == "b" and (a.known or b.known):
                flag, other = (a, b) if a.known else (b, a)
                return other if flag.value else self.not_(other)
        return self._node(how, (a, b), "b", 0, 1)

    def not_(self, a: Node) -> Node:
        if a.known:
            return self.const(not a.value, "b")
        return a.args[0] if a.op == "not" else self._node("not", (a,), "b", 0, 1)

    def logic(self, how: str, a: Node, b: Node) -> Node:
        """and, or, xor of flags; of whole numbers bit by bit."""
        if a.kind != "b":
            return self._bits(how, a, b)
        for one, other in ((a, b), (b, a)):
            if one.known:
                if how == "xor":
                    return self.not_(other) if one.value else other
                return one if one.value == (how == "or") else other
        if a is b:
            return self.const(False, "b") if how == "xor" else a
        return self._node(f"{how}_flags", (a, b), "b", 0, 1)

    def _bits(self, how: str, a: Node, b: Node) -> Node:
        if a.known and b.known:
            return self.wrapped(
                {"and": a.value & b.value, "or": a.value | b.value, "xor": a.value ^ b.value}[how], a.kind
            )
        if a.low < 0 or b.low < 0:
            return self._node(f"{how}_bits", (a, b), a.kind, *LIMITS[a.kind])
        most = min(a.high, b.high) if how == "and" else 2 ** max(a.high, b.high).bit_length() - 1
        return self._node(f"{how}_bits", (a, b), a.kind, 0, most)

    def select(self, which: Node, yes: Node, no: Node) -> Node:
        if which.known:
            return yes if which.value else no
        if which.op == "not":
            which, yes, no = which.args[0], no, yes
        if yes is no:
            return yes
        if yes.known and no.known and same_value(yes, no):
            return yes
        if yes.kind == "b":
            if yes.known:
                return self.logic("or", which, no) if yes.value else self.logic("and", self.not_(which), no)
            if no.known:
                return self.logic("or", self.not_(which), yes) if no.value else self.logic("and", which, yes)
        if is_rest_below(which, yes, no):
            return self._node("mod", no.args, no.kind, 0, no.args[1].high - 1)
        node = self._node("select", (which, yes, no), yes.kind, min(yes.low, no.low), max(yes.high, no.high))
        node.nonnegative = yes.nonnegative and no.nonnegative
        node.most = max(yes.most, no.most)
        return node

    def extreme(self, how: str, a: Node, b: Node) -> Node:
        """min or max."""
        if a.kind == "b":
            return self.logic("and" if how == "min" else "or", a, b)
        if a.kind != "f":
            first = self.compare("lt", a, b)
            node = self.select(first, a, b) if how == "min" else self.select(first, b, a)
            if node.op == "select":
                nearer = min if how == "min" else max
                node.low, node.high = nearer(a.low, b.low), nearer(a.high, b.high)
            return node
        if a.known and b.known:
            return self.const(getattr(np, f"{how}imum")(a.value, b.value), "f")
        if a.known:
            a, b = b, a
        if not b.known or b.value == 0.0 or b.value != b.value:
            if not (a.nonnegative and b.nonnegative) and not self._rough:
                raise Unsupported("which of two zeros is the smaller one")
            node = self._node(f"{how}_late", (a, b), "f")
            either = a.nonnegative or b.nonnegative
            node.nonnegative = either if how == "max" else a.nonnegative and b.nonnegative
            return node
        node = self._node(how, (a, b), "f")  # the second one is known: a number, and not zero
        node.nonnegative = a.nonnegative and b.nonnegative
        node.most = max(a.most, b.most)
        if {how, a.op} == {"min", "max"} and a.args[0].most < math.inf:
            node.most = max(abs(a.args[1].value), abs(b.value))  # cut on both sides
        return node

    def pick(self, entries: Sequence[Node], index: Node) -> Node:
        """The entry at an index that lies within."""
        if index.known:
            return entries[index.value]
        within = entries[max(index.low, 0) : index.high + 1]
        low, high = min(each.low for each in within), max(each.high for each in within)
        first = within[0]
        if all(each is first or (each.known and first.known and same_value(each, first)) for each in within):
            return first
        if all(each.known for each in entries):
            values = tuple(struct.pack("d", e.value) if e.kind == "f" else e.value for e in entries)
            node = self._node("table", (index,), first.kind, low, high, values)
        elif len(entries) > LONGEST_CHOICE:
            raise Unsupported("a choice among many late numbers")
        else:
            node = self._node("pick", (index, *entries), first.kind, low, high)
        node.nonnegative = all(each.nonnegative for each in within)
        return node

    # Kinds of numbers

    def convert(self, a: Node, kind: str) -> Node:
        if a.kind == kind:
            return a
        if kind == "f":
            if a.known:
                return self.const(single(float(a.value)), "f", a.literal)
            exact = a.low >= -EXACT and a.high <= EXACT
            node = self._node("as_float" if exact else "to_float", (a,), "f")
            node.nonnegative, node.most = a.low >= 0, float(max(abs(a.low), abs(a.high)))
            return node
        if kind == "b":
            return self.compare("ne", a, self.const(0, a.kind))
        if a.kind == "f":
            if kind != "i":
                raise Unsupported("a float as an unsigned number")
            if a.known:
                return self.const(to_whole(a.value), "i")
            return self._node("to_whole", (a,), "i", 0 if a.nonnegative else LIMITS["i"][0], LIMITS["i"][1])
        if a.known:
            return self.wrapped(int(a.value), kind)
        if a.kind == "b":
            return self._node("as_whole", (a,), kind, 0, 1)
        least, most = LIMITS[kind]
        if least <= a.low and a.high <= most:
            return self._node("same", (a,), kind, a.low, a.high)
        return self._node("wrap", (a,), kind, least, most)

    def fence(self, a: Node) -> Node:
        """The same number, which no sum swallows the product of."""
        if a.op != "fmul":
            return a
        node = self._node("same", (a,), "f")
        node.nonnegative = a.nonnegative
        return node
