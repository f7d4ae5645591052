"""What every agent gives: `train(key, task, config) -> Trained` and `act(task, params, key, observation)`.

Both are pure and jittable, so seeds are a `vmap`; what happened in training is what `train` returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax

from assay.core.space import Discrete, Space
from assay.errors import AssayError, NotApplicable


class Report(NamedTuple):
    """What happened between two reports; means over the episodes that finished, NaN where none did."""

    step: jax.Array  # () int32, env steps so far
    score: jax.Array  # () float32, mean episode score
    length: jax.Array  # () float32, mean episode length
    episodes: jax.Array  # () int32


class Trained(NamedTuple):
    params: Any  # what `act` needs; a pytree of arrays
    reports: Report  # (reports,) each


def require_steps(agent: str, **counts: tuple[int, int]) -> None:
    """Refuses step counts that do not go up: name=(count, what it must be a multiple of)."""
    for name, (count, of) in counts.items():
        if of < 1 or count < of or count % of:
            least = max(of, 1)
            raise AssayError(f"{name} of {agent} must be {least} or a multiple of it, not {count}.")


def require_between(agent: str, low: float, high: float, **numbers: float) -> None:
    for name, number in numbers.items():
        if not low <= number <= high:
            raise AssayError(f"{name} of {agent} must lie between {low:g} and {high:g}, not at {number:g}.")


def any_spaces(spaces: dict[str, Space]) -> str:
    return ""


def numbered_actions(spaces: dict[str, Space]) -> str:
    """Why an agent that chooses one of a few actions cannot act in these spaces, or ""."""
    action = spaces["action"]
    if isinstance(action, Discrete) and not action.shape:
        return ""
    return "it chooses one number, and actions are " + (
        "several numbers" if isinstance(action, Discrete) else f"a Box of shape {action.shape}"
    )


def require_fit(agent: str, why: str) -> None:
    if why:
        raise NotApplicable(f"{agent} does not fit this task: {why}; try random.")


@dataclass(frozen=True)
class Agent:
    """An agent by its parts; `config` is the class of its settings, its defaults a published setting."""

    config: type
    train: Callable  # key, task, config -> Trained
    act: Callable  # task, params, key, observation -> action
    fits: Callable[[dict[str, Space]], str] = any_spaces  # why it cannot act in a task's spaces, or ""
