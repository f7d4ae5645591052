"""Plain numbers as the int32 words in which compiled programs take and return them."""

from __future__ import annotations

from typing import Any

import numpy as np


def words_in(values: Any) -> list[int]:
    """One word for each number: floats by their bits."""
    every = values if isinstance(values, tuple) else (values,)
    return [word_of(value) for value in every]


def word_of(value: Any) -> int:
    if isinstance(value, float):
        return int(np.float32(value).view(np.int32))
    return (int(value) + 2**31) % 2**32 - 2**31
