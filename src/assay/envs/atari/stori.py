"""What compat=stori changes beside rules: when its sudden drift comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.core.clock import EPISODES, Sudden


def stori_clock(clock: Any) -> Any:
    """STORI's sudden drift comes one step early; its other schedules are as ours."""
    in_steps = isinstance(clock, Sudden) and clock.unit != EPISODES
    return replace(clock, at=clock.at - 1) if in_steps else clock
