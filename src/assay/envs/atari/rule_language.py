"""The expressions of rule files: a small language of whole numbers, parsed and checked, never run as text.

    ball_x > last_x and 0 < serve < 5          cells and remembered values by name, chained comparisons
    cars[i] + 2 if cars[i] < 150 else 0        a cell of a range, a choice between two values
    kind in (2, 8) or all(ram[r] == 0 for r in 37..46)
    uniform(0, 255), chance(0.4), choice(32, 64, 80), shuffle(1, 2, 3)   draws of the variation's own stream
    was(carrots) & ~carrots and happens        a cell before the frame; the draw of a variation with a chance
    pick(bricks[i] != at_start(bricks[i]) for i in 0..35)   one of the numbers for which this holds, drawn

`parse` returns a tree of the few node kinds below. A text that cannot be read raises `Unreadable`, which
knows the position of the mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

from assay.positions import Unreadable

TOKEN = re.compile(
    r"\s*(?:(?P<number>0x[0-9a-fA-F]+|\d+\.\d+|\d+(?!\w))|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\.\.|//|<<|>>|<=|>=|==|!=|[-+*%&|^~<>()\[\],]))"
)
QUANTIFIERS = ("any", "all", "count", "pick")
WORDS = ("if", "else", "and", "or", "not", "in", "for", *QUANTIFIERS)
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=", "in", "not in")
PRECEDENCE = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "//", "%"))  # loosest first
FUNCTIONS = {  # name -> fewest and most arguments
    "min": (2, 8), "max": (2, 8), "abs": (1, 1), "bcd": (1, 1), "unbcd": (1, 1), "signed": (1, 1),
    "nth": (2, 64), "fires": (1, 1), "unfired": (1, 1), "was": (1, 1), "at_start": (1, 1),
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
class Operation(Node):
    """An operator with one or two operands, or a chain of comparisons, or `if`."""

    signs: tuple[str, ...]
    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Among(Node):
    """The right-hand side of `in`: single values and ranges."""

    parts: tuple[tuple[Node, Node | None], ...]


@dataclass(frozen=True)
class Quantifier(Node):
    """any, all or count of an expression over the values of a loop's name, or one of them drawn."""

    how: str  # one of QUANTIFIERS
    each: Node
    name: str
    among: Among


def mentions(tree: Any, names: tuple[str, ...]) -> bool:
    """Whether one of these names stands anywhere in a tree of records, tuples and dicts."""
    if isinstance(tree, Name):
        return tree.name in names
    if isinstance(tree, dict):
        return any(mentions(each, names) for each in tree.values())
    if isinstance(tree, tuple):
        return any(mentions(each, names) for each in tree)
    return is_dataclass(tree) and any(mentions(getattr(tree, f.name), names) for f in fields(tree))


def split_tokens(text: str, base: int) -> list[Token]:
    tokens, position = [], 0
    while position < len(text.rstrip()):
        match = TOKEN.match(text, position)
        if not match or match.end() == position:
            at = position + len(text[position:]) - len(text[position:].lstrip())
            raise Unreadable(f"{text[at]!r} cannot stand in an expression", base + at)
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match[kind], base + match.start(kind)))
        position = match.end()
    return [*tokens, Token("end", "", base + len(text.rstrip()))]


def number_of(token: Token) -> int | float:
    try:
        return float(token.text) if "." in token.text else int(token.text, 0)
    except ValueError:  # 07, which some languages read as seven and Python refuses
        raise Unreadable(f"{token.text} is not a number; drop the zero in front", token.at) from None


def parse(text: str, base: int = 0) -> Node:
    """The tree of an expression; `base` is the position of its first character in the file."""
    parser = Parser(text, base)
    tree = parser.parse_choice()
    parser.require_end()
    return tree


def parse_loop(text: str, base: int = 0) -> tuple[str, Among]:
    """`i in 0..3` or `a in 1,3,5`."""
    parser = Parser(text, base)
    name, among = parser.parse_loop()
    parser.require_end()
    return name, among


def parse_among(text: str, base: int = 0) -> Among:
    """`33..42` or `1,3,5`: the cells of a range."""
    parser = Parser(text, base)
    among = parser.parse_among(bare=True)
    parser.require_end()
    return among


