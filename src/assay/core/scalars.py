"""numpy's names on plain Python numbers.

Channels take an array namespace; hosts pass this one for rewards and discrete actions, where numpy's call
overhead (a microsecond each) would cost more than the env itself.
"""

from __future__ import annotations

import math
from typing import Any


def where(condition: Any, yes: Any, no: Any) -> Any:
    return yes if condition else no


def clip(value: Any, low: Any, high: Any) -> Any:
    return low if value < low else high if value > high else value


def floor(value: Any) -> int:
    whole: int = math.floor(value)
    return whole


def sign(value: Any) -> Any:
    return type(value)(1 if value > 0 else -1 if value < 0 else 0)


def sqrt(value: Any) -> Any:
    return type(value)(math.sqrt(value))


def maximum(a: Any, b: Any) -> Any:
    return a if a > b else b


def minimum(a: Any, b: Any) -> Any:
    return a if a < b else b


def asarray(value: Any, dtype: str) -> Any:
    """Discrete values stay ints; a reward keeps the type it came in (Python's float on a host)."""
    return int(value) if dtype.startswith("int") else value


def zeros(shape: tuple[int, ...], dtype: str) -> Any:
    zero = False if dtype == "bool" else 0 if dtype.startswith("int") else 0.0
    return [zero] * shape[0] if shape else zero


def full(shape: tuple[int, ...], value: Any, dtype: str) -> Any:
    value = int(value) if dtype.startswith("int") else float(value)
    return [value] * shape[0] if shape else value
