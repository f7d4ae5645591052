"""Our spaces as Gymnasium's: whole numbers are int32 inside and int64 outside."""

from __future__ import annotations

import gymnasium
import numpy as np

from assay.core.space import Box, Discrete, Space
from assay.errors import NotApplicable


def outside(space: Space) -> gymnasium.Space:
    """The Gymnasium space of one of ours."""
    if isinstance(space, Discrete):
        if isinstance(space.n, int):
            return gymnasium.spaces.Discrete(space.n, start=space.start)
        return gymnasium.spaces.MultiDiscrete(list(space.n), start=np.full(space.shape, space.start))
    if isinstance(space, Box):
        low, high = (np.broadcast_to(edge, space.shape) for edge in (space.low, space.high))
        return gymnasium.spaces.Box(
            low.astype(space.dtype), high.astype(space.dtype), dtype=np.dtype(space.dtype).type
        )
    raise NotApplicable(f"a space of kind {space.what} belongs to its host; assay cannot rebuild it.")
