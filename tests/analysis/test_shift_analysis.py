"""The findings of induced-policy shift: units, intervals, the rank of gaps, and the states that are shown."""

import numpy as np
import pytest

from assay.analysis.shift import (
    Extent,
    Place,
    Told,
    Values,
    choose_moments,
    judge_gap,
    judge_level,
    rank_gaps,
    values_of_level,
)

A, B = np.array([1.0, 0.0]), np.array([0.0, 1.0])
RNG = np.random.default_rng


def told(*episodes, plain_scores=None, varied_scores=None):
    """Episodes as texts: `.` is a state in which nothing changes, `x` one in which the choice does."""
    plain = [np.stack([A for _ in states]) for states in episodes]
    varied = [np.stack([B if state == "x" else A for state in states]) for states in episodes]
    none = np.zeros(len(episodes))
    return Told(plain, varied, none if plain_scores is None else np.array(plain_scores, float),
                none if varied_scores is None else np.array(varied_scores, float))  # fmt: skip


def extent(looks=True):
    return Extent(states=4.0, actions=2, score=10.0, looks=looks)


def test_the_units_of_one_policy_are_its_episodes_and_each_counts_alike():
    values = values_of_level([told("x...", "xx", plain_scores=[5, 7], varied_scores=[1, 7])])
    assert values.distance.tolist() == [0.25, 1.0] and values.changed.tolist() == [0.25, 1.0]
    assert values.gap.tolist() == [4, 0]


def test_the_units_of_several_policies_are_their_means():
    first = told("x...", "xx..", plain_scores=[5, 7], varied_scores=[1, 7])
    values = values_of_level([first, told("....", "....")])
    assert values.distance.tolist() == [0.375, 0.0] and values.gap.tolist() == [2, 0]


def test_states_of_one_episode_are_no_units():
    """Ten episodes that change everywhere or nowhere leave a wide interval, however many states they have."""
    widths = []
    for states in (4, 400):
        values = values_of_level([told(*["x" * states] * 5, *["." * states] * 5)])
        found = judge_level("axis", "1", values, extent()._replace(states=states), RNG(0))
        assert found.distance.value == 0.5
        widths.append(found.distance.high - found.distance.low)
    assert widths[0] == pytest.approx(widths[1]) and widths[1] > 0.6


def test_an_axis_without_effect_has_a_shift_of_zero_and_an_end_above():
    values = values_of_level([told(*["...."] * 10, plain_scores=[3] * 10, varied_scores=[3] * 10)])
    found = judge_level("axis", "1", values, extent(), RNG(0))
    for each in (found.distance, found.divergence, found.changed):
        # Units that change wholly may go unseen: where 26% do, one of twenty tens shows none.
        assert each.value == 0 and each.low == 0 and each.high > 1 - 0.05**0.1


def test_an_agent_that_never_looks_has_exactly_no_shift():
    found = judge_level("axis", "1", values_of_level([told("....", "....")]), extent(looks=False), RNG(0))
    for each in (found.distance, found.divergence, found.changed, found.gap):
        assert (each.value, each.low, each.high) == (0, 0, 0)


def test_no_interval_goes_beyond_what_is_possible():
    values = values_of_level([told("xxxx", "xxx.", "....")])
    found = judge_level("axis", "1", values, extent(), RNG(0))
    assert found.distance.low >= 0 and found.distance.high <= 1
    assert found.divergence.high <= np.log(2e6)


def test_one_unit_has_no_interval():
    assert judge_gap(np.array([2.0]), 5.0, RNG(0)).low is None


def test_the_rank_of_gaps_needs_five_axes():
    units = np.arange(4.0)[:, None]
    levels = [Values(*[np.full(4, i) + 0.1 * units[:, 0]] * 4) for i in range(5)]
    assert rank_gaps(levels[:4], RNG(0)) is None
    found = rank_gaps(levels, RNG(0))
    assert found.rho.value == pytest.approx(1) == found.rho.low and found.axes == 5


def test_the_states_shown_change_most_and_are_of_several_levels_and_states():
    mixed = np.array([0.6, 0.4])
    weak = Told([np.stack([A, A])], [np.stack([A, mixed])], np.zeros(1), np.zeros(1))
    # By level, then by policy: the strong level has two episodes, the weak one a state that changes less.
    places = choose_moments([[told(".x..", "..x.")], [weak], [told("....")]], count=3)
    assert places == [Place(0, 0, 0, 1), Place(0, 0, 1, 2), Place(1, 0, 0, 1)][: len(places)]
    assert {place.level for place in places} == {0, 1}  # never one in which nothing changed
    # Both levels change state 1 of episode 0 most; the second one shows another state, where it has one.
    places = choose_moments([[told("x...")], [told("x...", ".x..")]], count=2)
    assert places == [Place(0, 0, 0, 0), Place(1, 0, 1, 1)]


@pytest.mark.parametrize("episodes, share", [(3, 0.2), (10, 0.05), (10, 0.5)])
def test_intervals_hold_for_episodes_that_change_wholly_or_not_at_all(episodes, share):
    rng, held, repeats = np.random.default_rng(episodes), 0, 100
    for _ in range(repeats):
        kept = ["xxxx" if rng.random() < share else "...." for _ in range(episodes)]
        values = values_of_level([told(*kept)])
        found = judge_level("axis", "1", values, extent(), RNG(0)).changed
        held += found.low <= share <= found.high
    assert held >= 0.95 * repeats


def test_axes_that_are_all_alike_are_not_ranked():
    values = [values_of_level([told("....", "....")]) for _ in range(6)]
    assert rank_gaps(values, RNG(0)) is None
