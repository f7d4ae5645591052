"""Which episodes are new: a bit-identical repetition of an episode is no second unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def distinct_pairs(plain: Sequence[str | None], varied: Sequence[str | None]) -> np.ndarray:
    """(units,) whether a pair's plain or varied episode differs from those of every pair before it.

    Both are digests of whole episodes. Equal scores say nothing: an agent may reach the same score from many
    starts. An episode without a digest (of an older run) counts as one that differs.
    """
    seen: set[tuple[str, str]] = set()
    new = []
    for pair in zip(plain, varied, strict=True):
        repeats = None not in pair and pair in seen
        new.append(not repeats)
        seen.add(pair)
    return np.array(new, bool)
