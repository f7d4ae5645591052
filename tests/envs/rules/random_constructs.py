"""Which constructs of the language a random sample uses, by name."""

from __future__ import annotations

from collections.abc import Iterator

from random_rules import COMPARISONS, NUMERIC, OPERATORS, UNKNOWN, UNKNOWN_ORDER, WORDED, Sample

from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.geometry import STANDARD
from assay.envs.rules.language.orders import BUILT_IN
from assay.envs.rules.language.syntax import (
    Arithmetic,
    Atom,
    Cell,
    Comparison,
    Line,
    Name,
    Not,
    Number,
    Rule,
    Text,
    Union,
)
from assay.envs.rules.language.walk import atoms_of, fields_of, nodes_of, orders_in, variables_of
from assay.envs.rules.language.write import write_expression

RECORDS = tuple(
    f"{first}.{field}"
    for first in ("p", "this", "last", "q")
    for field in ("shape", "color", "pos", "bucket", NUMERIC, WORDED)
)
VARIABLES = ("p", "pc", "ps", "Nearby", "Remotest", "this", "last", *RECORDS, "q of a record")
SIGNS = (*OPERATORS, *COMPARISONS, "!", "!!", "parentheses", "list in a list", "lists on both sides",
         "negative number", "number beyond 16 bits", "text in an expression")  # fmt: skip
METERS = ("line count", "line count 0", "atom count", "atom count 0", "several lines", "several atoms")
ATOMS = ("()", "tuple", "keyed", "code", "postpos", "several postpos")
FIELD_FORMS = tuple(
    f"{field} by {form}" for field in ("shape", "color") for form in ("name", "text", "list", "expression")
)
PLACES = ("cell", "cells and order in a list", "orders in a list", "pos repeated",
          "custom order", "tied order", "partial order", "replaced order",
          *(f"order {name}" for name in BUILT_IN))  # fmt: skip
PROPERTIES = ("property by name", "property by text", "property by list", "property by number",
              "property by range", "property by ranges", "property by any",
              "property by expression")  # fmt: skip
BOARDS = ("crowded board", "property pieces", "missing property", "stored *", "piece without shape",
          "other size", "odd board", "other number of buckets", "shape of one's own",
          "color of one's own")  # fmt: skip
CONSTRUCTS = (*VARIABLES, *SIGNS, *METERS, *ATOMS, *FIELD_FORMS, *PLACES, *PROPERTIES, *BOARDS)
LENIENT = ("unknown variable", "unknown order", "cell off the board", "negated name")  # read by strict=False


def constructs_of(sample: Sample) -> set[str]:
    found = set(_of_rule(sample.rule, sample.geometry.cells)) | set(_of_board(sample))
    for line in sample.rule.lines:
        found |= set(_of_line(line))
    for atom in atoms_of(sample.rule):
        found |= {*_of_atom(atom), *_of_positions(atom), *_of_properties(atom), *_of_expressions(atom)}
        found |= set(_of_lenient(atom, sample.geometry.cells))
    return found


def _of_rule(rule: Rule, cells: int) -> Iterator[str]:
    if len(rule.lines) > 1:
        yield "several lines"
    used = {name.name for atom in atoms_of(rule) for name in orders_in(atom)}
    for order in rule.orders:
        if order.name in used:
            yield "replaced order" if order.name in BUILT_IN else "custom order"
            if any(len(group) > 1 for group in order.groups):
                yield "tied order"
            if sum(map(len, order.groups)) < cells:
                yield "partial order"
    for name in used & set(BUILT_IN) - {order.name for order in rule.orders}:
        yield f"order {name}"


