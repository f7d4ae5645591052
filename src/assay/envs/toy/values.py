"""What the settings of all toy envs share; no jax here."""

from __future__ import annotations

from typing import Any

from assay.core.axis import Axis, as_plain_number, shown
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


def hidden_mode(means: str) -> Axis:
    return Axis(
        "hidden_mode", ("transition",), "dose", float, 0.0, (0.01, 0.05, 0.2), low=0, high=1, means=means,
        origin="assay", acts="assay.envs.toy.hidden:HIDDEN_MODE",
    )  # fmt: skip


def aliased(means: str) -> Axis:
    return Axis(
        "aliased", ("observation",), "dose", int, 1, (2, 4), low=1, high=10**6, means=means, origin="assay",
        acts="assay.envs.toy.hidden:ALIASED",
    )  # fmt: skip
