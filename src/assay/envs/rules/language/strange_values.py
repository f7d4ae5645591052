"""Values that no piece has: an atom that asks for one of them waits for a piece that never comes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from assay.envs.rules.board import ANYTHING, COLORS, SHAPES, PropertyValue
from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.faults import Fault
from assay.envs.rules.language.syntax import Expression, Name, Number, Place, Property, Rule, Text, Union
from assay.envs.rules.language.tokens import raise_case
from assay.envs.rules.language.walk import atoms_of

MOST_TOLD = 12  # values that a sentence lists


class Known(NamedTuple):
    """What pieces can be."""

    shapes: Collection[str] = SHAPES
    colors: Collection[str] = COLORS
    properties: Mapping[str, Collection[PropertyValue]] = {}


def known_of_kinds(
    kinds: Iterable[Iterable[tuple[str, PropertyValue]]],
    shapes: Collection[str] = (),
    colors: Collection[str] = (),
) -> Known:
    """What pieces of these kinds can be, of these names or of the usual ones."""
    values: dict[str, dict[PropertyValue, None]] = {"shape": {}, "color": {}}
    for name, value in (pair for kind in kinds for pair in kind):
        values.setdefault(name, {})[value] = None
    every_shape, every_color = (map(str, values.pop(feature)) for feature in ("shape", "color"))
    return Known({*shapes, *SHAPES, *every_shape}, {*colors, *COLORS, *every_color}, values)


class Literal(NamedTuple):
    value: PropertyValue
    at: Place


def refuse_strange_values(rule: Rule, known: Known, source: str = "") -> None:
    for fault in find_strange_values(rule, known):
        raise RuleError(fault.says, fault.at, source)


def find_strange_values(rule: Rule, known: Known) -> Iterator[Fault]:
    """Shapes, colours and values of properties that a rule asks for, and that no piece has."""
    features = {"shape": known.shapes, "color": known.colors}
    for atom in atoms_of(rule):
        for name, tree in (("shape", atom.shape), ("color", atom.color)):
            other = "color" if name == "shape" else "shape"
            for each in literals_of(tree):
                if not _is_among(each.value, features[name]):
                    is_other = _is_among(each.value, features[other])
                    hint = f"; {each.value} is a {other}" if is_other else suggest(each.value, features[name])
                    yield Fault(f"no piece has the {name} {each.value}{hint}", each.at)
        for asked in atom.properties:
            values = known.properties.get(asked.name, ())
            if values and ANYTHING not in values:
                yield from _of_property(asked, values)


def _of_property(asked: Property, values: Collection[PropertyValue]) -> Iterator[Fault]:
    if isinstance(asked.accepts, tuple):
        numbers = [value for value in values if isinstance(value, int)]
        if not any(limits.low <= value <= limits.high for limits in asked.accepts for value in numbers):
            told = ", ".join(f"{limits.low}..{limits.high}" for limits in asked.accepts)
            yield Fault(f"no piece has a {asked.name} in {told}; {tell_all(values)}", asked.at)
        return
    for each in literals_of(asked.accepts):
        if not _is_among(each.value, values):
            yield Fault(f"no piece has the {asked.name} {each.value}{suggest(each.value, values)}", each.at)


def literals_of(tree: Expression | None) -> tuple[Literal, ...]:
    """The values that a field names, alone or in lists; what is computed is left out."""
    found = []
    for each in items_of(tree) if tree is not None else ():
        if isinstance(each, Text | Number):
            found.append(Literal(each.value, each.at))
        elif isinstance(each, Name) and len(each.parts) == 1:
            found.append(Literal(each.parts[0], each.at))
    return tuple(found)


def items_of(tree: Expression) -> tuple[Expression, ...]:
    """What a list joins, lists in it included; another expression is the only item of itself."""
    return (
        tuple(each for item in tree.items for each in items_of(item)) if isinstance(tree, Union) else (tree,)
    )


def _is_among(value: PropertyValue, values: Collection[PropertyValue]) -> bool:
    return _fold(value) in {_fold(each) for each in values}


def _fold(value: PropertyValue) -> PropertyValue:
    return raise_case(value) if isinstance(value, str) else value


def suggest(value: PropertyValue, values: Collection[PropertyValue]) -> str:
    words = {raise_case(each): each for each in values if isinstance(each, str)}
    near = get_close_matches(raise_case(value), words, 1) if isinstance(value, str) else []
    return f"; did you mean {words[near[0]]}?" if near else f"; {tell_all(values)}"


def tell_all(values: Collection[PropertyValue]) -> str:
    """`there are 1, 2, huge`, and no more of them than a sentence holds."""
    every = sorted(values, key=lambda value: (isinstance(value, str), value))
    told = ", ".join(map(str, every[:MOST_TOLD]))
    left = len(every) - MOST_TOLD
    return f"there are {told}" + (f" and {left} more" if left > 0 else "")
