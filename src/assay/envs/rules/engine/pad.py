"""From a rule's lists to its tables, padded to sizes that may be those of many rules.

The leaves are arrays of numpy until rules are stacked: to make thousands of small jax arrays takes minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.envs.rules.engine.bits import bit_sets
from assay.envs.rules.engine.conditions import LAST_RANK
from assay.envs.rules.engine.draft import KINDS, Draft, FactorDraft, Kind, ListDraft, Slot
from assay.envs.rules.engine.sizes import Sizes
from assay.envs.rules.engine.tables import Factors, Tables
from assay.errors import AssayError


def pad(draft: Draft, sizes: Sizes, own: Sizes) -> Tables:
    """The tables of a rule whose own sizes are `own`, as large as `sizes`."""
    if not sizes.holds(own):
        raise AssayError(f"a rule of sizes {own} does not fit into {sizes}; take `common_sizes` of both.")
    leaves: dict[str, Any] = {
        **_pad_lines(draft, sizes),
        **_pad_atoms(draft, sizes),
        **_pad_positions(draft, sizes),
        **_pad_memories(draft, sizes),
        **{kind: _pad_factors(draft, kind, sizes) for kind in KINDS},
    }
    return Tables(**leaves, entries=_fill((sizes.entries,), draft.entries, np.uint32), sizes=sizes)


def _pad_lines(draft: Draft, sizes: Sizes) -> dict[str, Any]:
    counts = np.zeros((sizes.lines, sizes.atoms), np.int32)
    for each in draft.atoms:
        counts[each.slot] = each.count
    return {
        "lines": np.int32(len(draft.line_counts)),
        "line_count": _fill((sizes.lines,), draft.line_counts),
        "atom_count": counts,
    }


def _pad_atoms(draft: Draft, sizes: Sizes) -> dict[str, Any]:
    rows = {_flat(each.slot, sizes): each for each in draft.atoms}
    every = [rows.get(a) for a in range(sizes.lines * sizes.atoms)]
    buckets = np.array([each.buckets if each else 0 for each in every], np.uint32)

    def sets(name: str, count: int) -> Any:
        return _sets([getattr(each, name) if each else set() for each in every], count)

    return {
        "buckets": buckets,
        "shapes": sets("shapes", sizes.shapes + 1),
        "colors": sets("colors", sizes.colors + 1),
        "cells": sets("cells", sizes.cells + 1),
    }


def _pad_positions(draft: Draft, sizes: Sizes) -> dict[str, Any]:
    ranks = np.full((sizes.orders, sizes.cells + 1), LAST_RANK, np.int32)
    for order, each in enumerate(draft.ranks):
        ranks[order, 1:] = each
    missing: list[set[int]] = [set()] * (sizes.lists - len(draft.lists))
    return {
        "near": np.array((0, *draft.near), np.int32),
        "ranks": ranks,
        "list_others": _others([each.slot for each in draft.lists], sizes.lists, sizes),
        "list_cells": _sets([set(each.cells) for each in draft.lists] + missing, sizes.cells + 1),
        "list_orders": _orders(draft.lists, sizes.lists, sizes),
        "trim_others": _others([each.slot for each in draft.trims], sizes.trims, sizes),
        "trim_orders": _orders(draft.trims, sizes.trims, sizes),
    }


def _pad_memories(draft: Draft, sizes: Sizes) -> dict[str, Any]:
    kin = draft.remembered("kin")
    return {
        "last_row": _fill((sizes.last,), [each.row for each in draft.remembered("last")]),
        "kin_row": _fill((sizes.kin,), [each.row for each in kin]),
        "kin_key": _fill((sizes.kin,), [each.key for each in kin]),
        "bin_row": _fill((sizes.bins,), [each.row for each in draft.remembered("bin")]),
    }


def _pad_factors(draft: Draft, kind: Kind, sizes: Sizes) -> Factors:
    own: list[FactorDraft] = draft.of_kind(kind)
    count: int = getattr(sizes, kind)
    columns = {whose: draft.remembered(whose) for whose in ("last", "kin", "bin")}
    widths = {"piece": sizes.rows, "last": sizes.last, "kin": sizes.kin, "bin": sizes.bins}
    weights: dict[str, Any] = {whose: np.zeros((count, width), np.int32) for whose, width in widths.items()}
    for f, each in enumerate(own):
        for variable, weight in each.weights:
            whose = variable.whose
            column = variable.row if whose == "piece" else columns[whose].index(variable)
            weights[whose][f, column] = weight
    return Factors(
        _others([each.slot for each in own], count, sizes),
        _fill((count,), [each.offset for each in own]),
        *(weights[whose] for whose in ("piece", "last", "kin", "bin")),
    )


def _flat(slot: Slot, sizes: Sizes) -> int:
    return slot[0] * sizes.atoms + slot[1]


def _fill(shape: tuple[int], values: Sequence[int], dtype: type = np.int32) -> Any:
    array: Any = np.zeros(shape, dtype)
    array[: len(values)] = values
    return array


def _others(slots: Sequence[Slot], count: int, sizes: Sizes) -> Any:
    """For each condition all bits at the atoms to which it does not apply; in padding that is everywhere."""
    others = np.full((count, sizes.lines * sizes.atoms), 2**32 - 1, np.uint32)
    for i, slot in enumerate(slots):
        others[i, _flat(slot, sizes)] = 0
    return others


def _sets(sets: Sequence[set[int]], count: int) -> Any:
    return np.array(bit_sets(list(sets), count), np.uint32).reshape(len(sets), -(-count // 32))


def _orders(lists: Sequence[ListDraft], count: int, sizes: Sizes) -> Any:
    chosen = np.zeros((count, sizes.orders), bool)
    for i, each in enumerate(lists):
        chosen[i, list(each.orders)] = True
    return chosen
