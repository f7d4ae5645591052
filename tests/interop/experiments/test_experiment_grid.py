"""Grids and designs by hand, and what does not vary."""

import pytest

from assay.errors import AssayError
from assay.interop.experiments.grid import Range, read_points, read_range, varied_levels, without_seeds


def test_a_grid_by_hand_the_last_key_fastest():
    points = read_points({"var_configs": {"env": {"delay": [0, 1]}, "agent": {"lr": [0.1, 0.2]}}})
    assert [(point["env"]["delay"], point["agent"]["lr"]) for point in points] == [
        (0, 0.1), (0, 0.2), (1, 0.1), (1, 0.2),
    ]  # fmt: skip
    assert varied_levels(points) == {"delay": [0, 1], "agent.lr": [0.1, 0.2]}


def test_numbers_of_runs_are_seeds_and_no_points():
    points = read_points({"var_configs": {"env": {"delay": [0, 1], "dummy_seed": [0, 1, 2]}}})
    kept, seeds = without_seeds(points)
    assert [point["env"] for point in kept] == [{"delay": 0}, {"delay": 1}]
    assert seeds == 3


def test_an_empty_grid_is_one_point():
    assert without_seeds(read_points({"var_configs": {"env": {}}})) == (
        [{"env": {}, "agent": {}, "model": {}}],
        0,
    )


@pytest.mark.parametrize(
    ("text", "share", "value"),
    [
        ("float, [0.0, 2.0]", 0.25, 0.5),
        ("float, log, [1e-4, 1e-2]", 0.5, 1e-3),
        ("int, [1, 9]", 0.5, 5),
        ("int, log, [1, 100]", 0.5, 10),
        ("cat, [4, 8]", 0.5, 8),
    ],
)
def test_ranges_by_hand(text, share, value):
    found = read_range("sobol_configs", "key", text)
    assert found.at(share) == pytest.approx(value)


def test_a_tuple_is_one_value_and_the_upper_end_of_reward_dist_stays():
    names = {"num_configs": 4, "sobol_configs": {"env": {"delay": (2,), "reward_dist": "float, [0.0, 0.8]"}}}
    points = read_points(names)
    assert [point["env"]["delay"] for point in points] == [2, 2, 2, 2]
    # Sobol's first four numbers are 0, 1/2, 3/4 and 1/4.
    assert [point["env"]["reward_dist"] for point in points] == [
        [0.0, 1.0], [pytest.approx(0.4), 1.0], [pytest.approx(0.6), 1.0], [pytest.approx(0.2), 1.0],
    ]  # fmt: skip


def test_designs_go_together_point_by_point():
    names = {
        "num_configs": 3,
        "sobol_configs": {"env": {"delay": "cat, [0, 1]"}},
        "random_configs": {"env": {}, "agent": {"lr": "float, log, [1e-5, 1e-3]"}},
    }
    points = read_points(names)
    assert len(points) == 3
    assert all(1e-5 <= point["agent"]["lr"] <= 1e-3 and point["env"]["delay"] in (0, 1) for point in points)
    assert points == read_points(names)


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({}, "no var_configs"),
        ({"var_configs": {"env": {"delay": 3}}}, "delay is varied by a list"),
        ({"var_configs": {"world": {}}}, "not 'world'"),
        ({"var_configs": {"env": {"a": [0] * 1000, "b": [0] * 1000}}}, "more than 100,000 points"),
        ({"sobol_configs": {"env": {"delay": "cat, [1]"}}}, "needs num_configs"),
        ({"random_configs": [(1, 2)], "num_configs": 1}, "random_configs is a dict .* not a list"),
        ({"sobol_configs": {"env": {"delay": "float, log, [0, 1]"}}, "num_configs": 1}, "delay in sobol"),
        ({"sobol_configs": {"env": {"delay": "three"}}, "num_configs": 1}, "delay in sobol_configs"),
        (
            {"var_configs": {"env": {"a": [1]}}, "sobol_configs": {"env": {"b": (1,)}}, "num_configs": 2},
            r"\[1, 2\] points",
        ),
    ],
)
def test_refusals(names, why):
    with pytest.raises(AssayError, match=why):
        read_points(names)


def test_a_range_reaches_its_last_value_only_below_one():
    assert Range("cat", False, (1, 2, 3)).at(0.999) == 3
