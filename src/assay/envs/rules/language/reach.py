"""Which pieces an atom is sure to take, and which atoms take none, on all boards of plain pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.emptiness import always_holds, is_always_number, is_never
from assay.envs.rules.language.faults import Fault
from assay.envs.rules.language.orders import BUILT_IN
from assay.envs.rules.language.syntax import Atom, Cell, Expression, Line, Name, OrderName, Rule, Text, Union
from assay.envs.rules.language.walk import nodes_of

Kind = tuple[str, str, int]  # a shape, a colour and a cell


class Sure(NamedTuple):
    """What an atom with a counter above 0 is sure to take, whatever else stands on the board."""

    any_board: bool  # some piece of every board, for it goes by an order or by nothing
    kinds: frozenset[Kind]  # every piece of these kinds, or one that the same atom puts before it


def find_sure(atom: Atom, rule: Rule, geometry: Geometry, moved: bool) -> Sure:
    nothing = Sure(False, frozenset())
    if atom.count == 0 or atom.properties or not _opens_a_bucket(atom, rule, moved):
        return nothing
    shapes, colors = _literal(atom.shape, SHAPES), _literal(atom.color, COLORS)
    if shapes is None or colors is None:
        return nothing
    orders = {*BUILT_IN, *(order.name for order in rule.orders)}
    goes_by_an_order = len(atom.positions) == 1 and any(
        isinstance(each, OrderName) and each.name in orders for each in atom.positions[0]
    )
    takes_any_kind = atom.shape is None and atom.color is None
    cells = _cells(atom, geometry)
    return Sure(
        takes_any_kind and (goes_by_an_order or not atom.positions),
        frozenset(product(shapes, colors, cells)),
    )


def _opens_a_bucket(atom: Atom, rule: Rule, moved: bool) -> bool:
    orders = {*BUILT_IN, *(order.name for order in rule.orders)}
    code = atom.code is None or always_holds(atom.code, moved)
    bucket = atom.bucket is None or is_always_number(atom.bucket, moved)
    depends_on_bucket = atom.bucket is not None and _mentions_bucket(atom.bucket)
    postpos = not atom.postpos or any(each.name in orders for each in atom.postpos)
    return code and bucket and postpos and not depends_on_bucket


def _mentions_bucket(tree: Expression) -> bool:
    """Whether it asks for the bucket that is tried: it may then name another one for each."""
    return any(isinstance(node, Name) and node.parts[1:2] == ("bucket",) for node in nodes_of(tree))


def _literal(tree: Expression | None, names: tuple[str, ...]) -> frozenset[str] | None:
    """The usual names that a field of values takes; None where it depends on the game."""
    if tree is None:
        return frozenset(names)
    items = tree.items if isinstance(tree, Union) else (tree,)
    words = [each.value if isinstance(each, Text) else _single(each) for each in items]
    return frozenset(word for word in words if word in names) if all(words) else None


def _single(tree: Expression) -> str:
    return tree.parts[0] if isinstance(tree, Name) and len(tree.parts) == 1 else ""


def _cells(atom: Atom, geometry: Geometry) -> frozenset[int]:
    """The cells that every list of positions names by number."""
    cells = frozenset(range(1, geometry.cells + 1))
    for positions in atom.positions:
        cells &= {each.number for each in positions if isinstance(each, Cell)}
    return cells


def all_kinds(geometry: Geometry) -> frozenset[Kind]:
    return frozenset(product(SHAPES, COLORS, range(1, geometry.cells + 1)))


def offers_always(atoms: Iterable[Atom], rule: Rule, geometry: Geometry, moved: bool) -> bool:
    """Whether some of these atoms takes a piece of every board of plain pieces."""
    sure = [find_sure(atom, rule, geometry, moved) for atom in atoms]
    kinds: frozenset[Kind] = frozenset().union(*(each.kinds for each in sure))
    return any(each.any_board for each in sure) or kinds == all_kinds(geometry)


def is_never_left(line: Line, rule: Rule, geometry: Geometry) -> bool:
    unmetered = [atom for atom in line.atoms if atom.count is None]
    return line.count is None and all(
        offers_always(unmetered, rule, geometry, moved) for moved in (False, True)
    )


def accepts_no_first_move(rule: Rule, geometry: Geometry) -> bool:
    """Whether it is proved that every board is a stalemate at once, for no atom accepts a first move."""
    return all(_why_idle(atom, line, geometry, (False,)) for line in rule.lines for atom in line.atoms)


def find_unreachable(rule: Rule, geometry: Geometry) -> Iterator[Fault]:
    """Atoms that accept nothing in any game, each with its reason."""
    closed = 0  # the line, counted from 1, that is never left
    # Without a first move there is no second one, and no memory is ever filled.
    times = (False,) if accepts_no_first_move(rule, geometry) else (False, True)
    for number, line in enumerate(rule.lines, start=1):
        for atom in line.atoms:
            reason = f"rule line {closed} is never left" if closed else _why_idle(atom, line, geometry, times)
            if reason:
                yield Fault(f"the atom accepts nothing: {reason}", atom.at)
        if not closed and is_never_left(line, rule, geometry):
            closed = number


def _why_idle(atom: Atom, line: Line, geometry: Geometry, times: tuple[bool, ...]) -> str:
    """Why an atom accepts nothing, before the first accepted move (False), after it (True), or both."""
    if line.count == 0:
        return "its line has the count 0"
    if atom.count == 0:
        return "its count is 0"
    # Of the other fields nothing is claimed: a piece whose property is "*" meets even an empty one.
    for name, tree in (("bucket", atom.bucket), ("code", atom.code)):
        if tree is not None and all(is_never(tree, moved) for moved in (False, True)):
            return f"its {name} is always empty"
        if tree is not None and all(is_never(tree, moved) for moved in times):
            return f"its {name} is empty before the first accepted move, and no atom accepts a first one"
    only_cells = [each for each in atom.positions if all(isinstance(item, Cell) for item in each)]
    cells = set(range(1, geometry.cells + 1))
    for positions in only_cells:
        cells &= {each.number for each in positions if isinstance(each, Cell)}
    return "" if cells else "no cell is in all its lists of positions"
