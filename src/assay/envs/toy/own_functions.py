"""Functions of the user's own, named in a task's text: found by import, and tabulated where that is possible.

A function of a state and an action of toy/discrete may be any Python: it is asked once for each of them when
the env is built. What cannot be counted is traced instead; see `traced.py`. No jax here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.axis import show_value
from assay.core.own_function import import_function
from assay.envs.toy.discrete_params import Discrete
from assay.envs.toy.setting_types import is_function, whole
from assay.errors import WrongLevel


def load_function(key: str, text: str) -> Callable:
    """The function that the setting `key` names."""
    return import_function(text, f"{key}={text!r}")


def tabulate(settings: Discrete) -> Discrete:
    """The settings with a table for each function of a state, or of a state and an action."""
    if is_function(settings.transition_function):
        settings = replace(settings, transition_function=successors(settings))
    if is_function(settings.terminal_states):
        ends = terminals(settings)
        # Where none is terminal the density says so: an empty list would leave it at its plain value.
        told = {"terminal_states": ends} if ends else {"terminal_states": (), "terminal_state_density": 0.0}
        settings = replace(settings, **told)
    return settings


def states_of(settings: Discrete) -> int:
    if settings.transition_function and not is_function(settings.transition_function):
        return len(settings.transition_function)
    return settings.state_space_size or actions_of(settings) * settings.diameter


def actions_of(settings: Discrete) -> int:
    asked = settings.action_space_size
    return asked[0] if isinstance(asked, (tuple, list)) else asked


def successors(settings: Discrete) -> tuple:
    """Row s, column a: the state after."""
    text, states = settings.transition_function, states_of(settings)
    function = load_function("transition_function", text)
    return tuple(
        tuple(successor(function, text, states, state, action) for action in range(actions_of(settings)))
        for state in range(states)
    )


def successor(function: Callable, text: str, states: int, state: int, action: int) -> int:
    where = f"for state {state} and action {action}"
    result = answer("transition_function", text, function, where, state, action)
    try:
        after = whole(result)
    except WrongLevel:
        after = -1
    if not 0 <= after < states:
        raise WrongLevel(
            f"transition_function={text} returns {show_value(result)} {where}; it returns a state from 0 to "
            f"{states - 1}."
        )
    return after


def terminals(settings: Discrete) -> tuple[int, ...]:
    text = settings.terminal_states
    function = load_function("terminal_states", text)
    return tuple(
        state
        for state in range(states_of(settings))
        if yes_or_no("terminal_states", text, function, f"for state {state}", state)
    )


def yes_or_no(key: str, text: str, function: Callable, where: str, *arguments: Any) -> bool:
    result = np.asarray(answer(key, text, function, where, *arguments))
    if result.shape or result.dtype.kind not in "biu":
        raise WrongLevel(f"{key}={text} returns {show_value(result)} {where}; it returns True or False.")
    return bool(result)


def answer(key: str, text: str, function: Callable, where: str, *arguments: Any) -> Any:
    """What the user's function says, whatever it may raise."""
    try:
        return function(*arguments)
    except Exception as error:
        raise WrongLevel(f"{key}={text} fails {where} ({say_error(error)}); mend it.") from None


def say_error(error: Exception) -> str:
    """An error of somebody's code in a few words."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:120].rstrip('.')}".rstrip(": ")
