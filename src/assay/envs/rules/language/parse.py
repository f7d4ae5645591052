"""From the text of a rule file to a `Rule`, or to one sentence that names the line and the column.

Reading is lenient; what a strict reader refuses beyond that stands in `faults.py`, so that the same look
serves `parse` and the report of `assay rules lint`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.faults import FIELDS, MOST_VALUES, Fault, find_faults
from assay.envs.rules.language.parse_expressions import ExpressionParser, Tokens
from assay.envs.rules.language.syntax import (
    Atom,
    Cell,
    Expression,
    Line,
    Name,
    Order,
    OrderName,
    Place,
    Position,
    Property,
    Range,
    Rule,
    Text,
    Union,
)
from assay.envs.rules.language.tokens import (
    INT,
    NAME,
    SIGN,
    Source,
    SourceLine,
    Token,
    raise_case,
    split_text,
    tell_token,
)
from assay.envs.rules.language.walk import size_of

DISPLAY = "Display:"
TUPLE = "count, shape, color, position and bucket"


class Reading(NamedTuple):
    """A rule as leniently read, and all that a strict reader refuses in it."""

    rule: Rule
    faults: tuple[Fault, ...]


def parse(text: str, *, strict: bool = True, source: str = "", geometry: Geometry = STANDARD) -> Rule:
    """The rule of a text. `source` names the file in errors; `geometry` says which cells there are."""
    rule, faults = read(text, source=source, geometry=geometry)
    if strict and faults:
        raise RuleError(faults[0].says, faults[0].at, source)
    return rule


def read(text: str, *, source: str = "", geometry: Geometry = STANDARD) -> Reading:
    """The rule of a text with its faults, in the order of the text."""
    split = split_text(text, source)
    reader = Reader(source, geometry)
    for line in split.lines:
        reader.read_line(line)
    if not reader.lines:
        raise RuleError("there is no rule line; a rule is at least `()`", Place(split.last_line, 1), source)
    description, shown_as = read_comments(split)
    rule = Rule(tuple(reader.lines), tuple(reader.orders), description, shown_as)
    faults = sorted([*reader.faults, *find_faults(rule, geometry)], key=lambda fault: fault.place)
    return Reading(rule, tuple(faults))


def read_comments(split: Source) -> tuple[str, str]:
    """The description and the name for players."""
    names = [each[len(DISPLAY) :].strip() for each in split.comments if each.startswith(DISPLAY)]
    others = [each for each in split.comments if not each.startswith(DISPLAY)]
    return "\n".join(others).strip(), names[-1] if names else ""


class Reader:
    """Takes the lines of a text one after the other."""

    def __init__(self, source: str, geometry: Geometry):
        self.source, self.geometry = source, geometry
        self.lines: list[Line] = []
        self.orders: list[Order] = []
        self.faults: list[Fault] = []

    def read_line(self, line: SourceLine) -> None:
        tokens = Tokens(line.tokens, self.source)
        first = tokens.next
        if first.kind == NAME and first.text.lower() == "order":
            if self.lines:
                raise tokens.refuse("an order stands before the first rule line; move it up")
            self.orders.append(self.read_order(tokens))
        else:
            self.lines.append(self.read_rule_line(tokens))

    def read_order(self, tokens: Tokens) -> Order:
        at = tokens.take().at
        name = tokens.require_name("the name of the order").text
        tokens.require_sign("=", "after the name of an order")
        groups = tokens.take_list(lambda: self.read_group(tokens), "before the cells of an order")
        if tokens.next.kind != "end":
            raise tokens.refuse(
                f"nothing follows the list of an order, but here is {tell_token(tokens.next)}"
            )
        return Order(name, groups, at)

    def read_group(self, tokens: Tokens) -> tuple[int, ...]:
        if tokens.is_sign("["):
            return tokens.take_list(lambda: tokens.require_int("a cell"), "before tied cells")
        return (tokens.require_int("a cell, or a list of tied cells,"),)

    def read_rule_line(self, tokens: Tokens) -> Line:
        at = tokens.next.at
        count = None
        if tokens.next.kind == INT:
            count = tokens.read_int()
        else:
            tokens.take_sign("*")
        atoms = [self.read_atom(tokens)]
        while tokens.next.kind != "end":
            atoms.append(self.read_atom(tokens))
        return Line(tuple(atoms), count, at)

    def read_atom(self, tokens: Tokens) -> Atom:
        return AtomReader(tokens, self.geometry, self.faults).read_atom()


class AtomReader:
    """Takes one atom, in either of its two forms."""

    def __init__(self, tokens: Tokens, geometry: Geometry, faults: list[Fault]):
        self.tokens, self.geometry, self.faults = tokens, geometry, faults

    def read_atom(self) -> Atom:
        at = self.tokens.require_sign("(", "at the start of an atom").at
        if self.tokens.take_sign(")"):
            return Atom(at=at)
        first, second = self.tokens.next, self.tokens.after_next()
        if first.kind == NAME and second.kind == SIGN and second.text == ":":
            return self.read_keyed(at)
        return self.read_tuple(at)

    def read_tuple(self, at: Place) -> Atom:
        count = self.read_count()
        self.require_comma(1)
        shape = self.read_values()
        self.require_comma(2)
        color = self.read_values()
        self.require_comma(3)
        positions = self.read_positions()
        self.require_comma(4)
        bucket = self.read_expression()
        if not self.tokens.is_sign(")"):
            shown = tell_token(self.tokens.next)
            raise self.tokens.refuse(f"`)` is expected after the fifth part of an atom, not {shown}")
        self.tokens.take()
        lists = (positions,) if positions else ()
        return Atom(count, shape, color, lists, bucket, keyed=False, at=at)

    def require_comma(self, part: int) -> None:
        if not self.tokens.take_sign(","):
            shown = tell_token(self.tokens.next)
            says = f"`,` is expected after part {part} of an atom, not {shown}; the parts are {TUPLE}"
            raise self.tokens.refuse(says)

    def read_keyed(self, at: Place) -> Atom:
        atom = Atom(at=at)
        seen: set[str] = set()
        while True:
            field = self.tokens.require_name("a field, such as `bucket:0`,")
            self.tokens.require_sign(":", "after the name of a field")
            if field.text in seen and field.text != "pos":
                raise self.tokens.refuse(f"the field `{field.text}` is given twice; keep one", field.at)
            seen.add(field.text)
            atom = self.read_field(atom, field)
            if not self.tokens.take_sign(","):
                break
        self.tokens.require_sign(")", "after a field of an atom")
        return atom

    def read_field(self, atom: Atom, field: Token) -> Atom:
        if field.text not in FIELDS:
            return replace(atom, properties=(*atom.properties, self.read_property(field)))
        if field.text == "pos":
            positions = self.read_positions()
            return replace(atom, positions=(*atom.positions, positions)) if positions else atom
        readers = {
            "count": self.read_count,
            "shape": self.read_values,
            "color": self.read_values,
            "postpos": self.read_orders,
            "bucket": self.read_expression,
            "code": self.read_expression,
        }
        value: Any = readers[field.text]()
        return replace(atom, **{field.text: value})

    def read_count(self) -> int | None:
        at = self.tokens.next.at
        if self.tokens.take_sign("*"):
            return None
        count = self.tokens.read_signed("a count, a whole number or `*`,")
        if count < 0:
            self.faults.append(Fault(f"the count {count} is negative; write `*` for no limit", at))
            return None
        return count

    def read_values(self) -> Expression | None:
        tree = self.read_expression()
        return raise_values(tree) if tree is not None else None

    def read_expression(self) -> Expression | None:
        if self.tokens.take_sign("*"):
            return None
        at = self.tokens.next.at
        tree = ExpressionParser(self.tokens).parse()
        if size_of(tree, self.geometry.buckets) > MOST_VALUES:
            raise self.tokens.refuse(f"the expression may come to more than {MOST_VALUES} values", at)
        return tree

    def read_positions(self) -> tuple[Position, ...]:
        if self.tokens.take_sign("*"):
            return ()
        if self.tokens.is_sign("["):
            return self.tokens.take_list(self.read_position, "before positions")
        return (self.read_position(),)

    def read_position(self) -> Position:
        token = self.tokens.next
        if token.kind == NAME:
            return OrderName(self.tokens.take().text, token.at)
        return Cell(self.tokens.require_int("a cell or the name of an order"), token.at)

    def read_orders(self) -> tuple[OrderName, ...]:
        if self.tokens.take_sign("*"):
            return ()
        if self.tokens.is_sign("["):
            return self.tokens.take_list(self.read_order_name, "before orders")
        return (self.read_order_name(),)

    def read_order_name(self) -> OrderName:
        token = self.tokens.require_name("the name of an order")
        return OrderName(token.text, token.at)

    def read_property(self, field: Token) -> Property:
        ranges = self.read_ranges() if self.begins_ranges() else None
        return Property(field.text, self.read_expression() if ranges is None else ranges, field.at)

    def begins_ranges(self) -> bool:
        """Whether the field holds `a..b`, bare or somewhere in a list without lists or names."""
        tokens, i = self.tokens.tokens, self.tokens.position
        i += tokens[i].kind == SIGN and tokens[i].text == "["
        while tokens[i].kind == INT or (tokens[i].kind == SIGN and tokens[i].text in ("-", ",")):
            i += 1
        return tokens[i].kind == SIGN and tokens[i].text == ".."

    def read_ranges(self) -> tuple[Range, ...]:
        if self.tokens.is_sign("["):
            return self.tokens.take_list(self.read_range, "before ranges")
        return (self.read_range(),)

    def read_range(self) -> Range:
        at = self.tokens.next.at
        low = self.tokens.read_signed("a whole number or a range")
        high = self.tokens.read_signed("the end of a range") if self.tokens.take_sign("..") else low
        return Range(low, high, at)


def raise_values(tree: Expression) -> Expression:
    """Names and texts of shapes or colours in upper case, alone or directly in lists."""
    if isinstance(tree, Name) and len(tree.parts) == 1:
        return replace(tree, parts=(raise_case(tree.parts[0]),))
    if isinstance(tree, Text):
        return replace(tree, value=raise_case(tree.value))
    if isinstance(tree, Union):
        return replace(tree, items=tuple(map(raise_values, tree.items)))
    return tree
