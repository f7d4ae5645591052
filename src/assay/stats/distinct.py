"""Whether episodes tell anything new: where all of them are one episode, bit by bit, there is one unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def distinct_pairs(plain: Sequence[str | None], varied: Sequence[str | None]) -> np.ndarray:
    """(units,) the pairs of episodes that count, given the digests of whole episodes.

    Where every pair is the same, nothing was drawn, and the first alone counts. Where some differ, chance is
    at work, and pairs that came out alike are draws like any other: to count them once would take the
    frequency, which is the effect, out of the mean. Equal scores say nothing, and an episode without a digest
    (of an older run) counts.
    """
    pairs = list(zip(plain, varied, strict=True))
    told = [pair for pair in pairs if None not in pair]
    one = len(told) == len(pairs) > 1 and len(set(pairs)) == 1
    return np.array([not one or place == 0 for place in range(len(pairs))], bool)
