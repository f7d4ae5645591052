"""The best possible return of `toy/continuous`, where it can be computed: order 1 without chance or cost.

The dense reward adds up to the distance at the start less that at the end. Each coordinate moves by at most
its reach per step, whatever the others do, so the nearest one can come in so many steps is known, and with it
the best return of each start. The mean over starts is taken on a fine grid of midpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.envs.toy.continuous_params import Continuous

POINTS = {1: 2_000_000, 2: 1000, 3: 160}  # per relevant dimension
PLAIN = {
    "hidden_mode": 0.0, "state_jump": 0.0, "action_loss_weight": 0.0, "transition_noise": 0.0, "delay": 0,
    "reward_noise": 0.0, "reward_noise_function": "", "term_state_reward": 0.0, "reward_scale": 1.0,
    "reward_shift": 0.0, "reward_every_n_steps": 1,
}  # fmt: skip
FIELDS = ("time_unit", "inertia", "target_radius", "horizon")


def find_optimum(settings: Continuous, others: Mapping[str, Any]) -> tuple[float | None, str]:
    """The value and how it was found, or None and why it was not."""
    values = {name: others.get(name, getattr(settings, name)) for name in FIELDS}
    moved = [name for name, neutral in PLAIN.items() if others.get(name, neutral) != neutral]
    size = settings.state_space_dim
    relevant = settings.relevant_indices or tuple(range(size))
    if moved:
        return None, f"{moved[0]} is not part of the computation"
    if settings.transition_function or settings.transition_noise_function:
        return None, "what a function of your own does is not part of the computation"
    if settings.transition_dynamics_order > 1 or settings.reward_function != "move_to_a_point":
        return None, "known for order 1 and a target only"
    if settings.terminal_states:
        return None, "terminal boxes are not part of the computation"
    if len(relevant) not in POINTS:
        return None, f"known for up to {max(POINTS)} relevant dimensions, not {len(relevant)}"
    side, force, inertia = (
        np.broadcast_to(np.asarray(value, float), (size,))[list(relevant)]
        for value in (settings.state_space_max, settings.action_space_max, values["inertia"])
    )
    reach = force * values["time_unit"] / inertia
    if reach.max() < values["target_radius"]:
        return None, "a step is shorter than the target's radius, so its middle cannot be reached"
    targets = np.array(settings.target_point or [(0.0,) * len(relevant)], float)
    value = mean_over_starts(
        side, targets, reach, values["target_radius"], values["horizon"], settings.make_denser
    )
    return value, "from every start straight to the target, averaged over a grid of starts"


def mean_over_starts(
    side: np.ndarray, targets: np.ndarray, reach: np.ndarray, radius: float, horizon: int, dense: bool
) -> float:
    """(relevant,) half sides and reaches, (targets, relevant) targets."""
    count = POINTS[len(side)]
    lines = [((np.arange(count) + 0.5) / count * 2 - 1) * half for half in side]
    total, starts = 0.0, 0
    for rows in np.array_split(lines[0], max(1, count ** (len(side) - 1) * count // 2_000_000)):
        grid = np.meshgrid(rows, *lines[1:], indexing="ij")
        positions = np.stack(grid, axis=-1)[..., None, :]  # (..., 1, relevant)
        apart = np.abs(positions - targets)  # (..., targets, relevant)
        first = np.sqrt((apart**2).sum(-1)).min(-1)
        left = np.maximum(apart - horizon * reach, 0.0)
        last = np.sqrt((left**2).sum(-1)).min(-1)
        outside = first >= radius
        gained = first - last if dense else (last < radius).astype(float)
        total += float((gained * outside).sum())
        starts += int(outside.sum())
    return total / starts
