"""Records as strict JSON, which has neither NaN nor infinities."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

from assay.stats.aggregate import Interval


def strict(value: Any) -> Any:
    """A value as strict JSON can hold it: records as objects, NaN and infinities as null."""
    if isinstance(value, Interval):
        return {end: strict(number) for end, number in value._asdict().items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: strict(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [strict(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's numbers and arrays, which an agent's settings may hold
        return strict(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
