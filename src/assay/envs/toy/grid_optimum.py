"""The best possible return of `toy/grid`, exactly: backward induction over cells, noise included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.envs.toy.grid import find_ends_and_target
from assay.envs.toy.grid_params import Grid

LIMIT = 10**8  # cells x moves x steps


def find_optimum(settings: Grid, others: Mapping[str, Any]) -> tuple[float | None, str]:
    """The value and how it was found, or None and why it was not."""
    plain = {"hidden_mode": 0.0, "state_jump": 0.0, "delay": 0, "term_state_reward": 0.0, "reward_scale": 1.0,
             "reward_shift": 0.0, "reward_every_n_steps": 1}  # fmt: skip
    moved = [name for name, neutral in plain.items() if others.get(name, neutral) != neutral]
    if others.get("reward_noise_function"):
        moved.append("reward_noise_function")
    if moved:
        return None, f"{moved[0]} is not part of the computation"
    horizon = others.get("horizon", settings.horizon)
    ends, target = find_ends_and_target(settings)
    if ends.size * (2 * len(settings.grid_shape) + 1) * horizon > LIMIT:
        return None, "optimum unknown: too many cells and steps"
    value = best_return(
        settings.grid_shape, ends, target, settings.make_denser, others.get("transition_noise", 0.0), horizon
    )
    return value, "backward induction over the cells, by a policy that knows everything"


def best_return(
    shape: tuple[int, ...], ends: np.ndarray, target: tuple[int, ...], dense: bool, noise: float, horizon: int
) -> float:
    after = list_neighbours(shape)  # (moves, cells)
    apart = np.abs(np.indices(shape).reshape(len(shape), -1) - np.array(target)[:, None]).sum(0)
    reward = (apart - apart[after]).astype(float) if dense else (apart[after] == 0).astype(float)
    moves = len(after)
    value = np.zeros(ends.size)
    for _ in range(horizon):
        of_move = reward + np.where(ends, 0.0, value)[after]
        # With chance `noise` one of the other moves is made.
        others = (of_move.sum(0) - of_move) / (moves - 1)
        value = ((1 - noise) * of_move + noise * others).max(0)
    return float(value[~ends].mean())


def list_neighbours(shape: tuple[int, ...]) -> np.ndarray:
    """(moves, cells): the flat cell after each move."""
    cells = np.indices(shape).reshape(len(shape), -1)
    rows: list[Any] = [np.arange(cells.shape[1])]
    for dimension, size in enumerate(shape):
        for step in (-1, 1):
            neighbour = cells.copy()
            neighbour[dimension] = np.clip(neighbour[dimension] + step, 0, size - 1)
            rows.append(np.ravel_multi_index(neighbour, shape))
    return np.stack(rows)
