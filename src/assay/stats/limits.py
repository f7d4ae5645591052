"""What is possible: limits of a mean that are known beforehand, and intervals cut at them."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.stats.aggregate import Interval


class Limits(NamedTuple):
    """Where a mean can lie: a declared range, the optimum above, no length below 0; infinite if not known."""

    low: float = -math.inf
    high: float = math.inf

    def both(self, other: Limits) -> Limits:
        """The limits that hold where both do."""
        return Limits(max(self.low, other.low), min(self.high, other.high))

    def nearest(self, end: float, seen: float) -> float:
        """The possible value next to `end`; what was seen is possible in any case."""
        return max(min(end, max(self.high, seen)), min(self.low, seen))


ANYWHERE = Limits()
SHARE = Limits(high=1.0)  # no policy has a mean above the optimum of its task
REGRET = Limits(low=0.0)  # for the same reason
LENGTH = Limits(low=0.0)  # of an episode


def cut(interval: Interval, limits: Limits) -> Interval:
    """The interval, its ends no further than what is possible; one without any end says nothing and stays."""
    if math.isinf(interval.low) and math.isinf(interval.high):
        return interval
    value = interval.value
    return Interval(value, limits.nearest(interval.low, value), limits.nearest(interval.high, value))
