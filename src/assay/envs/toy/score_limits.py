"""Where the score of an episode of a toy task can lie, by its settings alone; no jax here.

A score is the sum of the rewards that the env itself pays: delays, noise, factors and what else acts on the
reward beside the state are not in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.envs.toy.continuous_params import Continuous
from assay.envs.toy.discrete_params import Discrete
from assay.envs.toy.grid_params import Grid
from assay.envs.toy.setting_types import is_function

ROUNDING = 1e-5  # of sums of rewards in 32 bits, as a share of their size
Ends = tuple[float, float]


def of_discrete(settings: Discrete, others: Mapping[str, Any], steps: int) -> Ends | None:
    """At most one sequence is completed in a step; what functions pay and what prefixes add is not known."""
    length, paid = settings.sequence_length, settings.reward_dist
    if settings.reward_function:
        length, paid = 1, settings.reward_function if is_function(settings.reward_function) else [
            each for row in settings.reward_function for each in row
        ]  # fmt: skip
    elif settings.rewardable_sequences:
        length = len(settings.rewardable_sequences[0][0])
        paid = [reward for _, reward in settings.rewardable_sequences]
    if is_function(paid) or (settings.make_denser and length > 1):
        return None
    often = times_open(settings, others, steps, length)
    return with_rounding(often * min(0.0, *paid), often * max(0.0, *paid))


def of_grid(settings: Grid, others: Mapping[str, Any], steps: int) -> Ends | None:
    if not settings.make_denser:
        return 0.0, 1.0  # arriving ends the episode
    target = settings.target_point or [each - 1 for each in settings.grid_shape]
    farthest = sum(max(at, size - 1 - at) for at, size in zip(target, settings.grid_shape))
    return gained(settings, others, steps, float(farthest))


def of_continuous(settings: Continuous, others: Mapping[str, Any], steps: int) -> Ends | None:
    if settings.reward_function != "move_to_a_point":
        return None
    if not settings.make_denser:
        return 0.0, 1.0  # arriving ends the episode
    count = settings.state_space_dim
    side = settings.state_space_max
    sides = [side] * count if isinstance(side, int | float) else list(side)
    counts = settings.relevant_indices or range(count)
    targets = settings.target_point or [[0.0] * len(counts)]
    farthest = min(
        math.hypot(*(sides[index] + abs(at) for index, at in zip(counts, target))) for target in targets
    )
    low, high = gained(settings, others, steps, farthest)
    return low - ROUNDING * farthest, high + ROUNDING * farthest


def gained(settings: Grid | Continuous, others: Mapping[str, Any], steps: int, farthest: float) -> Ends:
    """The distance that is gained: from first to last where every step is paid, else one step at a time."""
    often = times_open(settings, others, steps, 1)
    most = farthest if often == steps else often * farthest
    return -most, most


def times_open(
    settings: Discrete | Grid | Continuous, others: Mapping[str, Any], steps: int, every: int
) -> int:
    """How often the gate can be open in so many steps; `every` is the plain distance."""
    every = others.get("reward_every_n_steps", settings.reward_every_n_steps) or every
    return -(-steps // every) if settings.gate == "handout" else steps // every


def with_rounding(low: float, high: float) -> Ends:
    """Both ends a little further, unless sums of them are exact."""
    room = 0.0 if low == int(low) and high == int(high) else ROUNDING * max(-low, high)
    return low - room if low else low, high + room if high else high