class Parser:
    """Takes tokens from left to right; every `parse_` method takes one kind of expression."""

    def __init__(self, text: str, base: int):
        self.tokens, self.position = split_tokens(text, base), 0

    @property
    def next(self) -> Token:
        return self.tokens[self.position]

    def take(self, *wanted: str) -> Token | None:
        """The next token, where it is one of these; else None, and nothing is taken."""
        if self.next.kind in ("sign", "name") and self.next.text in wanted:
            self.position += 1
            return self.tokens[self.position - 1]
        return None

    def require(self, wanted: str) -> Token:
        token = self.take(wanted)
        if not token:
            raise Unreadable(f"expected {wanted!r} here, not {self.next.text or 'the end'!r}", self.next.at)
        return token

    def require_end(self) -> None:
        if self.next.kind != "end":
            raise Unreadable(f"{self.next.text!r} does not belong here", self.next.at)

    def parse_choice(self) -> Node:
        at, chosen = self.next.at, self.parse_or()
        if not self.take("if"):
            return chosen
        condition = self.parse_or()
        self.require("else")
        return Operation(at, ("if",), (condition, chosen, self.parse_choice()))

    def parse_or(self) -> Node:
        return self.parse_joined("or", self.parse_and)

    def parse_and(self) -> Node:
        return self.parse_joined("and", self.parse_not)

    def parse_joined(self, word: str, parse_part: Callable[[], Node]) -> Node:
        at, parts = self.next.at, [parse_part()]
        while self.take(word):
            parts.append(parse_part())
        return parts[0] if len(parts) == 1 else Operation(at, (word,), tuple(parts))

    def parse_not(self) -> Node:
        word = self.take("not")
        return Operation(word.at, ("not",), (self.parse_not(),)) if word else self.parse_comparison()

    def parse_comparison(self) -> Node:
        at, operands, signs = self.next.at, [self.parse_arithmetic()], []
        while sign := self.take("<", "<=", "==", "!=", ">", ">=", "in", "not"):
            if sign.text == "not":
                self.require("in")
            signs.append("not in" if sign.text == "not" else sign.text)
            operands.append(self.parse_among() if signs[-1] in ("in", "not in") else self.parse_arithmetic())
        return Operation(at, tuple(signs), tuple(operands)) if signs else operands[0]

    def parse_arithmetic(self, depth: int = 0) -> Node:
        if depth == len(PRECEDENCE):
            return self.parse_sign()
        at, left = self.next.at, self.parse_arithmetic(depth + 1)
        while sign := self.take(*PRECEDENCE[depth]):
            left = Operation(at, (sign.text,), (left, self.parse_arithmetic(depth + 1)))
        return left

    def parse_sign(self) -> Node:
        sign = self.take("-", "~")
        return Operation(sign.at, (sign.text,), (self.parse_sign(),)) if sign else self.parse_single()

    def parse_single(self) -> Node:
        token = self.next
        if token.kind == "number":
            self.position += 1
            return Number(token.at, number_of(token))
        if self.take("("):
            inside = self.parse_choice()
            self.require(")")
            return inside
        if token.kind == "name" and token.text in QUANTIFIERS:
            return self.parse_quantifier()
        if token.kind != "name" or token.text in WORDS:
            raise Unreadable(f"expected a value here, not {token.text or 'the end'!r}", token.at)
        self.position += 1
        if self.take("["):
            index = self.parse_choice()
            self.require("]")
            return Item(token.at, token.text, index)
        if self.take("("):
            return self.parse_call(token)
        return Name(token.at, token.text)

    def parse_call(self, token: Token) -> Node:
        if token.text not in FUNCTIONS:
            raise Unreadable(
                f"there is no function {token.text!r}; the functions are {', '.join(FUNCTIONS)}", token.at
            )
        arguments = [self.parse_choice()]
        while self.take(","):
            arguments.append(self.parse_choice())
        self.require(")")
        fewest, most = FUNCTIONS[token.text]
        if not fewest <= len(arguments) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise Unreadable(f"{token.text} takes {wanted} values, not {len(arguments)}", token.at)
        return Call(token.at, token.text, tuple(arguments))

    def parse_quantifier(self) -> Node:
        token = self.next
        self.position += 1
        self.require("(")
        each = self.parse_choice()
        self.require("for")
        name, among = self.parse_loop()
        self.require(")")
        return Quantifier(token.at, token.text, each, name, among)

    def parse_loop(self) -> tuple[str, Among]:
        token = self.next
        if token.kind != "name" or token.text in WORDS:
            raise Unreadable("expected the name of a loop, as in `i in 0..3`", token.at)
        self.position += 1
        self.require("in")
        return token.text, self.parse_among(bare=True)

    def parse_among(self, bare: bool = False) -> Among:
        at, bracket = self.next.at, self.take("(")
        parts = [self.parse_span()]
        while (bracket or bare) and self.take(","):
            parts.append(self.parse_span())
        if bracket:
            self.require(")")
        return Among(at, tuple(parts))

    def parse_span(self) -> tuple[Node, Node | None]:
        first = self.parse_arithmetic()
        return first, self.parse_arithmetic() if self.take("..") else None
