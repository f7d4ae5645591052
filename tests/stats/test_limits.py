"""Intervals that end where nothing is possible beyond."""

import math

from assay.stats.aggregate import Interval
from assay.stats.limits import ANYWHERE, LENGTH, REGRET, SHARE, Limits, cut


def test_ends_beyond_what_is_possible_are_cut():
    assert cut(Interval(0.33, -0.52, 1.6), SHARE) == (0.33, -0.52, 1.0)
    assert cut(Interval(39.1, -191.0, 181.9), REGRET) == (39.1, 0.0, 181.9)
    assert cut(Interval(23.3, -147.9, 194.5), LENGTH.both(Limits(high=100.0))) == (23.3, 0.0, 100.0)
    assert cut(Interval(0.9, 0.5, math.inf), SHARE) == (0.9, 0.5, 1.0)
    assert cut(Interval(0.9, 0.5, 1.3), ANYWHERE) == (0.9, 0.5, 1.3)


def test_what_was_seen_is_possible():
    """A mean of few episodes may lie above the optimum, which is a mean over all."""
    assert cut(Interval(1.02, 0.9, 1.2), SHARE) == (1.02, 0.9, 1.02)
    assert cut(Interval(-0.1, -0.4, 0.3), REGRET) == (-0.1, -0.1, 0.3)


def test_no_interval_stays_none():
    assert cut(Interval(0.5, -math.inf, math.inf), SHARE) == (0.5, -math.inf, math.inf)
