"""The functions and methods that `plain_python.py` may call, each bounded in what it can make."""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Sized
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.task_values import INT_BOUND

MOST_ITEMS = 100_000  # numbers, texts and containers in one value, and characters in one text


def require_small(value: Any) -> Any:
    """The value, or an error where it holds too much, perhaps itself."""
    left, waiting = MOST_ITEMS, [value]
    while waiting:
        each = waiting.pop()
        left -= 1
        if isinstance(each, (str, np.ndarray, range)):
            left -= len(each) if not isinstance(each, np.ndarray) else each.size
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, (list, tuple, set)):
            waiting += each
        elif isinstance(each, int) and abs(each) > INT_BOUND:
            left = -1
        if left < 0 or len(waiting) > MOST_ITEMS:
            raise AssayError(f"it makes a value of more than {MOST_ITEMS:,} items")
    return value


def require_count(count: float) -> None:
    if not count <= MOST_ITEMS:
        raise AssayError(f"it makes a value of more than {MOST_ITEMS:,} items")


def product(*lists: Any, repeat: int = 1) -> list:
    lists = tuple(map(list, lists))
    require_count(math.prod(map(len, lists)) ** repeat * repeat * max(1, len(lists)))
    return list(itertools.product(*lists, repeat=repeat))


def combinations(items: Any, size: int) -> list:
    items = list(items)
    require_count(math.comb(len(items), size) * max(1, size))
    return list(itertools.combinations(items, size))


def permutations(items: Any, size: int | None = None) -> list:
    items = list(items)
    require_count(math.perm(len(items), size) * max(1, len(items)))
    return list(itertools.permutations(items, size))


def chain(*lists: Any) -> list:
    return [each for items in lists for each in items]


def arange(*ends: float) -> np.ndarray:
    start, stop, step = {1: (0, *ends, 1), 2: (*ends, 1), 3: ends}[len(ends)]
    require_count((stop - start) / step)
    return np.arange(*ends)


def spaced(function: Callable) -> Callable:
    """numpy's `linspace` or one of its like, with a bound on how many numbers it makes."""

    def make(start: float, stop: float, num: int = 50, **how: Any) -> np.ndarray:
        require_count(num)
        numbers: np.ndarray = function(start, stop, num=num, **how)
        return numbers

    return make


def numbers_from(*ends: int) -> range:
    made = range(*ends)
    require_count(len(made))
    return made


def show(value: Any) -> str:
    return str(require_small(value))


def length(value: Sized) -> int:
    return len(value)


def ignore(*values: Any, **named: Any) -> None:
    """What is printed is nothing to read."""


def same(value: Any) -> Any:
    return value


def copied(value: Any) -> Any:
    return deepcopy(require_small(value))


def backwards(items: Any) -> list:
    return list(items)[::-1]


def joined(between: str, texts: Any) -> str:
    texts = list(texts)
    require_count(sum(map(len, texts)) + len(between) * len(texts))
    return between.join(texts)


def ordered(items: Any, key: Callable | None = None, reverse: bool = False) -> list:
    return sorted(items, key=key, reverse=reverse)


BUILTINS: dict[str, Any] = {
    "dict": dict, "list": list, "tuple": tuple, "set": set, "range": numbers_from, "len": length,
    "str": show, "int": int, "float": float, "bool": bool, "abs": abs, "min": min, "max": max, "sum": sum,
    "round": round, "sorted": ordered, "reversed": backwards, "enumerate": enumerate, "zip": zip,
    "print": ignore, "isinstance": isinstance,
}  # fmt: skip
OF_NUMPY = ("power", "exp", "log", "log2", "log10", "sqrt", "array", "round", "float32", "float64", "int32",
            "int64", "uint8", "bool_")  # fmt: skip
IN_MODULES: dict[str, Any] = {
    "collections.OrderedDict": dict, "copy.deepcopy": copied, "copy.copy": copied,
    "itertools.product": product, "itertools.combinations": combinations,
    "itertools.permutations": permutations, "itertools.chain": chain,
    "numpy.arange": arange, "numpy.linspace": spaced(np.linspace), "numpy.logspace": spaced(np.logspace),
    "numpy.geomspace": spaced(np.geomspace), "numpy.pi": math.pi, "numpy.inf": math.inf,
    **{f"numpy.{name}": getattr(np, name) for name in OF_NUMPY},
    **{f"math.{name}": getattr(math, name) for name in ("pi", "inf", "sqrt", "exp", "log", "log2", "log10",
                                                        "ceil", "floor")},
    "ray.tune.function": same,
}  # fmt: skip
OPERATIONS: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
}  # fmt: skip
METHODS: dict[type, tuple[str, ...]] = {
    dict: ("items", "keys", "values", "get", "update", "copy", "pop", "setdefault"),
    list: ("append", "extend", "insert", "copy", "index", "count"),
    tuple: ("index", "count"),
    str: ("split", "join", "lower", "upper", "capitalize", "title", "strip", "startswith", "endswith"),
    np.ndarray: ("tolist", "round", "sum", "min", "max", "mean"),
}


def method_of(value: Any, name: str) -> Callable | None:
    """A method that may be called; None where it may not."""
    if name not in METHODS.get(type(value), ()):
        return None
    if name == "join":
        return partial(joined, value)
    method: Callable = getattr(value, name)
    return method
