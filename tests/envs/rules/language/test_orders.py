"""Orders as ranks: the built-in ones by hand on the usual board, custom ones with ties."""

from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.language.orders import rank_built_in, rank_custom, rank_orders
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.syntax import Order


def groups(name: str, geometry: Geometry = STANDARD) -> list[list[int]]:
    ranks = rank_built_in(name, geometry)
    return [[i + 1 for i, rank in enumerate(ranks) if rank == each] for each in range(max(ranks) + 1)]


def test_reading_orders():
    assert groups("L1")[:3] + groups("L1")[5:8] == [[31], [32], [33], [36], [25], [26]]
    assert groups("L2")[:3] == [[36], [35], [34]] and groups("L2")[-1] == [1]
    assert groups("L3")[:3] == [[36], [30], [24]] and groups("L3")[-1] == [1]
    assert groups("L4")[:3] == [[31], [25], [19]] and groups("L4")[-1] == [6]


def test_rows_and_columns_are_tied():
    assert groups("T")[0] == [31, 32, 33, 34, 35, 36] and groups("B") == groups("T")[::-1]
    assert groups("L")[0] == [1, 7, 13, 19, 25, 31] and groups("R") == groups("L")[::-1]


def test_distance_groups():
    assert groups("NearestObject") == [
        [1, 6, 31, 36],
        [2, 5, 7, 12, 25, 30, 32, 35],
        [8, 11, 26, 29],
        [3, 4, 13, 18, 19, 24, 33, 34],
        [9, 10, 14, 17, 20, 23, 27, 28],
        [15, 16, 21, 22],
    ]
    assert groups("Farthest") == groups("NearestObject")[::-1]


def test_another_size():
    assert groups("L1", Geometry(3, 2, 4)) == [[4], [5], [6], [1], [2], [3]]


def test_cells_that_are_not_listed_come_last_together():
    assert rank_custom(Order("X", ((3,), (1, 2))), Geometry(5, 1, 4)) == (1, 1, 0, 2, 2)


def test_cells_that_are_not_there_and_repetitions_have_no_rank():
    assert rank_custom(Order("X", ((9,), (2,), (2, 1))), Geometry(3, 1, 4)) == (1, 0, 2)


def test_a_custom_order_replaces_a_built_in_one():
    ranks = rank_orders(parse("Order T=[1]\n(pos:T)"), STANDARD)
    assert ranks["T"][0] == 0 and set(ranks["T"][1:]) == {1} and ranks["B"] == rank_built_in("B", STANDARD)
