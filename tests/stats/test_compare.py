"""Two sets of scores: worked by hand, then against scipy."""

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.stats.compare import Scale, auc, paired_effects, probability_of_improvement, scale

ONE = Scale(1.0, True, "")


def generator(seed=0):
    return np.random.default_rng(seed)


class TestScale:
    def test_by_hand(self):
        # Variances 0.02 over 2 each: error 0.141, 2 degrees of freedom, reach 0.608 < 1.
        found = scale(np.array([1.0, 1.2]), np.array([0.0, 0.2]))
        assert found == (pytest.approx(1.0), True, "", False)

    def test_an_agent_below_random_has_a_scale_too(self):
        assert scale(np.array([-2.0, -2.1]), np.array([0.0, 0.1])).value == pytest.approx(2.1)

    def test_an_agent_that_plays_like_chance_has_none(self):
        found = scale(np.array([0.0, 1.0, 2.0]), np.array([0.1, 1.1, 2.1]))
        assert not found.usable
        assert found.because == "plain play (1) cannot be told from random play (1.1)"

    @pytest.mark.parametrize("score", [0.0, 0.1 + 0.2, 1e12])
    def test_equal_scores_have_none(self, score):
        assert not scale(np.full(5, score), np.full(3, score)).usable


class TestEffects:
    def test_by_hand(self):
        varied = np.array([[1.0, 0.0], [3.0, 1.0]])
        effects = paired_effects(varied, np.array([1.0, 2.0]), Scale(2.0, True, ""))
        assert effects.tolist() == [[0.0, -0.5], [0.5, -0.5]]

    def test_without_a_scale_nothing_is_divided(self):
        effects = paired_effects(np.ones((3, 2)), np.ones(3), scale(np.ones(3), np.ones(3)))
        assert effects.shape == (3, 2)
        assert np.isnan(effects).all()

    def test_units_must_pair_up(self):
        with pytest.raises(AssayError, match="3 varied, 2 plain"):
            paired_effects(np.ones((3, 1)), np.ones(2), ONE)


class TestProbabilityOfImprovement:
    def test_by_hand(self):
        # 3 > 2, 3 > 0, 1 < 2, 1 > 0: three of four pairs.
        found = probability_of_improvement(
            np.array([[3.0], [1.0]]), np.array([[2.0], [0.0]]), rng=generator()
        )
        assert found == (0.75, 0.0, 1.0)

    def test_ties_count_half_tasks_the_same_and_one_seed_says_nothing(self):
        ours, theirs = np.array([[1.0, 5.0]]), np.array([[1.0, 0.0]])
        assert probability_of_improvement(np.vstack([ours] * 3), theirs, rng=generator()) == (0.75, 0.0, 1.0)

    @pytest.mark.parametrize("seed", range(5))
    def test_is_mann_whitneys_u(self, seed):
        rng = generator(seed)
        ours, theirs = rng.integers(6, size=(9, 3)), rng.integers(5, size=(12, 3))
        found = probability_of_improvement(ours, theirs, rng=rng)
        u = [stats.mannwhitneyu(ours[:, task], theirs[:, task]).statistic for task in range(3)]
        assert found.value == pytest.approx(np.mean(u) / (9 * 12))
        assert found.low < found.value < found.high

    def test_a_clean_sweep_is_not_certainty(self):
        ours, theirs = 1 + generator().random((10, 1)), generator(1).random((12, 1))
        found = probability_of_improvement(ours, theirs, rng=generator())
        # Newcombe's lower end solves (1 - p)^2 = t(20)^2 p (1 - p) (1 + 10 (...)) / 120: 0.7945.
        assert found == pytest.approx((1.0, 0.7945, 1.0), abs=1e-4)
        tied = probability_of_improvement(np.ones((10, 1)), np.ones((10, 1)), rng=generator())
        assert tied == pytest.approx((0.5, 0.2613, 0.7387), abs=1e-4)
        turned = probability_of_improvement(theirs, ours, rng=generator())
        assert turned == pytest.approx((0.0, 0.0, 1 - 0.7945), abs=1e-4)

    def test_a_chance_of_98_in_100_is_covered(self):
        # Three standard deviations apart: resampling alone covered 87%.
        rng, truth = generator(4), stats.norm.cdf(3 / np.sqrt(2))
        found = [
            probability_of_improvement(
                rng.normal(3, 1, (10, 1)), rng.normal(0, 1, (10, 1)), rng=rng, draws=300
            )
            for _ in range(200)
        ]
        assert np.mean([each.low <= truth <= each.high for each in found]) >= 0.93

    def test_equal_agents_are_called_different_seldom(self):
        # 300 data sets: more than 8% false alarms would come by chance once in 100 fresh seeds at a true 5%.
        rng = generator(3)
        pairs = [(rng.normal(size=(10, 2)), rng.normal(size=(10, 2))) for _ in range(300)]
        found = [probability_of_improvement(*pair, rng=rng, draws=500) for pair in pairs]
        assert np.mean([each.low > 0.5 or each.high < 0.5 for each in found]) <= 0.08

    def test_tasks_must_be_the_same(self):
        with pytest.raises(AssayError, match="2 of ours, 3 of theirs"):
            probability_of_improvement(np.ones((4, 2)), np.ones((4, 3)), rng=generator())


def test_auc_is_the_plain_mean_over_reports():
    assert auc(np.array([[0.0, 1.0, 2.0], [3.0, 3.0, 9.0]])).tolist() == [1.0, 5.0]
