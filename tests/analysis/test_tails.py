"""Tails of tasks: where a range of scores is declared, it is the end that episodes cannot give."""

import math

import numpy as np
import pytest

from assay.analysis.pair_episodes import Episodes
from assay.analysis.tails import tails_of_pairs
from assay.errors import AssayError
from assay.plans.plan import ScoreRange

WON = Episodes(np.ones(100), np.zeros(100, int), ("{}",) * 100)


def test_a_declared_range_is_the_lower_end_of_what_no_episode_showed():
    (row,) = tails_of_pairs(["a"], [WON], False, {"a": ScoreRange(0.0, 1.0, True)})
    assert 0 < row.tails[0].score.low < 0.5 and row.tails[0].score.high == 1
    (bare,) = tails_of_pairs(["a"], [WON], False)
    assert all(tail.score.low == -math.inf for tail in bare.tails)


def test_scores_outside_the_declared_range_are_refused():
    with pytest.raises(AssayError, match="outside their limits from 2 to 3"):
        tails_of_pairs(["a"], [WON], False, {"a": ScoreRange(2.0, 3.0, False)})
