"""Measures: what an env tells of how an episode ended, beside its return. No jax here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

SHARE, DIFFERENCE = "share", "difference"


class Measure(NamedTuple):
    """One number of an episode's last state; where an env is no state but a host, its `info` tells it."""

    name: str  # in records, and in `info`
    of: Callable[[Any], Any]  # state -> number
    title: str = ""  # in reports; "" for what only records hold
    gap: str = SHARE  # what is lost from one task to another: a share of what was there, or a difference
    digits: int = 1  # behind the point, in reports
    range: tuple[float, float] | None = None  # in which it lies, whatever happens
