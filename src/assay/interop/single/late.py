"""The late part of a program, as nodes of a graph; what it reads of the early part are its draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.interop.single.flat import Program, Ref, Unsupported, products_to_keep
from assay.interop.single.graph import Graph
from assay.interop.single.node import Node
from assay.interop.single.rules import OF_TABLES, RULES, SUPPORTED, Leaf, Nodes, kind_of, to_nodes

MOST_DRAWS = 64  # numbers of one keyed value


class Late:
    """Computes values of a program on request, each once."""

    def __init__(self, program: Program, graph: Graph, fixed: Sequence[Any], late: Sequence[np.ndarray]):
        self._program, self._graph = program, graph
        self._kept = products_to_keep(program)
        keyed = len(program.inputs) - len(fixed) - len(late)
        leaves = [np.asarray(leaf).view(Leaf) for leaf in fixed]
        self._values: dict[int, Any] = dict(zip(program.inputs, leaves))
        self._values.update(zip(program.inputs[len(fixed) + keyed :], late))
        self.draws: list[int] = []  # keyed values that are read, in the order of their first reading
        self._rough: Late | None = None

    def value(self, ref: Any) -> Any:
        """An array of nodes or of plain numbers."""
        if not isinstance(ref, Ref):
            return np.asarray(ref.value)
        wanted = [ref.number]
        while wanted:  # not by recursion: programs are long
            number = wanted[-1]
            if number in self._values:
                wanted.pop()
                continue
            if self._is_draw(number):
                self._values[number] = self._draw(number)
                continue
            op = self._program.ops[self._program.maker[number]]
            missing = [r.number for r in op.ins if isinstance(r, Ref) and r.number not in self._values]
            if missing:
                wanted += missing
                continue
            self._values.update(zip(op.outs, self._apply(op)))
        return self._values[ref.number]

    def nodes(self, ref: Any) -> Nodes:
        return to_nodes(self._graph, self.value(ref))

    def _is_draw(self, number: int) -> bool:
        program = self._program
        if program.late[number] or number in self._kept:
            return False
        if program.keyed[number]:
            return True
        maker = program.maker.get(number)
        return maker is not None and program.ops[maker].name not in SUPPORTED

    def _draw(self, number: int) -> Nodes:
        aval = self._program.avals[number]
        if aval.size > MOST_DRAWS:
            raise Unsupported(f"{aval.size} draws at a step")
        kind = kind_of(aval.dtype)
        result: Nodes = np.empty(aval.shape, object)
        self.draws.append(number)
        like = self.like_draw(number)
        for i, place in enumerate(np.ndindex(*aval.shape)):
            ends = () if like is None or kind == "f" else (like[place].low, like[place].high)
            result[place] = self._graph.given(draw_name(number, i), kind, *ends)
            if kind == "f" and like is not None:
                result[place].nonnegative = like[place].nonnegative
        return result

    def like_draw(self, number: int) -> Nodes | None:
        """Nodes with the ranges of a draw, as far as they follow from how it is computed."""
        if self._rough is None:
            program = self._program
            fixed = [i for i in program.inputs if not program.late[i] and not program.keyed[i]]
            self._rough = Rough(program, [self._values[i] for i in fixed])
        try:
            return self._rough.nodes(Ref(number))
        except Unsupported:
            return None

    def _apply(self, op: Any) -> list[Any]:
        ins = [self._values[r.number] if isinstance(r, Ref) else np.asarray(r.value) for r in op.ins]
        if op.name in OF_TABLES:
            # Places are nodes; the table itself may be one of plain numbers.
            ins = [ins[0], *(to_nodes(self._graph, each) for each in ins[1:])]
            result = OF_TABLES[op.name](self._graph, op.params, *ins)
        elif op.name in RULES:
            result = RULES[op.name](self._graph, op.params, *(to_nodes(self._graph, each) for each in ins))
        else:
            raise Unsupported(f"the operation {op.name}")
        return result if isinstance(result, list) else [result]


class Rough(Late):
    """The same for keyed values too, down to the random bits, for their ranges alone."""

    def __init__(self, program: Program, fixed: Sequence[Any]):
        super().__init__(program, Graph(rough=True), fixed, ())
        for number in program.inputs[len(fixed) :]:
            self._values.pop(number, None)

    def _is_draw(self, number: int) -> bool:
        maker = self._program.maker.get(number)
        return maker is None or self._program.ops[maker].name not in SUPPORTED

    def _draw(self, number: int) -> Nodes:
        aval = self._program.avals[number]
        kind = kind_of(aval.dtype)
        result: Nodes = np.empty(aval.shape, object)
        if aval.size > MOST_DRAWS:
            raise Unsupported("many draws")
        for i, place in enumerate(np.ndindex(*aval.shape)):
            result[place] = self._graph.given(draw_name(number, i), kind)
        return result


def draw_name(number: int, i: int) -> str:
    return f"d{number}_{i}"


def flat_nodes(array: np.ndarray) -> list[Node]:
    return list(array.reshape(-1))
