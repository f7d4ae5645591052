"""Functions of the user's own that a task's text names: imported, and tabulated where that is possible.

A function of a state and an action of toy/discrete may be any Python: it is called once for each pair of them
when the env is built. Functions of values that cannot be counted are traced instead; see
`traced_functions.py`. No jax here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.axis import show_value
from assay.envs.own_function import import_function
from assay.envs.toy.discrete_params import Discrete
from assay.envs.toy.setting_types import is_function, whole
from assay.errors import WrongLevel


def load_function(key: str, text: str) -> Callable:
    """The function that the setting `key` names."""
    return import_function(text, f"{key}={text!r}")


def tabulate(settings: Discrete) -> Discrete:
    """The settings with a table for each function of a state, or of a state and an action."""
    if is_function(settings.transition_function):
        settings = replace(settings, transition_function=tabulate_successors(settings))
    if is_function(settings.terminal_states):
        ends = tabulate_terminals(settings)
        # An empty list means that the density decides, so a function without terminal states sets it to 0.
        settings = replace(settings, terminal_states=ends)
        if not ends:
            settings = replace(settings, terminal_state_density=0.0)
    return settings


def count_states(settings: Discrete) -> int:
    if settings.transition_function and not is_function(settings.transition_function):
        return len(settings.transition_function)
    return settings.state_space_size or count_actions(settings) * settings.diameter


def count_actions(settings: Discrete) -> int:
    sizes = settings.action_space_size
    return sizes[0] if isinstance(sizes, (tuple, list)) else sizes


def tabulate_successors(settings: Discrete) -> tuple:
    """Row s, column a: the state after."""
    text, states = settings.transition_function, count_states(settings)
    function = load_function("transition_function", text)
    return tuple(
        tuple(
            find_successor(function, text, states, state, action) for action in range(count_actions(settings))
        )
        for state in range(states)
    )


def find_successor(function: Callable, text: str, states: int, state: int, action: int) -> int:
    where = f"for state {state} and action {action}"
    result = call_function("transition_function", text, function, where, state, action)
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


def tabulate_terminals(settings: Discrete) -> tuple[int, ...]:
    text = settings.terminal_states
    function = load_function("terminal_states", text)
    return tuple(
        state
        for state in range(count_states(settings))
        if ask_yes_or_no("terminal_states", text, function, f"for state {state}", state)
    )


def ask_yes_or_no(key: str, text: str, function: Callable, where: str, *arguments: Any) -> bool:
    result = np.asarray(call_function(key, text, function, where, *arguments))
    if result.shape or result.dtype.kind not in "biu":
        raise WrongLevel(f"{key}={text} returns {show_value(result)} {where}; it returns True or False.")
    return bool(result)


def call_function(key: str, text: str, function: Callable, where: str, *arguments: Any) -> Any:
    """What the user's function returns; any exception of its becomes a WrongLevel."""
    try:
        return function(*arguments)
    except Exception as error:
        raise WrongLevel(
            f"{key}={text} fails {where} ({describe_error(error)}); correct the function."
        ) from None


def describe_error(error: Exception) -> str:
    """An error of the user's code in one short line."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:120].rstrip('.')}".rstrip(": ")
