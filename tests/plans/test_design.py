"""Designs: every combination, points in ranges, and each refusal."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.plans.design import Factor, design_points, parse_factor, split_point


def test_a_grid_is_every_combination_the_last_name_fastest():
    found = design_points(
        [parse_factor("delay", "0,2"), parse_factor("sequence_length", "1,2,3")], "grid", None
    )
    assert [tuple(point.values()) for point in found] == [(0, 1), (0, 2), (0, 3), (2, 1), (2, 2), (2, 3)]


def test_a_range_is_filled_evenly_by_sobol():
    found = design_points(
        [parse_factor("a", "0.0:2.0"), parse_factor("b", "10:13"), parse_factor("c", "x,y")], "sobol", 64
    )
    a, b, c = (np.array([point[name] for point in found]) for name in "abc")
    assert np.histogram(a, bins=4, range=(0, 2))[0].tolist() == [16] * 4
    assert np.bincount(b)[10:].tolist() == [16] * 4 and (c == "x").sum() == 32


def test_a_logarithmic_range_has_as_much_in_every_decade():
    found = design_points([parse_factor("agent.learning_rate", "1e-5:1e-1:log")], "sobol", 64)
    decades = np.floor(np.log10([point["agent.learning_rate"] for point in found]))
    assert np.unique(decades, return_counts=True)[1].tolist() == [16] * 4


def test_random_points_are_those_of_the_seed():
    factors = [parse_factor("a", "0.0:1.0")]
    assert (
        design_points(factors, "random", 5)
        == design_points(factors, "random", 5)
        != design_points(factors, "random", 5, seed=1)
    )
    assert len({point["a"] for point in design_points(factors, "random", 5)}) == 5


def test_settings_of_the_agent_are_told_by_their_name():
    assert split_point({"delay": 2, "agent.batch": 8}) == ({"delay": 2}, {"batch": 8})


def test_whole_numbers_reach_both_ends():
    assert [Factor("n", low=1, high=3, whole=True).at(share) for share in (0.0, 0.34, 0.99)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("written", "says"), [("5:1", "is not a range"), ("0:1:log", "low above 0"), ("1:2:3", "is not a range")]
)
def test_bad_ranges(written, says):
    with pytest.raises(AssayError, match=says):
        parse_factor("a", written)


@pytest.mark.parametrize(
    ("factors", "design", "count", "says"),
    [
        (["a=0.0:1.0"], "grid", None, "a is a range"),
        (["a=1,2"], "grid", 3, "drop --points"),
        (["a=1,2"], "sobol", None, "--points 20"),
        (["a=1,2"], "latin", None, "grid, random, sobol"),
        (["a=1,2", "a=3"], "grid", None, "varied twice"),
        ([], "grid", None, "something to vary"),
    ],
)
def test_bad_designs(factors, design, count, says):
    with pytest.raises(AssayError, match=says):
        design_points([parse_factor(*each.split("=")) for each in factors], design, count)
