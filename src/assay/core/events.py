"""What a variation reports of a step: whether it could have acted, whether it did, and what came of it.

Reports arrive in `info` under one reserved key, by the name of the axis, where somebody asked for them. No
jax here: hosts report too. What native tasks report is computed in `reports.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

EVENTS = "events"  # the key of `info`


class EventReport(NamedTuple):
    """One variation in one step; of many lanes each entry is an array, one value per lane."""

    opportunity: Any  # bool: the variation could have acted
    event: Any  # bool: it did
    detail: Any = None  # a number or an array, which the variation's documentation explains; None: nothing


def can_act(level: Any, neutral: Any) -> Any:
    """Whether a variation at this level could act at all: at its neutral level it changes nothing, so that
    one whose schedule is off has no opportunity. Levels that are no single number are left to the variation.
    """
    return True if np.ndim(level) or np.ndim(neutral) or neutral is None else level != neutral


class StepTaken(NamedTuple):
    """One step of an episode, as transcripts keep it."""

    action: Any
    executed: Any
    reward: float
    score: float
    terminated: bool
    truncated: bool
    events: dict[str, EventReport]  # by name of the axis
