"""Types of settings that toy envs share: functions that check a value and return it typed; no jax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.core.axis import as_plain_number, show_value, takes
from assay.errors import WrongLevel

PLAYGROUND = "MDP Playground"


def whole(value: Any) -> int:
    number = as_plain_number(value)
    if number is None or number % 1 != 0:  # infinity and NaN too
        raise WrongLevel(f"{show_value(value)} is not a whole number.")
    return int(number)


def is_function(value: Any) -> bool:
    """Whether a value names a function of the user's own, as "module:function"."""
    return isinstance(value, str) and ":" in value


@takes('the text "module:function" of a function that can be imported')
def function(value: Any) -> str:
    if value == "" or is_function(value):
        return value
    raise WrongLevel("a function is written module:function.")


def or_function(what: str, typing: Callable, arguments: str) -> Callable:
    """A typing function for what `typing` accepts, or for the name of a function of these arguments."""

    @takes(f'{what}, or the text "module:function" of a function {arguments}')
    def either(value: Any) -> Any:
        return function(value) if isinstance(value, str) and value else typing(value)

    return either
