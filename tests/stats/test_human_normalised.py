import math

import numpy as np
import pytest

from assay.stats.aggregate import Interval
from assay.stats.human_normalised import expert_score, human_score


def test_expert_scores_are_on_the_scale_of_two_constants():
    assert expert_score(Interval(5, 4, 7), random=1, human=9) == (0.5, 0.375, 0.75)


def test_the_scale_has_no_sign_where_people_are_worse_than_random_play():
    # Boxing: people of the study scored -2.75, random play 1.5. An agent above both is above random play.
    assert expert_score(Interval(10, 10, 10), random=2, human=-2).value == 2


def test_the_score_by_people_is_hand_computed():
    score = human_score(np.array([4.0, 5, 6]), np.array([1.0, 1]), Interval(9, 9, 9))
    assert score.value == pytest.approx(0.5)
    assert score.low < 0.5 < score.high


def test_the_errors_of_people_count():
    agent, random = np.array([4.0, 5, 6, 5, 4, 6]), np.array([1.0, 1])
    sure, unsure = (human_score(agent, random, Interval(9, 9 - reach, 9 + reach)) for reach in (0, 3))
    assert unsure.high - unsure.low > sure.high - sure.low


def test_people_who_are_not_told_from_random_play_are_no_scale():
    assert human_score(np.array([4.0, 5, 6]), np.array([1.0, 2]), Interval(2, 0.04, 3.96)) is None


def test_people_whose_whole_interval_lies_above_random_play_are_a_scale():
    """Frostbite: people 1,373 [167, 2,834], random play 81. The longer end above is no doubt below."""
    random, agent = np.array([80.0, 82, 81, 81]), np.tile([599.0, 600, 601], 10)
    skewed = human_score(agent, random, Interval(1372.81, 167, 2834))
    assert skewed.value == pytest.approx((600 - 81) / (1372.81 - 81))
    # The ends are those of people who are as good, or as bad, as they may be, by Student's t.
    assert skewed.low == pytest.approx((600 - 81) / (2834 - 81), rel=0.05)
    assert skewed.high > (600 - 81) / (167 - 81)


def test_one_unit_has_no_interval():
    score = human_score(np.array([5.0]), np.array([1.0, 1]), Interval(9, 9, 9))
    assert score == (0.5, -math.inf, math.inf)
