"""Which episodes count as units: where all of them are the same, bit by bit, there is one unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def distinct_pairs(plain: Sequence[str | None], varied: Sequence[str | None]) -> np.ndarray:
    """Which pairs of episodes count, as (units,) bools, by the digests of whole episodes.

    Where every pair is the same, nothing is random, and only the first counts. Where some differ, episodes
    are random, and equal pairs are draws like any other: counting them once would remove their frequency,
    which is part of the effect, from the mean. Equal scores prove nothing, and an episode without a digest
    (of an older run) counts.
    """
    pairs = list(zip(plain, varied, strict=True))
    digested = [pair for pair in pairs if None not in pair]
    all_same = len(digested) == len(pairs) > 1 and len(set(pairs)) == 1
    return np.array([not all_same or number == 0 for number in range(len(pairs))], bool)
