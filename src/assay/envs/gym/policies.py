"""Policies that live long where a random one soon falls, so that long episodes are checked too."""

from __future__ import annotations

from typing import Any


def balance_pole(observation: Any) -> int:
    """Pushes the cart towards the side to which its pole falls, and a little towards the middle."""
    place, speed, angle, turning = observation
    return int(angle + 0.3 * turning + 0.02 * place + 0.06 * speed > 0)
