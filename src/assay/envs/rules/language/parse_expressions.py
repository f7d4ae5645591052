"""The tokens of a line, taken from left to right, and the expressions among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.syntax import (
    Arithmetic,
    Comparison,
    Expression,
    Name,
    Not,
    Number,
    Place,
    Text,
    Union,
)
from assay.envs.rules.language.tokens import END, INT, LARGEST, NAME, SIGN, TEXT, Token, tell_token
from assay.envs.rules.language.walk import depth_of

DEEPEST_NESTING = 50  # of parentheses, brackets and `!` inside each other
DEEPEST_TREE = 100  # of all operators: what reads a rule may then call itself
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
SPELLINGS = {"nearby": "Nearby", "remotest": "Remotest"}  # the paper writes them in lower case
T = TypeVar("T")


class Tokens:
    """The tokens of one line; every `take` moves on, every refusal names the token's place."""

    def __init__(self, tokens: tuple[Token, ...], source: str):
        self.tokens, self.position, self.source = tokens, 0, source

    @property
    def next(self) -> Token:
        return self.tokens[self.position]

    def after_next(self) -> Token:
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.next
        if token.kind != END:
            self.position += 1
        return token

    def is_sign(self, *signs: str) -> bool:
        return self.next.kind == SIGN and self.next.text in signs

    def take_sign(self, sign: str) -> Token | None:
        return self.take() if self.is_sign(sign) else None

    def require_sign(self, sign: str, where: str) -> Token:
        if not self.is_sign(sign):
            raise self.refuse(f"`{sign}` is expected {where}, not {tell_token(self.next)}")
        return self.take()

    def require_name(self, what: str) -> Token:
        if self.next.kind != NAME:
            raise self.refuse(f"{what} is expected here, not {tell_token(self.next)}")
        return self.take()

    def require_int(self, what: str) -> int:
        if self.next.kind != INT:
            raise self.refuse(f"{what} is expected here, not {tell_token(self.next)}")
        return self.read_int()

    def read_int(self) -> int:
        digits = self.next.text.lstrip("0") or "0"
        if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
            raise self.refuse(f"the number {digits[:20]} is too large; the largest is {LARGEST}")
        self.take()
        return int(digits)

    def read_signed(self, what: str) -> int:
        return -self.require_int(what) if self.take_sign("-") else self.require_int(what)

    def take_list(self, take_item: Callable[[], T], where: str) -> tuple[T, ...]:
        """Items between brackets, separated by commas; at least one."""
        self.require_sign("[", where)
        items = [take_item()]
        while self.take_sign(","):
            items.append(take_item())
        self.require_sign("]", "after an item of a list")
        return tuple(items)

    def refuse(self, says: str, at: Place | None = None) -> RuleError:
        return RuleError(says, at or self.next.at, self.source)


class ExpressionParser:
    """Each method takes one kind of expression; the tightest binding comes last."""

    def __init__(self, tokens: Tokens):
        self.tokens, self.nesting = tokens, 0

    def parse(self) -> Expression:
        at = self.tokens.next.at
        tree = self.parse_item()
        if depth_of(tree) > DEEPEST_TREE:
            says = f"the expression has more than {DEEPEST_TREE} operations inside each other; split it"
            raise self.tokens.refuse(says, at)
        return tree

    def parse_comparison(self) -> Expression:
        left = self.parse_sum()
        if not self.tokens.is_sign(*COMPARISONS):
            if self.tokens.is_sign("="):
                raise self.tokens.refuse("`=` compares nothing; write `==`")
            return left
        operator = self.tokens.take()
        right = self.parse_sum()
        if self.tokens.is_sign(*COMPARISONS):
            raise self.tokens.refuse("an expression has one comparison; put the first one in parentheses")
        return Comparison(operator.text, left, right, operator.at)

    def parse_sum(self) -> Expression:
        return self.parse_chain(("+", "-"), self.parse_product)

    def parse_product(self) -> Expression:
        return self.parse_chain(("*", "/", "%"), self.parse_unary)

    def parse_chain(self, operators: tuple[str, ...], parse_operand: Callable[[], Expression]) -> Expression:
        tree = parse_operand()
        while self.tokens.is_sign(*operators):
            operator = self.tokens.take()
            tree = Arithmetic(operator.text, tree, parse_operand(), operator.at)
        return tree

    def parse_unary(self) -> Expression:
        sign = self.tokens.take_sign("!")
        return Not(self.parse_inside(self.parse_unary), sign.at) if sign else self.parse_primary()

    def parse_primary(self) -> Expression:
        token = self.tokens.next
        if token.kind == NAME:
            return self.parse_name()
        if token.kind == TEXT:
            return Text(self.tokens.take().text, token.at)
        if token.kind == INT or self.tokens.is_sign("-"):
            return Number(self.tokens.read_signed("a number after `-`"), token.at)
        if self.tokens.take_sign("("):
            inside = self.parse_inside(self.parse_comparison)
            self.tokens.require_sign(")", "after an expression in parentheses")
            return inside
        if self.tokens.is_sign("["):
            return Union(self.parse_inside(self.parse_items), token.at)
        raise self.tokens.refuse(
            f"a name, a number, a text or a list is expected here, not {tell_token(token)}"
        )

    def parse_items(self) -> tuple[Expression, ...]:
        return self.tokens.take_list(self.parse_item, "before a list")

    def parse_item(self) -> Expression:
        tree = self.parse_comparison()
        if self.tokens.is_sign(".."):
            raise self.tokens.refuse("ranges stand in fields of properties alone, in lists of numbers")
        return tree

    def parse_name(self) -> Name:
        first = self.tokens.require_name("a name")
        parts = [first.text]
        while self.tokens.take_sign("."):
            parts.append(self.tokens.require_name("a name after `.`").text)
        return Name((SPELLINGS.get(parts[0], parts[0]), *parts[1:]), first.at)

    def parse_inside(self, parse: Callable[[], T]) -> T:
        self.nesting += 1
        if self.nesting > DEEPEST_NESTING:
            says = f"more than {DEEPEST_NESTING} parentheses, brackets and `!` stand inside each other"
            raise self.tokens.refuse(says)
        inside = parse()
        self.nesting -= 1
        return inside
