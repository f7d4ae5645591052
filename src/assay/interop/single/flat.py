"""A traced program as one flat list of operations, with calls, short loops and branches opened.

Each value is *late* if it depends on the state or the action, which are known only when a step is made, and
*keyed* if it depends on the random keys alone, which are known long before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

CALLS = {"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint"}
LONGEST = 64  # steps of a loop that is opened
SHAPE_ONLY = {"broadcast_in_dim", "reshape", "squeeze", "expand_dims", "copy"}  # they move no number


class Unsupported(Exception):
    """The program has an operation that plain Python is not taught; the compiled step is used instead."""


class Ref(NamedTuple):
    """A value of the program, by number."""

    number: int


class Known(NamedTuple):
    """A number or array that stands in the program itself."""

    value: Any


class Op(NamedTuple):
    name: str
    primitive: Any  # None for the few operations of our own, by which loops are opened
    params: Mapping[str, Any]
    ins: tuple[Any, ...]  # Ref or Known
    outs: tuple[int, ...]


@dataclass(eq=False)
class Program:
    """Operations in order, and what is known of each value by its number."""

    loops: bool = True
    inputs: list[int] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    avals: list[Any] = field(default_factory=list)
    late: list[bool] = field(default_factory=list)
    keyed: list[bool] = field(default_factory=list)
    maker: dict[int, int] = field(default_factory=dict)  # value -> its operation

    def new_value(self, aval: Any, late: bool, keyed: bool) -> Ref:
        self.avals.append(aval)
        self.late.append(late)
        self.keyed.append(keyed)
        return Ref(len(self.avals) - 1)

    def is_late(self, ref: Any) -> bool:
        return isinstance(ref, Ref) and self.late[ref.number]

    def is_keyed(self, ref: Any) -> bool:
        return isinstance(ref, Ref) and self.keyed[ref.number]

    def add(
        self, name: str, ins: Sequence[Any], avals: Sequence[Any], params: Mapping[str, Any],
        primitive: Any = None,
    ) -> list[Any]:  # fmt: skip
        """Appends an operation; returns its values."""
        late, keyed = any(map(self.is_late, ins)), any(map(self.is_keyed, ins))
        outs = [self.new_value(aval, late, keyed) for aval in avals]
        for out in outs:
            self.maker[out.number] = len(self.ops)
        self.ops.append(Op(name, primitive, params, tuple(ins), tuple(out.number for out in outs)))
        return outs


def flatten(
    function: Callable, fixed: Sequence[Any], keyed: Sequence[Any], late: Sequence[Any], loops: bool = True
) -> Program:
    """The program of `function(fixed, keyed, late)`, each a flat list of arrays; all outputs are arrays.

    `loops`: whether loops over late values are opened.
    """
    closed = jax.make_jaxpr(function)(list(fixed), list(keyed), list(late))
    program = Program(loops=loops)
    kinds = [(False, False)] * len(fixed) + [(False, True)] * len(keyed) + [(True, False)] * len(late)
    refs = [program.new_value(var.aval, *kind) for var, kind in zip(closed.jaxpr.invars, kinds)]
    program.inputs = [ref.number for ref in refs]
    program.outputs = open_jaxpr(program, closed.jaxpr, closed.consts, refs)
    return program


def open_jaxpr(program: Program, jaxpr: Jaxpr, consts: Sequence[Any], ins: Sequence[Any]) -> list[Any]:
    """Appends the operations of a jaxpr; returns its outputs."""
    known: dict[Any, Any] = dict(zip(jaxpr.constvars, map(Known, consts)))  # these have their types
    known.update(zip(jaxpr.invars, ins))

    def read(var: Any) -> Any:
        return literal(var) if isinstance(var, Literal) else known[var]

    for equation in jaxpr.eqns:
        arguments = [read(var) for var in equation.invars]
        results = open_equation(program, equation, arguments)
        known.update(zip(equation.outvars, results))
    return [read(var) for var in jaxpr.outvars]


def literal(var: Any) -> Known:
    return Known(np.asarray(var.val, var.aval.dtype))


def open_equation(program: Program, equation: Any, ins: list[Any]) -> list[Any]:
    name, params = equation.primitive.name, equation.params
    if name in CALLS:
        return open_jaxpr(program, *jaxpr_of(params.get("jaxpr", params.get("call_jaxpr"))), ins)
    if any(map(program.is_late, ins)):
        if name == "scan" and program.loops and params["length"] <= LONGEST:
            return open_scan(program, params, ins)
        if name == "cond":
            return open_branches(program, params["branches"], ins)
    avals = [var.aval for var in equation.outvars]
    return program.add(name, ins, avals, params, equation.primitive)


def jaxpr_of(inner: Any) -> tuple[Jaxpr, Sequence[Any]]:
    return (inner.jaxpr, inner.consts) if isinstance(inner, ClosedJaxpr) else (inner, ())


def open_scan(program: Program, params: Mapping[str, Any], ins: list[Any]) -> list[Any]:
    body, consts = jaxpr_of(params["jaxpr"])
    fixed, carried, length = params["num_consts"], params["num_carry"], params["length"]
    held, carry, rows = ins[:fixed], ins[fixed : fixed + carried], ins[fixed + carried :]
    row_avals = [var.aval for var in body.invars[fixed + carried :]]
    kept: list[list[Any]] = []
    for i in reversed(range(length)) if params["reverse"] else range(length):
        row = [program.add("row", [each], [aval], {"i": i})[0] for each, aval in zip(rows, row_avals)]
        results = open_jaxpr(program, body, consts, [*held, *carry, *row])
        carry = results[:carried]
        kept.append(results[carried:])
    if params["reverse"]:
        kept.reverse()
    stacked = []
    for entries, var in zip(zip(*kept), body.outvars[carried:]):
        one: Any = var.aval
        aval = jax.ShapeDtypeStruct((length, *one.shape), one.dtype)
        stacked += program.add("pile", entries, [aval], {})
    return [*carry, *stacked]


def open_branches(program: Program, branches: Sequence[Any], ins: list[Any]) -> list[Any]:
    """All branches, and a choice among their results: nothing here has effects."""
    index, operands = ins[0], ins[1:]
    every = [open_jaxpr(program, *jaxpr_of(branch), operands) for branch in branches]
    avals = [var.aval for var in jaxpr_of(branches[0])[0].outvars]
    return [
        program.add("choose", [index, *results], [aval], {})[0] for aval, results in zip(avals, zip(*every))
    ]


class Early:
    """The part of a program that needs neither state nor action, as a function to be compiled."""

    def __init__(self, program: Program, wanted: Sequence[int]):
        self._inputs, self._wanted = program.inputs, tuple(wanted)
        self._ops = needed_ops(program, wanted, known=())

    def __deepcopy__(self, memo: Any) -> Early:
        """Itself, since nothing changes it: a copy of an env shares it, and what was compiled for it."""
        return self

    def __call__(self, fixed: Sequence[Any], keyed: Sequence[Any]) -> list[jax.Array]:
        values: dict[int, Any] = dict(zip(self._inputs, [*fixed, *keyed]))
        run(self._ops, values)
        return [jnp.asarray(values[number]) for number in self._wanted]


class Rest:
    """The part of a program that is left when its draws are known, as a function to be compiled."""

    def __init__(self, program: Program, outputs: Sequence[int], largest: int):
        self._program, self._outputs = program, tuple(outputs)
        self.draws = self._find_draws(largest)
        self._ops = needed_ops(program, outputs, known=self.draws)

    def _find_draws(self, largest: int) -> list[int]:
        """The keyed values that are read; larger ones are computed here, of those that they are made of."""
        program, found = self._program, set()
        wanted, seen = list(self._outputs), set[int]()
        while wanted:
            number = wanted.pop()
            if number in seen:
                continue
            seen.add(number)
            if program.keyed[number] and not program.late[number] and program.avals[number].size <= largest:
                found.add(number)
            elif number in program.maker:
                op = program.ops[program.maker[number]]
                wanted += [ref.number for ref in op.ins if isinstance(ref, Ref)]
        return sorted(found)

    def counts_alone(self) -> bool:
        """Whether all that it computes are whole numbers, which are the same however they are compiled."""
        avals = self._program.avals
        return not any(is_float(avals[number]) for op in self._ops for number in op.outs)

    def __call__(self, fixed: Sequence[Any], draws: Sequence[Any], late: Sequence[Any]) -> list[jax.Array]:
        inputs = self._program.inputs
        values: dict[int, Any] = dict(zip(inputs, fixed))
        values.update(zip(inputs[len(inputs) - len(late) :], late))
        values.update(zip(self.draws, draws))
        run(self._ops, values)
        return [jnp.asarray(values[number]) for number in self._outputs]


def needed_ops(program: Program, wanted: Sequence[int], known: Sequence[int]) -> list[Op]:
    """The operations that give these values from the inputs and the values that are known."""
    needed, ops = set(wanted).difference(known), []
    for op in reversed(program.ops):
        if needed.intersection(op.outs):
            ops.append(op)
            needed.update(ref.number for ref in op.ins if isinstance(ref, Ref) and ref.number not in known)
    return ops[::-1]


def run(ops: Sequence[Op], values: dict[int, Any]) -> None:
    """Does the operations with jax."""
    for op in ops:
        ins = [values[ref.number] if isinstance(ref, Ref) else ref.value for ref in op.ins]
        if op.primitive is None:
            values[op.outs[0]] = OWN[op.name](op.params, *ins)
            continue
        bound = op.primitive.get_bind_params(op.params)
        more, params = bound if isinstance(bound, tuple) else ((), bound)  # as the version of jax has it
        results = op.primitive.bind(*more, *ins, **params)
        values.update(zip(op.outs, results if op.primitive.multiple_results else [results]))


def take_row(params: Mapping[str, Any], rows: Any) -> Any:
    return jnp.asarray(rows)[params["i"]]


def pile_up(params: Mapping[str, Any], *rows: Any) -> Any:
    return jnp.stack(rows)


def choose_branch(params: Mapping[str, Any], index: Any, *results: Any) -> Any:
    return jnp.stack(results)[jnp.clip(jnp.asarray(index, jnp.int32), 0, len(results) - 1)]


OWN = {"row": take_row, "pile": pile_up, "choose": choose_branch}  # operations without a primitive


def products_to_keep(program: Program) -> set[int]:
    """Numbers of keyed values that are computed late, because a late sum may swallow their product.

    XLA contracts a product and the sum that reads it into one operation with one rounding.
    """
    kept: set[int] = set()
    for op in program.ops:
        if op.name not in ("add", "sub", "reduce_sum") or not any(map(program.is_late, op.ins)):
            continue
        for ref in op.ins:
            chain = []
            while isinstance(ref, Ref) and not program.late[ref.number] and ref.number in program.maker:
                source = program.ops[program.maker[ref.number]]
                chain.append(ref.number)
                if source.name in ("mul", "integer_pow", "square"):
                    if is_float(program.avals[ref.number]):
                        kept.update(chain)
                    break
                if source.name not in SHAPE_ONLY:
                    break
                ref = source.ins[0]
    return kept


def is_float(aval: Any) -> bool:
    return np.issubdtype(aval.dtype, np.floating)
