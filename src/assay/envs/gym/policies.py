"""Policies with long episodes, for envs in which a random policy soon fails: the laws check long play too."""

from __future__ import annotations

from typing import Any


def balance_pole(observation: Any) -> int:
    """CartPole: pushes the cart to the side to which the pole falls, and a little to the middle."""
    position, speed, angle, turning = observation
    return int(angle + 0.3 * turning + 0.02 * position + 0.06 * speed > 0)
