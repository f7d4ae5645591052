"""Atoms without effect: all that they accept is accepted by another atom of their line, in every game.

Dropping such an atom changes no answer and no counter. Nothing is claimed without a proof, so that pairs
that play alike for deeper reasons are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.envs.rules.board import Piece
from assay.envs.rules.evaluate import compile_field
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.emptiness import always_holds
from assay.envs.rules.language.faults import Fault
from assay.envs.rules.language.strange_values import items_of, literals_of
from assay.envs.rules.language.syntax import Atom, Expression, Line, Property, Rule
from assay.envs.rules.language.walk import Field, variables_of
from assay.envs.rules.set_arithmetic import reduce_to_buckets


def find_redundant(rule: Rule, geometry: Geometry) -> Iterator[Fault]:
    for line in rule.lines:
        for place, atom in enumerate(line.atoms):
            other = _find_wider(place, line, geometry)
            if other is not None:
                at = other.at
                says = f"all that it accepts, the atom at line {at.line}, column {at.column} accepts too"
                yield Fault(f"the atom has no effect: {says}", atom.at)


def _find_wider(place: int, line: Line, geometry: Geometry) -> Atom | None:
    """An atom that makes the one at a place needless; of two that are equally wide, the first is kept."""
    atom = line.atoms[place]
    for number, other in enumerate(line.atoms):
        if number == place or not _stays_open(other, line) or not covers(other, atom, geometry):
            continue
        if number < place or not (_stays_open(atom, line) and covers(atom, other, geometry)):
            return other
    return None


def _stays_open(atom: Atom, line: Line) -> bool:
    """Whether its counter never ends it before its line is left."""
    return atom.count is None or (line.count is not None and 0 < line.count <= atom.count)


def covers(wide: Atom, atom: Atom, geometry: Geometry) -> bool:
    """Whether `wide` takes every piece into every bucket that `atom` takes it into, counters aside."""
    if wide.postpos:  # goes by what the rest of the atom takes, so that the rest must be the same
        return wide.postpos == atom.postpos and _parts(wide) == _parts(atom)
    return (
        _covers_values(wide.shape, atom.shape)
        and _covers_values(wide.color, atom.color)
        and (wide.code in (None, atom.code) or _is_always_true(wide.code))
        and all(any(set(own) <= set(each) for own in atom.positions) for each in wide.positions)
        and all(any(_covers_property(each, own) for own in atom.properties) for each in wide.properties)
        and _covers_bucket(wide.bucket, atom.bucket, geometry)
    )


def _parts(atom: Atom) -> tuple[object, ...]:
    return atom.shape, atom.color, atom.positions, atom.bucket, atom.code, atom.properties


def _is_always_true(code: Expression | None) -> bool:
    return code is not None and always_holds(code, False) and always_holds(code, True)


def _covers_values(wide: Expression | None, tree: Expression | None) -> bool:
    if wide is None or wide == tree:
        return True
    if tree is None:
        return False
    named = {each.value for each in literals_of(wide)}
    values = literals_of(tree)
    return len(values) == len(items_of(tree)) and all(each.value in named for each in values)


def _covers_property(wide: Property, own: Property) -> bool:
    # Whatever a property is asked for, a piece that meets it has the property.
    return wide == own or (wide.name == own.name and wide.accepts is None)


def _covers_bucket(wide: Expression | None, tree: Expression | None, geometry: Geometry) -> bool:
    every = frozenset(range(geometry.buckets))
    open_ = every if wide is None else frozenset[int]().union(
        *(_constant(item, geometry) or frozenset() for item in items_of(wide))
    )  # fmt: skip
    if open_ == every or wide == tree:
        return True
    if tree is None or wide is None:
        return False
    for item in items_of(tree):
        named = _constant(item, geometry)
        if item not in items_of(wide) and (named is None or not named <= open_):
            return False
    return True


def _constant(tree: Expression, geometry: Geometry) -> frozenset[int] | None:
    """The buckets that an expression without variables names; None where it has some."""
    field = Field("bucket", tree, False)
    if next(variables_of(field), None) is not None:
        return None
    return reduce_to_buckets(compile_field(field, geometry)((), Piece(0, "", "", 1), 0), geometry.buckets)
