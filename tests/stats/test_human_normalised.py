import math

import numpy as np
import pytest

from assay.stats.aggregate import Interval
from assay.stats.human_normalised import expert_score, human_score
from assay.stats.performance_change import Told


def test_expert_scores_are_on_the_scale_of_two_constants():
    assert expert_score(Interval(5, 4, 7), random=1, human=9) == (0.5, 0.375, 0.75)


def test_the_scale_has_no_sign_where_people_are_worse_than_random_play():
    # Boxing: people of the study scored -2.75, random play 1.5. An agent above both is above random play.
    assert expert_score(Interval(10, 10, 10), random=2, human=-2).value == 2


def test_the_score_by_people_is_hand_computed():
    score = human_score(np.array([4.0, 5, 6]), np.array([1.0, 1]), Told(9, 0.0))
    assert score.value == pytest.approx(0.5)
    assert score.low < 0.5 < score.high


def test_the_errors_of_people_count():
    agent, random = np.array([4.0, 5, 6, 5, 4, 6]), np.array([1.0, 1])
    sure, unsure = (human_score(agent, random, Told(9, error)) for error in (0.0, 1.5))
    assert unsure.high - unsure.low > sure.high - sure.low


def test_people_who_are_not_told_from_random_play_are_no_scale():
    assert human_score(np.array([4.0, 5, 6]), np.array([1.0, 2]), Told(2, 1.0)) is None


def test_one_unit_has_no_interval():
    score = human_score(np.array([5.0]), np.array([1.0, 1]), Told(9, 0.0))
    assert score == (0.5, -math.inf, math.inf)
