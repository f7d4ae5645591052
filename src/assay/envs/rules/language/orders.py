"""Orders as a rank for each cell, built-in and custom, on boards of any size."""

from __future__ import annotations

from collections.abc import Callable

from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.syntax import Order, Rule

Ranks = tuple[int, ...]  # the first entry is the rank of cell 1; ranks are 0, 1, 2, ... without gaps
Key = Callable[[Geometry, int], tuple[int, ...]]  # cells are ranked by ascending key

BUILT_IN: dict[str, Key] = {
    "L1": lambda board, cell: (-board.row_of(cell), board.column_of(cell)),
    "L2": lambda board, cell: (-board.row_of(cell), -board.column_of(cell)),
    "L3": lambda board, cell: (-board.column_of(cell), -board.row_of(cell)),
    "L4": lambda board, cell: (board.column_of(cell), -board.row_of(cell)),
    "T": lambda board, cell: (-board.row_of(cell),),
    "B": lambda board, cell: (board.row_of(cell),),
    "L": lambda board, cell: (board.column_of(cell),),
    "R": lambda board, cell: (-board.column_of(cell),),
    "NearestObject": lambda board, cell: (min(board.distances[cell - 1]),),
    "Farthest": lambda board, cell: (-min(board.distances[cell - 1]),),
}


def rank_built_in(name: str, geometry: Geometry) -> Ranks:
    keys = [BUILT_IN[name](geometry, cell) for cell in range(1, geometry.cells + 1)]
    places = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return tuple(places[key] for key in keys)


def rank_custom(order: Order, geometry: Geometry) -> Ranks:
    """Ranks by group; cells that are not listed share the last one, and a cell listed twice has its first.

    Groups of which no cell is on the board have no rank, so that ranks have no gaps.
    """
    ranks: dict[int, int] = {}
    next_rank = 0
    for group in order.groups:
        fresh = [cell for cell in group if 1 <= cell <= geometry.cells and cell not in ranks]
        ranks.update(dict.fromkeys(fresh, next_rank))
        next_rank += bool(fresh)
    return tuple(ranks.get(cell, next_rank) for cell in range(1, geometry.cells + 1))


def rank_orders(rule: Rule, geometry: Geometry) -> dict[str, Ranks]:
    """Every order that a rule may name; a custom one replaces a built-in one of its name."""
    ranks = {name: rank_built_in(name, geometry) for name in BUILT_IN}
    return ranks | {order.name: rank_custom(order, geometry) for order in rule.orders}
