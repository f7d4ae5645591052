"""How many units: against the textbook, then against simulated runs."""

import math

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.stats.power import (
    FEWEST,
    Planned,
    chance_to_see,
    comparisons_behind,
    plan_columns,
    smallest_effect,
    units_needed,
    units_to_stand_apart,
)
from assay.stats.resampling import simultaneous


def test_half_a_spread_needs_34_pairs():
    assert units_needed(0.5, 1.0) == 34  # Cohen's table: two-sided 5%, power 80%
    assert units_needed(-50, 100.0) == 34


def test_many_units_need_the_normal_formula():
    # (1.95996 + 0.84162)^2 / 0.01^2 = 78,489; Student's t adds two.
    assert units_needed(0.01, 1.0) == pytest.approx(78_489, abs=4)


def test_smallest_effect_is_the_inverse():
    for comparisons in (1, 60):
        seen = smallest_effect(20, 0.3, comparisons=comparisons)
        assert units_needed(seen * 1.0001, 0.3, comparisons=comparisons) == 20
        assert chance_to_see(seen, 20, 0.3, comparisons=comparisons) == pytest.approx(0.8)


def test_more_comparisons_need_more_units():
    needed = [units_needed(0.5, 1.0, comparisons=count) for count in (1, 10, 60)]
    assert needed == sorted(needed)
    assert needed[0] < needed[1] < needed[2]


def test_standing_apart_by_hand():
    # t(10) = 2.228: with 11 units it is 0.672 spreads, with 10 units 0.715.
    assert units_to_stand_apart(0.7, 1.0, 10) == 11
    assert units_to_stand_apart(0.7, 1.0, FEWEST - 1) is None and units_to_stand_apart(0.0, 1.0, 10) is None


def test_a_plan_by_columns():
    column = np.array([0.5, -0.5, 0.5, -0.5, 0.5, -0.5])
    (alone,) = plan_columns(column[:, None], 0.5, step=0.01)
    assert alone == Planned(smallest_effect(6, column.std(ddof=1)), units_needed(0.5, column.std(ddof=1)))
    # One of 59 units that no one saw may lose all it can: ln(1 / 5%) / 0.05 = 59.9.
    (still,) = plan_columns(column[:, None] / 100, 0.05, step=1.0)
    assert still.needed == 60
    (few,) = plan_columns(column[: FEWEST - 1, None], 0.5, step=0.01)
    assert few.sees > 0 and few.needed is None
    assert plan_columns(np.zeros((6, 2)), 0.5, step=1.0) == [Planned(None, None)] * 2


def test_critical_value_and_comparisons_turn_into_each_other():
    assert comparisons_behind(stats.t.isf(0.025 / 60, 9), 10) == pytest.approx(60)
    assert comparisons_behind(1.0, 10) == 1.0


@pytest.mark.parametrize("units, effect", [(10, 0.0), (10, 1.5), (40, 0.6)])
def test_chance_against_simulation(units, effect):
    # 20,000 data sets, standard error at most 0.0036: off by 0.015 by chance less than once in 10,000.
    values = np.random.default_rng(1).normal(effect, 1, (20_000, units))
    t = values.mean(axis=1) / (values.std(axis=1, ddof=1) / math.sqrt(units))
    seen = (t > stats.t.isf(0.025 / 12, units - 1)).mean()
    assert chance_to_see(effect, units, 1.0, comparisons=12) == pytest.approx(seen, abs=0.015)


def test_a_plan_from_one_run_holds_for_the_intervals_of_the_next():
    """The number of units named after a small run does see the effect, by the intervals that are used."""
    rng = np.random.default_rng(2)

    def run(units, effect):
        shared = rng.normal(size=(units, 1))
        effects = 0.6 * shared + 0.8 * rng.normal(size=(units, 30))
        effects[:, 0] += effect
        return simultaneous(effects, rng=rng, draws=500)

    comparisons = comparisons_behind(run(10, 0.0).critical, 10)
    units = units_needed(0.7, 1.0, comparisons=comparisons)
    seen = np.mean([run(units, 0.7).low[0] > 0 for _ in range(200)])
    assert 0.7 < seen < 0.95  # 80% was asked for; 0.7 is 3.5 standard errors away


def test_what_cannot_be_planned_is_an_error():
    with pytest.raises(AssayError, match="effect of 0"):
        units_needed(0.0, 1.0)
    with pytest.raises(AssayError, match="spread"):
        units_needed(0.5, 0.0)
    assert smallest_effect(1, 1.0) == math.inf
