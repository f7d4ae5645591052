"""A graph as the source of a Python function, and what makes that function short.

Values that are functions of one small whole number become a table of it. A product that only one sum reads
may be computed together with it, with one rounding: XLA does so where it sees fit, so that which sums do is
an argument here, and found by trying.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from assay.interop.single.arithmetic import FUNCTIONS, TINY, new_cell, single
from assay.interop.single.graph import ROUNDED, Graph
from assay.interop.single.node import Node

LARGEST_TABLE = 2**14
DEEPEST = 12  # expressions within one another
MOST_COMBINATIONS = 3**8  # of sums that swallow and sums that do not; more are not listed

WRITTEN = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "fadd": "{} + {}", "fsub": "{} - {}",
    "fmul": "{} * {}", "floordiv": "{} // {}", "mod": "{} % {}", "neg": "-{}", "abs": "abs({})",
    "whole_quotient": "whole_quotient({}, {})", "whole_rest": "whole_rest({}, {})",
    "to_whole": "to_whole({})", "floor": "floor({})", "sign": "sign({})",
    "lt": "{} < {}", "le": "{} <= {}", "eq": "{} == {}", "not": "not {}",
    "and_flags": "{} and {}", "or_flags": "{} or {}", "xor_flags": "{} != {}",
    "and_bits": "{} & {}", "or_bits": "{} | {}", "xor_bits": "{} ^ {}",
    "select": "{1} if {0} else {2}", "gated": "{1} if {0} else {1} * 0.0",
    "min_late": "{1} if {1} < {0} or {1} != {1} else {0}",
    "max_late": "{1} if {1} > {0} or {1} != {1} else {0}",
    "min": "{1} if {0} > {1} else {0}", "max": "{1} if {0} < {1} else {0}",
    "as_float": "float({})", "to_float": "float({})", "as_whole": "+{}", "same": "{}",
}  # fmt: skip
TWICE = {"gated": (1,), "min_late": (0, 1), "max_late": (0, 1), "min": (0,), "max": (0,)}  # read twice
SUMS = ("fadd", "fsub")


class Undecided(Exception):
    """Two ways to round differ here, and nothing has shown yet which one the compiled program takes."""


class Sum(NamedTuple):
    """A sum that may swallow a product, and the products that it may."""

    node: Node
    products: tuple[int, ...]  # which operands are products


# What sums do with their products, by number of the sum: the operand that it swallows, or None. Where several
# are named it is not known which, and they must agree.
Fusing = dict[int, tuple[int | None, ...]]


class Table(NamedTuple):
    """All values of a node that is a function of one small whole number, or of none."""

    base: tuple[Node, ...]
    values: tuple


class Source:
    """The function of some arguments that gives these groups of nodes."""

    def __init__(self, graph: Graph, outputs: Sequence[Node]):
        self._graph, self._outputs = graph, outputs
        self.live = live_nodes(outputs)
        self._uses = Counter(arg.number for node in self.live for arg in node.args)
        self._uses.update(node.number for node in outputs)
        self.sums = [
            Sum(node, places)
            for node in self.live
            if node.op in SUMS and (places := tuple(i for i, a in enumerate(node.args) if a.op == "fmul"))
        ]

    def fusings(self) -> Iterator[Fusing]:
        """What each sum may do, the likeliest first: a product is swallowed where nobody else reads it."""
        choices = [self.choices(each) for each in self.sums]
        longest = max(map(len, choices), default=1)
        every = islice(product(range(longest), repeat=len(choices)), MOST_COMBINATIONS)
        # All first choices, then those that differ in one sum, in two, ...
        for picks in sorted(every, key=lambda picks: sum(pick > 0 for pick in picks)):
            if all(pick < len(choice) for pick, choice in zip(picks, choices)):
                chosen = zip(self.sums, (choice[pick] for pick, choice in zip(picks, choices)))
                yield {each.node.number: (place,) for each, place in chosen}

    def choices(self, each: Sum) -> list[int | None]:
        """The operands that a sum may swallow, or none of them."""
        alone = [i for i in each.products if self._uses[each.node.args[i].number] == 1]
        others = [i for i in each.products if i not in alone]
        return [*alone, None, *others] if alone else [None, *others]

    def write(self, name: str, arguments: str, opening: Sequence[str], groups: Sequence[Any],
              fusing: Fusing) -> Callable:  # fmt: skip
        """Compiles the function.

        `groups` are nodes and tuples of nodes; the function returns their values in the same shape.
        """
        writer = Writer(self._outputs, fusing)
        returned = ", ".join(writer.group(group) for group in groups)
        lines = [*opening, *writer.statements(), f"return ({returned},)"]
        text = f"def {name}({arguments}):\n" + "".join(f"    {line}\n" for line in lines)
        namespace = dict(writer.constants)
        exec(compile(text, f"<{name}>", "exec"), namespace)
        function: Callable = namespace[name]
        function.source = text  # type: ignore[attr-defined]  # to be looked at
        return function


def live_nodes(outputs: Sequence[Node]) -> list[Node]:
    """All nodes that these need, operands first."""
    seen: dict[int, Node] = {}
    wanted = list(outputs)
    while wanted:
        node = wanted.pop()
        if node.number not in seen:
            seen[node.number] = node
            wanted += node.args
    return [seen[number] for number in sorted(seen)]


class Writer:
    """Writes the statements that compute some nodes."""

    def __init__(self, outputs: Sequence[Node], fusing: Fusing, given: dict[int, str] | None = None):
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {
            **FUNCTIONS, "new_cell": new_cell, "single": single, "Undecided": Undecided,
            "inf": math.inf, "nan": math.nan, "sqrt": math.sqrt,
        }  # fmt: skip
        self._fusing, self._texts = fusing, dict(given or {})
        self._depths: dict[int, int] = {}
        live = live_nodes(outputs)
        tables = {} if given is not None else find_tables(live, outputs, fusing)
        self._uses: Counter[int] = Counter(node.number for node in outputs)
        needed = {node.number for node in outputs}
        parts: dict[int, tuple[Node, ...]] = {}
        for node in reversed(live):
            if node.number in needed and node.number not in self._texts:
                parts[node.number] = tables[node.number].base if node.number in tables else self._parts(node)
                for i, arg in enumerate(parts[node.number]):
                    needed.add(arg.number)
                    often = len(fusing.get(node.number, ())) > 1 or i in TWICE.get(node.op, ())
                    self._uses[arg.number] += 2 if often and node.number not in tables else 1
        for node in live:
            if node.number in parts:
                if node.number in tables:
                    self._write_table(node, tables[node.number])
                else:
                    self._write(node, parts[node.number])

    def _parts(self, node: Node) -> tuple[Node, ...]:
        """All that is read to compute a node: of a product that a sum swallows, the factors."""
        read: dict[int, Node] = {}
        for place in self._fusing.get(node.number, (None,)):
            own = node.args if place is None else (*node.args[place].args, node.args[1 - place])
            read.update((part.number, part) for part in own)
        return node.args if node.number not in self._fusing else tuple(read.values())

    def statements(self) -> list[str]:
        """All statements, after one that makes what they need."""
        rounds = any(line.startswith("cell[0]") for line in self.lines)
        return ["cell = new_cell()", *self.lines] if rounds else self.lines

    def group(self, group: Any) -> str:
        if isinstance(group, Node):
            return self._texts[group.number]
        return "(" + "".join(f"{self._texts[node.number]}, " for node in group) + ")"

    def _write_table(self, node: Node, table: Table) -> None:
        if not table.base:
            self._texts[node.number] = self._constant(node.kind, table.values[0])
            return
        base, text = table.base[0], self._texts[table.base[0].number]
        index = text if base.low == 0 else f"{text} - {base.low}"
        if node.kind == "b":
            for how, wanted in (("==", True), ("!=", False)):
                where = [i for i, value in enumerate(table.values) if bool(value) is wanted]
                if len(where) == 1:  # one comparison in place of a table
                    self._keep(node, f"{text} {how} {where[0] + base.low}", table.base)
                    return
        name = f"t{node.number}"
        self.constants[name] = table.values
        self._keep(node, f"{name}[{index}]", table.base)

    def _write(self, node: Node, parts: tuple[Node, ...]) -> None:
        op, texts = node.op, [self._texts[part.number] for part in parts]
        if op == "const":
            self._texts[node.number] = self._constant(node.kind, node.value)
        elif op == "given":
            self._texts[node.number] = node.value
        elif node.number in self._fusing:
            self._sum(node)
        elif op == "wrap":
            text = f"{texts[0]} & 0xFFFFFFFF" if node.kind == "u" else (
                f"({texts[0]} + 0x80000000 & 0xFFFFFFFF) - 0x80000000")  # fmt: skip
            self._keep(node, text, parts)
        elif op == "table":
            name = f"t{node.number}"
            self.constants[name] = table_values(node)
            self._keep(node, f"{name}[{texts[0]}]", parts)
        elif op == "pick":
            self._keep(node, f"({', '.join(texts[1:])},)[{texts[0]}]", parts)
        elif op == "fdiv":
            divisor = parts[1]
            safe = divisor.known and divisor.value != 0.0
            self._round(node, f"{texts[0]} / {texts[1]}" if safe else f"quotient({texts[0]}, {texts[1]})")
        elif op == "fsqrt":
            self._round(node, f"{'sqrt' if parts[0].nonnegative else 'root'}({texts[0]})")
        elif op in ROUNDED:
            self._round(node, WRITTEN[op].format(*texts))
        else:
            self._keep(node, WRITTEN[op].format(*texts), parts)

    def _sum(self, node: Node) -> None:
        """A sum that swallows a product, or does not, or for which both must give the same."""
        name, ways = f"v{node.number}", []
        for place in self._fusing[node.number]:
            if place is None:
                texts = [self._texts[arg.number] for arg in node.args]
                ways.append(f"single({WRITTEN[node.op].format(*texts)})")
                continue
            a, b = (self._texts[arg.number] for arg in node.args[place].args)
            c = self._texts[node.args[1 - place].number]
            if node.op == "fsub":  # a product less a number, or a number less a product
                a, c = (a, f"-{c}") if place == 0 else (f"-{a}", c)
            ways.append(f"fused({a}, {b}, {c})")
        self.lines.append(f"{name} = {ways[0]}")
        self.lines += [f"if {name} != {other} and {name} == {name}: raise Undecided" for other in ways[1:]]
        self._texts[node.number] = name

    def _constant(self, kind: str, value: Any) -> str:
        if kind == "b":
            return repr(bool(value))
        return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"

    def _round(self, node: Node, text: str) -> None:
        name = f"v{node.number}"
        self.lines += [f"cell[0] = {text}", f"{name} = cell[0]"]
        if node.op != "to_float":
            self.lines.append(f"if -{TINY!r} < {name} < {TINY!r}: {name} *= 0.0")
        self._texts[node.number] = name

    def _keep(self, node: Node, text: str, parts: Sequence[Node]) -> None:
        """An expression that is read once is written where it is read."""
        depth = 1 + max((self._depths.get(part.number, 0) for part in parts), default=0)
        if self._uses[node.number] > 1 or depth > DEEPEST:
            self.lines.append(f"v{node.number} = {text}")
            self._texts[node.number] = f"v{node.number}"
        else:
            self._texts[node.number], self._depths[node.number] = f"({text})", depth


def table_values(node: Node) -> tuple:
    """The entries of a constant table; floats are kept by their bits."""
    return tuple(struct.unpack("d", v)[0] if isinstance(v, bytes) else v for v in node.value)


def find_tables(live: Sequence[Node], outputs: Sequence[Node], fusing: Fusing) -> dict[int, Table]:
    """The nodes to be looked up, by number."""
    bases: dict[int, Node | None] = {}  # None: of constants alone
    for node in live:
        own = [bases[arg.number] for arg in node.args]
        different = {base.number: base for base in own if base is not None}
        if node.op == "const" or (node.args and not different):
            bases[node.number] = None
        elif len(different) == 1:
            only = next(iter(different.values()))
            bases[node.number] = only if is_small(only) else node
        else:
            bases[node.number] = node
    ends = {node.number for node in outputs}
    for node in live:
        ends.update(arg.number for arg in node.args if bases[arg.number] is not bases[node.number])
    tables = {}
    for node in live:
        base: Node | None = bases[node.number]
        if node.number not in ends or node is base or node.op in ("const", "given"):
            continue
        if node.op in ("table", "same") and node.args[0] is base:
            continue  # it is one already, or its base by another name
        tables[node.number] = Table(() if base is None else (base,), tuple(list_values(node, base, fusing)))
    return tables


def is_small(node: Node) -> bool:
    return node.kind != "f" and node.high - node.low < LARGEST_TABLE


def list_values(node: Node, base: Node | None, fusing: Fusing) -> list[Any]:
    """The values of a node for every value of its base."""
    given = {} if base is None else {base.number: "x"}
    writer = Writer([node], fusing, given)
    lines = [*writer.statements(), f"return {writer.group(node)}"]
    text = "def value(x):\n" + "".join(f"    {line}\n" for line in lines)
    namespace = dict(writer.constants)
    exec(compile(text, "<table>", "exec"), namespace)
    value = namespace["value"]
    if base is None:
        return [value(None)]
    every = range(base.low, base.high + 1)
    return [value(bool(x) if base.kind == "b" else x) for x in every]
