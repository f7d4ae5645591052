"""At which steps a toy env pays what was earned: arithmetic on its params; no jax here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def steps_to_payment(settings: Any, others: Mapping[str, Any]) -> int:
    """How far past earning the gate looks: not at all, or to the step at which the delay pays."""
    if settings.gate == "completion" or "delay" not in others:
        return 0
    return others["delay"].value


def is_open(params: Any, time: Any) -> Any:
    """Whether the reward earned at this step is paid; an episode's first step has time 1."""
    return (time + params.gate_delay) % params.reward_every_n_steps == 0
