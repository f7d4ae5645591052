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


def require_numbered(agent: str, actions: Space) -> None:
    """Refuses actions that are not one whole number each."""
    if not isinstance(actions, Discrete):
        raise NotApplicable(
            f"{agent} chooses among numbered actions, and this task's are a {type(actions).__name__} "
            f"of shape {actions.shape}; try random."
        )
    if actions.shape:
        raise NotApplicable(
            f"{agent} chooses one number, and this task's actions are {len(actions.n)} of them, of sizes "
            f"{list(actions.n)}; try random."
        )


@dataclass(frozen=True)
class Agent:
    """An agent by its parts; `config` is the class of its settings, its defaults a published setting."""

    config: type
    train: Callable  # key, task, config -> Trained
    act: Callable  # task, params, key, observation -> action
