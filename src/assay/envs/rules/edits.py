"""Edits that change one facet of a rule: pure functions from rule to rule. No jax here.

An edit that has nothing to change in a rule gives it back as it is, and a task that asks for it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.language.orders import BUILT_IN
from assay.envs.rules.language.syntax import (
    Arithmetic,
    Atom,
    Comparison,
    Expression,
    Line,
    Name,
    Not,
    Number,
    OrderName,
    Position,
    Rule,
    Text,
    Union,
)
from assay.envs.rules.language.walk import atoms_of, fields_of, nodes_of, orders_in

WRITTEN, REVERSED, ROTATED = LINE_ORDERS = ("written", "reversed", "rotated")
OWN_ORDER = "own"
PRIORITIES = (OWN_ORDER, *BUILT_IN)
NO_FEATURE = "none"
TURNED = {"shape": "color", "color": "shape", "ps": "pc", "pc": "ps"}


@dataclass(frozen=True)
class Frame:
    """What a rule is played with: so many buckets, and the names of shapes and colours."""

    buckets: int = 4
    shapes: tuple[str, ...] = SHAPES
    colors: tuple[str, ...] = COLORS


def change_atoms(rule: Rule, change: Callable[[Atom], Atom]) -> Rule:
    lines = (replace(line, atoms=tuple(map(change, line.atoms))) for line in rule.lines)
    return replace(rule, lines=tuple(lines))


def swap_buckets(rule: Rule, step: int, frame: Frame = Frame()) -> Rule:
    """`step` is added to every bucket that an atom asks for."""

    def of_atom(atom: Atom) -> Atom:
        if atom.bucket is None or constant_buckets(atom.bucket, frame) == set(range(frame.buckets)):
            return atom
        return replace(atom, bucket=add_number(atom.bucket, step, frame))

    return change_atoms(rule, of_atom) if step % frame.buckets else rule


def constant_buckets(tree: Expression, frame: Frame) -> set[int] | None:
    """The buckets that an expression of numbers names; None for any other expression."""
    items = tree.items if isinstance(tree, Union) else (tree,)
    numbers = [item.value for item in items if isinstance(item, Number)]
    return {number % frame.buckets for number in numbers} if len(numbers) == len(items) else None


def add_number(tree: Expression, number: int, frame: Frame) -> Expression:
    named = constant_buckets(tree, frame)
    if named is None:
        return Arithmetic("+", tree, Number(number))
    moved = tuple(Number(each) for each in sorted((each + number) % frame.buckets for each in named))
    return moved[0] if len(moved) == 1 else Union(moved)


def set_counts(rule: Rule, count: int | None, frame: Frame = Frame()) -> Rule:
    """Every count that the rule has becomes this one; None: there are no counts."""

    def of_line(line: Line) -> Line:
        atoms = (atom if atom.count is None else replace(atom, count=count) for atom in line.atoms)
        return replace(line, atoms=tuple(atoms), count=None if line.count is None else count)

    return replace(rule, lines=tuple(map(of_line, rule.lines)))


def drop_counts(rule: Rule, wanted: bool, frame: Frame = Frame()) -> Rule:
    return set_counts(rule, None, frame) if wanted else rule


def order_lines(rule: Rule, order: str, frame: Frame = Frame()) -> Rule:
    lines = rule.lines
    return replace(rule, lines=lines[::-1] if order == REVERSED else (*lines[1:], lines[0]))


def set_priority(rule: Rule, order: str, frame: Frame = Frame()) -> Rule:
    """Atoms go by this order: in place of their own orders, or beside the cells that they name."""
    wanted = OrderName(order)

    def swap(positions: tuple[Position, ...]) -> tuple[Position, ...]:
        swapped = (wanted if isinstance(each, OrderName) else each for each in positions)
        return tuple(dict.fromkeys(swapped))

    def of_atom(atom: Atom) -> Atom:
        if not any(orders_in(atom)):
            return replace(atom, positions=(*atom.positions, (wanted,)))
        postpos = (wanted,) if atom.postpos else ()
        return replace(atom, positions=tuple(map(swap, atom.positions)), postpos=postpos)

    return change_atoms(rule, of_atom)


def exchange_features(rule: Rule, wanted: bool, frame: Frame = Frame()) -> Rule:
    """Shapes stand where colours stood and the reverse, each name replaced by the one with its number."""
    pairs = list(zip(frame.shapes, frame.colors))
    partners = dict(pairs) | {color: shape for shape, color in pairs}

    def turn(tree: Expression | None) -> Expression | None:
        return None if tree is None else turn_features(tree, partners)

    def of_atom(atom: Atom) -> Atom:
        shape, color, bucket, code = map(turn, (atom.color, atom.shape, atom.bucket, atom.code))
        return replace(atom, shape=shape, color=color, bucket=bucket, code=code)

    return change_atoms(rule, of_atom) if wanted else rule


def turn_features(tree: Expression, partners: Mapping[str, str]) -> Expression:
    """An expression with all that it says of shapes said of colours, and the reverse."""

    def turn(part: Expression) -> Expression:
        return turn_features(part, partners)

    match tree:
        case Text(value):
            return replace(tree, value=partners.get(value.upper(), value))
        case Name((single,)):
            return replace(tree, parts=(partners.get(single.upper(), TURNED.get(single, single)),))
        case Name((whose, *asked)):
            return replace(tree, parts=(whose, *(TURNED.get(each, each) for each in asked)))
        case Arithmetic() | Comparison():
            return replace(tree, left=turn(tree.left), right=turn(tree.right))
        case Not(of):
            return replace(tree, of=turn(of))
        case Union(items):
            return replace(tree, items=tuple(map(turn, items)))
    return tree


def add_feature(rule: Rule, feature: str, frame: Frame = Frame()) -> Rule:
    """Pieces with a name of the later half go half way round the buckets. A rule that goes by the feature
    already is left as it is."""
    if feature == NO_FEATURE or uses_feature(rule, feature):
        return rule
    known = frame.shapes if feature == "shape" else frame.colors
    later = Union(tuple(map(Text, known[(len(known) + 1) // 2 :])))
    is_later = Comparison("==", Name(("this", feature)), later)

    def of_atom(atom: Atom) -> Atom:
        tree = atom.bucket
        if tree is None or constant_buckets(tree, frame) == set(range(frame.buckets)):
            return atom
        opposite = add_number(tree, frame.buckets // 2, frame)
        either = Arithmetic("*", Not(is_later), tree), Arithmetic("*", is_later, opposite)
        return replace(atom, bucket=Union(either))

    return change_atoms(rule, of_atom) if later.items and frame.buckets > 1 else rule


def uses_feature(rule: Rule, feature: str) -> bool:
    short = {"shape": "ps", "color": "pc"}[feature]
    for atom in atoms_of(rule):
        if getattr(atom, feature) is not None:
            return True
        for field in fields_of(atom):
            names = [node.parts for node in nodes_of(field.tree) if isinstance(node, Name)]
            if any(short in parts or feature in parts[1:] for parts in names):
                return True
    return False


Edit = Callable[[Rule, Any, Frame], Rule]
# By the name of the setting: the level that changes nothing, and the edit. They act in this order.
EDITS: dict[str, tuple[Any, Edit]] = {
    "exchange": (False, exchange_features),
    "line_order": (WRITTEN, order_lines),
    "metering": (0, set_counts),
    "unmetered": (False, drop_counts),
    "priority": (OWN_ORDER, set_priority),
    "swap_buckets": (0, swap_buckets),
    "add_feature": (NO_FEATURE, add_feature),
}


def apply_edits(rule: Rule, levels: Mapping[str, Any], frame: Frame = Frame()) -> Rule:
    """The rule after all edits whose level is given and away from neutral."""
    for name, (neutral, edit) in EDITS.items():
        if levels.get(name, neutral) != neutral:
            rule = edit(rule, levels[name], frame)
    return rule
