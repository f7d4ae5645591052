"""What the typing functions of all toy settings share; no jax here."""

from __future__ import annotations

from typing import Any

from assay.core.axis import as_plain_number, shown
from assay.errors import WrongLevel

PLAYGROUND = "MDP Playground"


def takes(what: str):
    """Names what a typing function accepts, for error messages."""

    def mark(function):
        function.takes = what
        return function

    return mark


def whole(value: Any) -> int:
    number = as_plain_number(value)
    if number is None or number % 1 != 0:  # infinity and NaN too
        raise WrongLevel(f"{shown(value)} is no whole number.")
    return int(number)