def _of_board(sample: Sample) -> Iterator[str]:
    geometry, pieces = sample.geometry, sample.board.pieces
    if any(piece.shape and piece.shape not in SHAPES for piece in pieces):
        yield "shape of one's own"
    if any(piece.color and piece.color not in COLORS for piece in pieces):
        yield "color of one's own"
    if sample.board.is_crowded:
        yield "crowded board"
    if any(piece.properties for piece in pieces):
        yield "property pieces"
        if any(len(piece.properties) < 2 for piece in pieces):
            yield "missing property"
        if any(value == "*" for piece in pieces for _, value in piece.properties):
            yield "stored *"
        if any(not piece.shape for piece in pieces):
            yield "piece without shape"
    if (geometry.columns, geometry.rows) != (STANDARD.columns, STANDARD.rows):
        yield "other size"
    if geometry.columns % 2 and geometry.rows % 2:
        yield "odd board"
    if geometry.buckets != STANDARD.buckets:
        yield "other number of buckets"


def _of_line(line: Line) -> Iterator[str]:
    if line.count is not None:
        yield "line count 0" if line.count == 0 else "line count"
    if len(line.atoms) > 1:
        yield "several atoms"


def _of_atom(atom: Atom) -> Iterator[str]:
    yield "()" if atom == Atom() else "keyed" if atom.keyed else "tuple"
    if atom.count is not None:
        yield "atom count 0" if atom.count == 0 else "atom count"
    if atom.code is not None:
        yield "code"
    if atom.postpos:
        yield "postpos" if len(atom.postpos) == 1 else "several postpos"
    for field in fields_of(atom):
        if field.name in ("shape", "color"):
            yield f"{field.name} by {_form(field)}"


def _form(field) -> str:
    if next(variables_of(field), None):
        return "expression"
    return {Name: "name", Text: "text", Union: "list", Number: "number"}.get(type(field.tree), "expression")


def _of_positions(atom: Atom) -> Iterator[str]:
    if len(atom.positions) > 1:
        yield "pos repeated"
    for positions in atom.positions:
        kinds = {isinstance(each, Cell) for each in positions}
        if kinds == {False} and len(positions) > 1:
            yield "orders in a list"
        if True in kinds:
            yield "cell" if kinds == {True} else "cells and order in a list"


def _of_properties(atom: Atom) -> Iterator[str]:
    for each in atom.properties:
        if each.accepts is None:
            yield "property by any"
        elif isinstance(each.accepts, tuple):
            yield "property by range" if len(each.accepts) == 1 else "property by ranges"
    for field in fields_of(atom):
        if field.name in (NUMERIC, WORDED):
            yield f"property by {_form(field)}"


def _of_expressions(atom: Atom) -> Iterator[str]:
    for field in fields_of(atom):
        if "(" in write_expression(field.tree):
            yield "parentheses"
        for name in variables_of(field):
            if name.parts in UNKNOWN or name.parts[0] in (*SHAPES, *COLORS):
                continue
            yield ".".join(name.parts[:2])
            if len(name.parts) == 3:
                yield "q of a record"
        for node in nodes_of(field.tree):
            yield from _of_node(node)


def _of_node(node) -> Iterator[str]:
    if isinstance(node, Arithmetic | Comparison):
        yield node.operator
        if isinstance(node.left, Text) or isinstance(node.right, Text):
            yield "text in an expression"
        if all(isinstance(side, Union) and len(side.items) > 1 for side in (node.left, node.right)):
            yield "lists on both sides"
    if isinstance(node, Not):
        yield "!!" if isinstance(node.of, Not) else "!"
    if isinstance(node, Number) and node.value < 0:
        yield "negative number"
    if isinstance(node, Number) and abs(node.value) >= 2**16:
        yield "number beyond 16 bits"
    if isinstance(node, Union) and any(isinstance(item, Union) for item in node.items):
        yield "list in a list"


def _of_lenient(atom: Atom, cells: int) -> Iterator[str]:
    if any(name.parts in UNKNOWN for field in fields_of(atom) for name in variables_of(field)):
        yield "unknown variable"
    if any(name.name == UNKNOWN_ORDER for name in orders_in(atom)):
        yield "unknown order"
    places = [each for positions in atom.positions for each in positions if isinstance(each, Cell)]
    if any(each.number > cells for each in places):
        yield "cell off the board"
    if any(isinstance(tree, Not) and isinstance(tree.of, Name) for tree in (atom.shape, atom.color)):
        yield "negated name"
