"""The expressions of rule files: a small language of whole numbers, parsed and checked, never run as text.

    ball_x > last_x and 0 < serve < 5          cells and remembered values by name, chained comparisons
    cars[i] + 2 if cars[i] < 150 else 0        a cell of a range, a choice between two values
    kind in (2, 8) or all(ram[r] == 0 for r in 37..46)
    uniform(0, 255), chance(0.4), choice(32, 64, 80), shuffle(1, 2, 3)   draws of the variation's own stream

`parse` gives a tree of the few node kinds below; a wrong text is an `Unreadable` that knows where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from assay.positions import Unreadable

TOKEN = re.compile(
    r"\s*(?:(?P<number>0x[0-9a-fA-F]+|\d+\.\d+|\d+(?!\w))|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\.\.|//|<<|>>|<=|>=|==|!=|[-+*%&|^~<>()\[\],]))"
)
WORDS = ("if", "else", "and", "or", "not", "in", "for", "any", "all", "count")
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=", "in", "not in")
LEVELS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "//", "%"))  # from loose to tight
FUNCTIONS = {  # name -> fewest and most arguments
    "min": (2, 8), "max": (2, 8), "abs": (1, 1), "bcd": (1, 1), "unbcd": (1, 1), "signed": (1, 1),
    "fires": (1, 1), "unfired": (1, 1),
    "uniform": (2, 2), "chance": (1, 1), "choice": (2, 64), "shuffle": (2, 64), "draws": (3, 3),
    "permutation": (1, 1),
}  # fmt: skip
DRAWING = ("uniform", "chance", "choice", "shuffle", "draws", "permutation")


class Token(NamedTuple):
    kind: str  # number, name, sign, end
    text: str
    at: int


@dataclass(frozen=True)
class Node:
    at: int


@dataclass(frozen=True)
class Number(Node):
    value: int | float


@dataclass(frozen=True)
class Name(Node):
    name: str


@dataclass(frozen=True)
class Item(Node):
    """One cell of a range, or one entry of a remembered list."""

    name: str
    index: Node


@dataclass(frozen=True)
class Call(Node):
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Sign(Node):
    """An operator with one or two operands, or a chain of comparisons, or `if`."""

    signs: tuple[str, ...]
    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Among(Node):
    """The right-hand side of `in`: single values and ranges."""

    parts: tuple[tuple[Node, Node | None], ...]


@dataclass(frozen=True)
class Over(Node):
    """any, all or count of an expression over the values of a loop's name."""

    how: str
    each: Node
    name: str
    among: Among


def tokens(text: str, base: int) -> list[Token]:
    found, place = [], 0
    while place < len(text.rstrip()):
        match = TOKEN.match(text, place)
        if not match or match.end() == place:
            at = place + len(text[place:]) - len(text[place:].lstrip())
            raise Unreadable(f"{text[at]!r} is no part of an expression", base + at)
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind], base + match.start(kind)))
        place = match.end()
    return [*found, Token("end", "", base + len(text.rstrip()))]


def number_of(token: Token) -> int | float:
    try:
        return float(token.text) if "." in token.text else int(token.text, 0)
    except ValueError:  # 07 is seven to some and no number to others
        raise Unreadable(f"{token.text} is no number; write it without a zero in front", token.at) from None


def parse(text: str, base: int = 0) -> Node:
    """An expression; `base` is the place of its first character in the file."""
    reader = Reader(text, base)
    tree = reader.choice()
    reader.require_end()
    return tree


def parse_loop(text: str, base: int = 0) -> tuple[str, Among]:
    """`i in 0..3` or `a in 1,3,5`."""
    reader = Reader(text, base)
    name, among = reader.loop()
    reader.require_end()
    return name, among


def parse_among(text: str, base: int = 0) -> Among:
    """`33..42`, `1,3,5`: what a range of cells is written as."""
    reader = Reader(text, base)
    among = reader.among(bare=True)
    reader.require_end()
    return among


