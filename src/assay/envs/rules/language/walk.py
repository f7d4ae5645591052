"""Walks over rules: the parts of an expression, its depth, and every expression of a rule with its field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.envs.rules.language.syntax import (
    Arithmetic,
    Atom,
    Comparison,
    Expression,
    Name,
    Not,
    OrderName,
    Rule,
    Union,
)


def parts_of(tree: Expression) -> tuple[Expression, ...]:
    if isinstance(tree, Arithmetic | Comparison):
        return (tree.left, tree.right)
    if isinstance(tree, Not):
        return (tree.of,)
    return tree.items if isinstance(tree, Union) else ()


def depth_of(tree: Expression) -> int:
    """How many expressions stand inside each other; found without recursion, for the tree may be too deep."""
    deepest, pending = 0, [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        pending += [(part, depth + 1) for part in parts_of(node)]
    return deepest


def nodes_of(tree: Expression) -> Iterator[Expression]:
    yield tree
    for part in parts_of(tree):
        yield from nodes_of(part)


def size_of(tree: Expression, buckets: int) -> int:
    """The most values that an expression can come to, were no two of them equal."""
    if isinstance(tree, Arithmetic):
        return size_of(tree.left, buckets) * size_of(tree.right, buckets)
    if isinstance(tree, Union):
        return sum(size_of(item, buckets) for item in tree.items)
    if isinstance(tree, Name) and tree.parts[0] in ("Nearby", "Remotest"):
        return buckets
    return 1


class Field(NamedTuple):
    """An expression of an atom and the field in which it stands."""

    name: str
    tree: Expression
    takes_names: bool  # a single name stands for itself: in shapes, colours and properties


def fields_of(atom: Atom) -> tuple[Field, ...]:
    plain = (
        ("shape", atom.shape, True),
        ("color", atom.color, True),
        ("bucket", atom.bucket, False),
        ("code", atom.code, False),
    )
    found = [Field(name, tree, names) for name, tree, names in plain if tree is not None]
    for each in atom.properties:
        if each.accepts is not None and not isinstance(each.accepts, tuple):
            found.append(Field(each.name, each.accepts, True))
    return tuple(found)


def atoms_of(rule: Rule) -> Iterator[Atom]:
    for line in rule.lines:
        yield from line.atoms


def variables_of(field: Field) -> Iterator[Name]:
    """The names of a field that are variables, not values: values stand alone or directly in lists."""
    yield from _variables(field.tree, field.takes_names)


def _variables(tree: Expression, takes_names: bool) -> Iterator[Name]:
    if isinstance(tree, Name):
        if not (takes_names and len(tree.parts) == 1):
            yield tree
        return
    for part in parts_of(tree):
        yield from _variables(part, takes_names and isinstance(tree, Union))


def orders_in(atom: Atom) -> Iterator[OrderName]:
    for each in atom.positions:
        yield from (position for position in each if isinstance(position, OrderName))
    yield from atom.postpos
