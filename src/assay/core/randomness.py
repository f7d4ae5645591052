"""Which random streams a program draws from, read off the program itself.

Traced to a jaxpr, a function shows every draw (`random_bits`) and how the key it uses was derived (`fold_in`
by fold_in). That proves what no run can: that a variation draws from its own streams alone, at every state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

Path = tuple[str | int, ...]  # how a key was derived: the names or numbers folded in, from the root on
UNKNOWN = "?"


def draws(function: Callable[..., Any], *arguments: Any) -> Counter[Path]:
    """Path -> how many draws `function` makes with the key so derived. Each key argument is its own root."""
    program = jax.make_jaxpr(function)(*arguments)
    inputs: list[Any] = [None] * len(program.jaxpr.invars)
    keys = [i for i, leaf in enumerate(jax.tree.leaves(arguments)) if is_key(leaf)]
    for number, place in enumerate(keys):
        inputs[place] = (f"key {number}",)
    counts: Counter[Path] = Counter()
    walk(program.jaxpr, program.consts, inputs, counts)
    return counts


def is_key(leaf: Any) -> bool:
    dtype = getattr(leaf, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key)


def walk(jaxpr: Jaxpr, consts: list[Any], inputs: list[Any], counts: Counter[Path]) -> list[Any]:
    """Follows keys and folded-in numbers through one jaxpr; returns what is known of its outputs."""
    known: dict[Any, Any] = dict(zip(jaxpr.invars, inputs))
    known.update((var, number_in(const)) for var, const in zip(jaxpr.constvars, consts))

    def read(var: Any) -> Any:
        return number_in(var.val) if isinstance(var, Literal) else known.get(var)

    for equation in jaxpr.eqns:
        values, name = [read(var) for var in equation.invars], equation.primitive.name
        results: list[Any] = [None] * len(equation.outvars)
        if name == "random_bits":
            counts[values[0] or (UNKNOWN,)] += 1
        elif name == "random_fold_in":
            number = values[1] if isinstance(values[1], int) else UNKNOWN
            results = [(values[0] or (UNKNOWN,)) + (number,)]
        elif name in ("random_wrap", "random_seed"):
            results = [(UNKNOWN,)]
        elif name == "random_split":
            results = [(values[0] or (UNKNOWN,)) + ("split",)]
        elif name in ("convert_element_type", "squeeze", "reshape", "broadcast_in_dim", "slice", "copy"):
            results = [values[0]]
        for inner, consts_inside in jaxprs_in(equation.params):
            # The branches of a cond lack its first input, the index; everything else is passed on in order.
            passed = values[len(values) - len(inner.invars) :]
            outcome = walk(inner, consts_inside, passed, counts)
            results = outcome if len(outcome) == len(results) else results
        known.update(zip(equation.outvars, results))
    return [read(var) for var in jaxpr.outvars]


def jaxprs_in(params: Mapping[str, Any]) -> list[tuple[Jaxpr, list[Any]]]:
    """The programs that an equation carries: a call's, a branch's, a loop's."""
    programs = []
    for value in params.values():
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(each, ClosedJaxpr):
                programs.append((each.jaxpr, each.consts))
            elif isinstance(each, Jaxpr):
                programs.append((each, []))
    return programs


def number_in(value: Any) -> int | None:
    """A constant scalar as a number: what a key is folded with."""
    scalar = getattr(value, "ndim", 0) == 0 and getattr(getattr(value, "dtype", None), "kind", "") in (
        "i",
        "u",
    )
    return int(value) if scalar or type(value) is int else None