class Reader:
    """Reads tokens from left to right; every method reads one kind of thing."""

    def __init__(self, text: str, base: int):
        self.tokens, self.place = tokens(text, base), 0

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self, *wanted: str) -> Token | None:
        if self.next.kind in ("sign", "name") and self.next.text in wanted:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def need(self, wanted: str) -> Token:
        found = self.take(wanted)
        if not found:
            raise Unreadable(f"expected {wanted!r} here, not {self.next.text or 'the end'!r}", self.next.at)
        return found

    def require_end(self) -> None:
        if self.next.kind != "end":
            raise Unreadable(f"{self.next.text!r} does not belong here", self.next.at)

    def choice(self) -> Node:
        at, chosen = self.next.at, self.either()
        if not self.take("if"):
            return chosen
        condition = self.either()
        self.need("else")
        return Sign(at, ("if",), (condition, chosen, self.choice()))

    def either(self) -> Node:
        return self.joined("or", self.both)

    def both(self) -> Node:
        return self.joined("and", self.negated)

    def joined(self, word: str, part) -> Node:
        at, parts = self.next.at, [part()]
        while self.take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Sign(at, (word,), tuple(parts))

    def negated(self) -> Node:
        found = self.take("not")
        return Sign(found.at, ("not",), (self.negated(),)) if found else self.compared()

    def compared(self) -> Node:
        at, operands, signs = self.next.at, [self.level(0)], []
        while True:
            found = self.take("<", "<=", "==", "!=", ">", ">=", "in", "not")
            if not found:
                break
            if found.text == "not":
                self.need("in")
            signs.append("not in" if found.text == "not" else found.text)
            operands.append(self.among() if signs[-1] in ("in", "not in") else self.level(0))
        return Sign(at, tuple(signs), tuple(operands)) if signs else operands[0]

    def level(self, depth: int) -> Node:
        if depth == len(LEVELS):
            return self.signed()
        at, found = self.next.at, self.level(depth + 1)
        while sign := self.take(*LEVELS[depth]):
            found = Sign(at, (sign.text,), (found, self.level(depth + 1)))
        return found

    def signed(self) -> Node:
        found = self.take("-", "~")
        return Sign(found.at, (found.text,), (self.signed(),)) if found else self.single()

    def single(self) -> Node:
        token = self.next
        if token.kind == "number":
            self.place += 1
            return Number(token.at, number_of(token))
        if self.take("("):
            inside = self.choice()
            self.need(")")
            return inside
        if token.kind == "name" and token.text in ("any", "all", "count"):
            return self.over()
        if token.kind != "name" or token.text in WORDS:
            raise Unreadable(f"expected a value here, not {token.text or 'the end'!r}", token.at)
        self.place += 1
        if self.take("["):
            index = self.choice()
            self.need("]")
            return Item(token.at, token.text, index)
        if self.take("("):
            return self.call(token)
        return Name(token.at, token.text)

    def call(self, token: Token) -> Node:
        if token.text not in FUNCTIONS:
            raise Unreadable(
                f"there is no function {token.text!r}; there are {', '.join(FUNCTIONS)}", token.at
            )
        arguments = [self.choice()]
        while self.take(","):
            arguments.append(self.choice())
        self.need(")")
        fewest, most = FUNCTIONS[token.text]
        if not fewest <= len(arguments) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise Unreadable(f"{token.text} takes {wanted} values, not {len(arguments)}", token.at)
        return Call(token.at, token.text, tuple(arguments))

    def over(self) -> Node:
        token = self.next
        self.place += 1
        self.need("(")
        each = self.choice()
        self.need("for")
        name, among = self.loop()
        self.need(")")
        return Over(token.at, token.text, each, name, among)

    def loop(self) -> tuple[str, Among]:
        token = self.next
        if token.kind != "name" or token.text in WORDS:
            raise Unreadable("expected the name of a loop, as in `i in 0..3`", token.at)
        self.place += 1
        self.need("in")
        return token.text, self.among(bare=True)

    def among(self, bare: bool = False) -> Among:
        at, bracket = self.next.at, self.take("(")
        parts = [self.span()]
        while (bracket or bare) and self.take(","):
            parts.append(self.span())
        if bracket:
            self.need(")")
        return Among(at, tuple(parts))

    def span(self) -> tuple[Node, Node | None]:
        first = self.level(0)
        return first, self.level(0) if self.take("..") else None
