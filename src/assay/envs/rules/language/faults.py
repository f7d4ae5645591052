"""What a strict reader refuses in a rule that can be read: slips that would silently change what it means."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import NamedTuple

from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.orders import BUILT_IN
from assay.envs.rules.language.syntax import Arithmetic, Atom, Cell, Name, Not, Place, Rule
from assay.envs.rules.language.walk import atoms_of, fields_of, nodes_of, orders_in, variables_of

FIELDS = ("count", "shape", "color", "pos", "postpos", "bucket", "code")
VARIABLES = ("p", "pc", "ps", "Nearby", "Remotest", "this", "last", "q")
OWN = ("shape", "color", "pos", "bucket")  # what every piece can be asked for, beside its properties
MOST_VALUES = 100_000  # that an expression may come to
QUOTE = "; a name with / in it stands in double quotes"
PARTS = {"p": (1, 2), "this": (1, 2), "last": (1, 2), "q": (2, 3)}  # fewest and most; of others exactly one
# What gives pieces of a task properties of their own.
TABLE = "pieces have shape and color alone unless pieces_table=FILE.csv names a table of properties"


class Fault(NamedTuple):
    """Something that a strict reader refuses."""

    says: str
    at: Place

    @property
    def place(self) -> tuple[int, int]:
        return self.at.line, self.at.column


def find_faults(rule: Rule, geometry: Geometry) -> Iterator[Fault]:
    yield from _order_faults(rule, geometry)
    known = {*BUILT_IN, *(order.name for order in rule.orders)}
    for atom in atoms_of(rule):
        yield from _position_faults(atom, geometry, known)
        yield from _field_faults(atom)
        yield from _expression_faults(atom)


def _order_faults(rule: Rule, geometry: Geometry) -> Iterator[Fault]:
    names: set[str] = set()
    for order in rule.orders:
        if order.name in names:
            yield Fault(f"the order {order.name} is given twice; keep one", order.at)
        names.add(order.name)
        cells: set[int] = set()
        for cell in (cell for group in order.groups for cell in group):
            if not 1 <= cell <= geometry.cells:
                yield Fault(f"{_tell_cell(cell, geometry)} in the order {order.name}", order.at)
            if cell in cells:
                yield Fault(f"cell {cell} stands twice in the order {order.name}; keep one", order.at)
            cells.add(cell)


def _tell_cell(cell: int, geometry: Geometry) -> str:
    return f"there is no cell {cell}: cells go from 1 to {geometry.cells}"


def _position_faults(atom: Atom, geometry: Geometry, known: Collection[str]) -> Iterator[Fault]:
    for positions in atom.positions:
        for each in positions:
            if isinstance(each, Cell) and not 1 <= each.number <= geometry.cells:
                yield Fault(_tell_cell(each.number, geometry), each.at)
    for order in orders_in(atom):
        if order.name not in known:
            yield Fault(f"there is no order {order.name}{suggest(order.name, known)}", order.at)


def _field_faults(atom: Atom) -> Iterator[Fault]:
    for each in atom.properties:
        for field in FIELDS:
            if each.name.lower() == field:
                yield Fault(f"the field `{each.name}` is written `{field}`, in lower case", each.at)
        for limits in each.accepts if isinstance(each.accepts, tuple) else ():
            if limits.low > limits.high:
                yield Fault(
                    f"the range [{limits.low}..{limits.high}] holds nothing; turn it round", limits.at
                )


def _expression_faults(atom: Atom) -> Iterator[Fault]:
    for field in fields_of(atom):
        negated = {
            id(node.of): node for node in nodes_of(field.tree) if isinstance(node, Not) and field.takes_names
        }
        divides = any(isinstance(node, Arithmetic) and node.operator == "/" for node in nodes_of(field.tree))
        for name in variables_of(field):
            says = _refuse_variable(name.parts)
            if says and id(name) in negated:
                yield Fault(_refuse_negation(name, field.name), negated[id(name)].at)
            elif says:
                yield Fault(says + (QUOTE if divides and field.takes_names else ""), name.at)


def _refuse_negation(name: Name, field: str) -> str:
    word = ".".join(name.parts)
    return f"`!{word}` never matches a {field}, for there is no negation of values; list all but {word}"


def _refuse_variable(parts: tuple[str, ...]) -> str:
    """What is wrong with a variable; nothing where it is known."""
    first = parts[0]
    if first not in VARIABLES:
        return f"there is no variable {first}{suggest(first, VARIABLES)}"
    fewest, most = PARTS.get(first, (1, 1))
    if len(parts) < fewest:
        return f"`{first}` needs the name of a property: `{first}.color`"
    if len(parts) > most:
        return f"`{'.'.join(parts)}` asks for too much; `{'.'.join(parts[:most])}` is all there is"
    return ""


def suggest(name: str, known: Collection[str]) -> str:
    alike = [each for each in known if each.lower() == name.lower()]
    near = alike or get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(known))}"


def refuse_missing_properties(
    rule: Rule, names: Collection[str], source: str = "", remedy: str = TABLE
) -> None:
    """Refuses fields and variables of properties that no piece has; `names` are those that pieces have.

    `remedy` says what gives pieces properties, for the sentence where they have none at all.
    """
    for fault in find_missing_properties(rule, names, remedy):
        raise RuleError(fault.says, fault.at, source)


def find_missing_properties(rule: Rule, names: Collection[str], remedy: str = TABLE) -> Iterator[Fault]:
    for atom in atoms_of(rule):
        for each in atom.properties:
            if each.name not in names:
                yield Fault(_refuse_property(each.name, FIELDS, names, remedy), each.at)
        for field in fields_of(atom):
            for name in variables_of(field):
                for part in name.parts[1:]:
                    if part not in OWN and part not in names:
                        yield Fault(_refuse_property(part, OWN, names, remedy), name.at)


def _refuse_property(name: str, own: Collection[str], names: Collection[str], remedy: str) -> str:
    says, hint = f"no piece has the property {name}", suggest(name, {*own, *names})
    return f"{says}; {remedy}" if not names and "did you mean" not in hint else says + hint
