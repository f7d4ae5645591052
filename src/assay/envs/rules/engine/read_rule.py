"""From a rule to lists: every condition of every atom becomes a set, or a table over its few variables.

Plain lists of shapes, colours and cells are sets of numbers, and what depends on nothing is a set of buckets.
All else is a factor: a table with an entry for each combination of its variables, whose bits are buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod

from assay.envs.rules.board import ANYTHING
from assay.envs.rules.engine.draft import AtomDraft, Draft, FactorDraft, ListDraft, Slot
from assay.envs.rules.engine.expressions import (
    Numbers,
    asks_for_bucket,
    compile_tree,
    split_condition,
    variables_in,
)
from assay.envs.rules.engine.sizes import MOST_ENTRIES
from assay.envs.rules.engine.variables import COLOR, SHAPE, Variable, Vocabulary, domains_of
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.orders import rank_orders
from assay.envs.rules.language.syntax import Atom, Cell, Expression, Name, OrderName, Range, Rule, Text, Union
from assay.envs.rules.language.tokens import raise_case
from assay.envs.rules.language.walk import Field, fields_of, variables_of
from assay.envs.rules.language.write import write_expression
from assay.envs.rules.set_arithmetic import Set, reduce_to_buckets

Judge = Callable[[Numbers, int], int]  # of variables and the bucket tried: bits of the buckets that may be
Table = tuple[int, tuple[tuple[Variable, int], ...]]  # where it begins, and the weights of its variables
OWN_ROWS = {"shape": SHAPE, "color": COLOR}


class RuleReader:
    """Reads a rule atom by atom; conditions that stand in several atoms share a table."""

    def __init__(self, rule: Rule, geometry: Geometry, vocabulary: Vocabulary):
        self.geometry, self.vocabulary = geometry, vocabulary
        self.domains = domains_of(geometry, vocabulary)
        self.every_bucket = 2**geometry.buckets - 1
        self.known_ranks = rank_orders(rule, geometry)
        self.orders: dict[str, int] = {}
        self.tables: dict[tuple[str, Expression], Table | int] = {}
        self.draft = Draft(near=self.domains.near)
        for number, line in enumerate(rule.lines):
            self.draft.line_counts.append(-1 if line.count is None else line.count)
            for place, atom in enumerate(line.atoms):
                self.read_atom((number, place), atom)

    def read_atom(self, slot: Slot, atom: Atom) -> None:
        buckets = self.every_bucket
        values: dict[str, frozenset[int]] = {}
        for field in fields_of(atom):
            accepted = self.list_values(field)
            if accepted is not None:
                values[field.name] = accepted
                continue
            for part in self.split(field):
                buckets &= self.add_condition(slot, part)
        for each in atom.properties:
            if each.accepts is None or isinstance(each.accepts, tuple):
                buckets &= self.add_range(slot, each.name, each.accepts)
        self.read_orders(slot, atom)
        count = -1 if atom.count is None else atom.count
        every = (range(len(self.vocabulary.shapes) + 1), range(len(self.vocabulary.colors) + 1))
        shapes, colors = (values.get(name, frozenset(some)) for name, some in zip(OWN_ROWS, every))
        self.draft.atoms.append(AtomDraft(slot, count, buckets, shapes, colors, self.read_cells(atom)))

    def list_values(self, field: Field) -> frozenset[int] | None:
        """The shapes or colours that a plain list accepts, by number; None for any other condition."""
        row, items = OWN_ROWS.get(field.name), _literals(field.tree)
        if row is None or items is None:
            return None
        numbers = {raise_case(str(name)): i for i, name in enumerate(self.domains.rows[row], start=1)}
        return frozenset(numbers[item] for item in items if item in numbers)

    def split(self, field: Field) -> Iterator[Field]:
        if field.name != "code":
            yield field
            return
        for tree in split_condition(field.tree, self.vocabulary):
            yield Field(field.name, tree, field.takes_names)

    def read_cells(self, atom: Atom) -> frozenset[int]:
        """The cells that all position lists without orders allow."""
        allowed = frozenset(range(1, self.geometry.cells + 1))
        for positions in atom.positions:
            if not any(isinstance(each, OrderName) for each in positions):
                allowed &= {each.number for each in positions if isinstance(each, Cell)}
        return allowed

    def read_orders(self, slot: Slot, atom: Atom) -> None:
        for positions in atom.positions:
            names = [each for each in positions if isinstance(each, OrderName)]
            cells = {each.number for each in positions if isinstance(each, Cell)}
            on_board = frozenset(cells & set(range(1, self.geometry.cells + 1)))
            if names:
                self.draft.lists.append(ListDraft(slot, on_board, self.number_orders(names)))
        if atom.postpos:
            orders = self.number_orders(list(atom.postpos))
            self.draft.trims.append(ListDraft(slot, frozenset(), orders))

    def number_orders(self, names: list[OrderName]) -> frozenset[int]:
        """Orders by number. One that is not known puts no cell first, so it has none."""
        numbers = set()
        for each in names:
            if each.name in self.known_ranks and each.name not in self.orders:
                self.orders[each.name] = len(self.orders)
                self.draft.ranks.append(self.known_ranks[each.name])
            numbers |= {self.orders[each.name]} if each.name in self.orders else set()
        return frozenset(numbers)

    def add_condition(self, slot: Slot, field: Field) -> int:
        """Adds a factor; for a condition without variables returns the buckets that it allows instead."""
        table = self.tables.get((field.name, field.tree))
        if table is None:
            variables = variables_in(field, self.vocabulary)
            evaluate = compile_tree(field.tree, field.takes_names, self.domains, self.vocabulary)
            if field.name not in ("bucket", "code"):
                own = self.vocabulary.row_of(field.name)
                if own is None:
                    return 0  # no piece has this property
                variables = sorted({*variables, Variable("piece", own)})
            table = self.tabulate(field, variables, self.judge(field, evaluate))
            self.tables[field.name, field.tree] = table
        return self.place(slot, table)

    def place(self, slot: Slot, table: Table | int) -> int:
        if isinstance(table, int):
            return table
        self.draft.factors.append(FactorDraft(slot, *table))
        return self.every_bucket

    def judge(self, field: Field, evaluate: Callable[[Numbers, int], Set]) -> Judge:
        """How a field turns the set that its expression comes to into buckets."""
        if field.name == "bucket":
            return lambda numbers, tried: sum(
                1 << each for each in reduce_to_buckets(evaluate(numbers, tried), self.geometry.buckets)
            )
        if field.name == "code":
            return lambda numbers, tried: self.every_bucket if evaluate(numbers, tried) else 0
        row = self.vocabulary.row_of(field.name)
        assert row is not None, "checked before"
        own = Variable("piece", row)
        values = self.domains.rows[row]

        def is_among(numbers: Numbers, tried: int) -> int:
            number = numbers[own]
            return self.every_bucket if number and _meets(values[number - 1], evaluate(numbers, tried)) else 0

        return is_among

    def tabulate(self, field: Field, variables: list[Variable], judge: Judge) -> Table | int:
        """Writes an entry for each combination of the variables; the last one changes fastest."""
        sizes = [self.domains.size(each) for each in variables]
        self.refuse_large_table(field, variables, prod(sizes))
        start, tried_matters = len(self.draft.entries), asks_for_bucket(field)
        for combination in product(*map(range, sizes)):
            numbers = dict(zip(variables, combination))
            if tried_matters:
                entry = sum(judge(numbers, b) & 1 << b for b in range(self.geometry.buckets))
            else:
                entry = judge(numbers, 0)
            if not variables:
                return entry
            self.draft.entries.append(entry)
        weights = [prod(sizes[i + 1 :]) for i in range(len(sizes))]
        return start, tuple(zip(variables, weights))

    def refuse_large_table(self, field: Field, variables: list[Variable], entries: int) -> None:
        if len(self.draft.entries) + entries <= MOST_ENTRIES:
            return
        names = sorted({".".join(each.parts) for each in variables_of(field)})
        raise RuleError(
            f"the {field.name} `{write_expression(field.tree)}` depends on {', '.join(names)}, which makes "
            f"{entries:,} cases, and the tables of a rule hold {MOST_ENTRIES:,}; write it with fewer "
            "variables, or play it with the plain interpreter",
            field.tree.at,
        )

    def add_range(self, slot: Slot, name: str, ranges: tuple[Range, ...] | None) -> int:
        """A property that must be there, within one of the ranges where these are given."""
        row = self.vocabulary.row_of(name)
        if row is None:
            return 0
        start = len(self.draft.entries)
        values = self.domains.rows[row]
        self.draft.entries += [0, *(self.every_bucket * _is_within(each, ranges) for each in values)]
        return self.place(slot, (start, ((Variable("piece", row), 1),)))


def _literals(tree: Expression) -> list[str] | None:
    """The names of a plain list, in upper case; None for any other expression."""
    items = tree.items if isinstance(tree, Union) else (tree,)
    names = []
    for item in items:
        if isinstance(item, Text):
            names.append(raise_case(item.value))
        elif isinstance(item, Name) and len(item.parts) == 1:
            names.append(raise_case(item.parts[0]))
        else:
            return None
    return names


def _meets(value: int | str, accepted: Set) -> bool:
    """Whether a value is among others, texts in any case; a stored `*` meets every condition."""
    folded = {raise_case(each) if isinstance(each, str) else each for each in accepted}
    return value == ANYTHING or (raise_case(value) if isinstance(value, str) else value) in folded


def _is_within(value: int | str, ranges: tuple[Range, ...] | None) -> bool:
    if ranges is None or value == ANYTHING:
        return True
    return isinstance(value, int) and any(limits.low <= value <= limits.high for limits in ranges)
