"""Tables 1 to 3 of the paper: by axis, the gaps by pair, and the values by pair; ours with the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.suites import kage
from assay.suites.suite import Pair

from .arithmetic import (
    MEASURES,
    ONCE,
    SUCCESS,
    Measure,
    gap_interval,
    gap_values,
    pair_gap_values,
    values_of,
)
from .formats import count, interval_text, number, spread, table
from .paper import PaperRow
from .results import BlindPlay, Results

HEADS = [each.head for each in MEASURES]
GAP_HEADS = [each.gap_head for each in MEASURES]


def axis_table(results: Results, way: str) -> list[str]:
    """Table 1: unweighted means over the pairs of an axis, with standard errors over pairs."""
    rows = []
    for axis in kage.PAIRS:
        pairs = kage.pairs_of(axis)
        trained = [pair for pair in pairs if results.of(pair)]
        if not trained:
            rows.append([axis, "ours", f"0 of {len(pairs)}", *["–"] * 12])
            rows.append(paper_axis_row(axis, len(pairs), results.paper_axes[axis]))
            continue
        rows.append(
            [axis, "ours", f"{len(trained)} of {len(pairs)}", *axis_cells(our_means(results, trained, way))]
        )
        if len(trained) == len(pairs):
            rows.append(paper_axis_row(axis, len(pairs), results.paper_axes[axis]))
        else:
            same = {pair.name: results.paper_pairs[pair.name] for pair in trained}
            rows.append([axis, "paper", f"these {len(trained)}", *axis_cells(paper_means(same))])
    heads = [f"{side} {head}" for side in ("train", "eval") for head in HEADS]
    return table(["axis", "", "pairs", *heads, *GAP_HEADS], rows)


Sides = dict[str, tuple[np.ndarray, np.ndarray]]  # by measure: on train and eval config, (pairs,) each


def our_means(results: Results, pairs: Sequence[Pair], way: str) -> Sides:
    def means(measure: Measure, tasks: Sequence[str]) -> np.ndarray:
        return np.array(
            [values_of(results.of(p), measure.name, task, way).mean() for p, task in zip(pairs, tasks)]
        )

    return {
        each.name: (means(each, [p.train for p in pairs]), means(each, [p.evaluate for p in pairs]))
        for each in MEASURES
    }


def paper_means(rows: Mapping[str, PaperRow]) -> Sides:
    return {
        each.name: (
            np.array([row.train[each.name].mean for row in rows.values()]),
            np.array([row.evaluate[each.name].mean for row in rows.values()]),
        )
        for each in MEASURES
    }


def axis_cells(sides: Sides) -> list[str]:
    """The gap is that of the means over pairs, as in the paper, and its error that over pairs."""
    cells = [spread(sides[each.name][side], each.digits) for side in (0, 1) for each in MEASURES]
    gaps = [gap_values(each, *sides[each.name]) for each in MEASURES]
    return cells + ["–" if gap is None else spread(gap, each.gap_digits) for each, gap in zip(MEASURES, gaps)]


def paper_axis_row(axis: str, pairs: int, row: PaperRow) -> list[str]:
    cells = [spread(side[each.name], each.digits) for side in (row.train, row.evaluate) for each in MEASURES]
    gaps = [number(row.gaps[each.name], each.gap_digits) for each in MEASURES]
    return [axis, "paper", str(pairs), *cells, *gaps]


def gap_table(results: Results, way: str) -> list[str]:
    """Table 2: the gaps of every pair, with 95% intervals over seeds, and the paper's."""
    rows = []
    for pair in kage.ALL:
        trainings, paper = results.of(pair), results.paper_pairs[pair.name]
        cells = [pair.name, str(len(trainings))]
        for each in MEASURES:
            gap = pair_gap_values(trainings, pair, each, way) if trainings else None
            interval = None if gap is None else gap_interval(each, gap)
            cells += [
                interval_text(interval, each.gap_digits),
                number(paper.gaps[each.name], each.gap_digits),
            ]
        rows.append(cells)
    heads = [text for head in GAP_HEADS for text in (head, "paper")]
    return table(["pair", "seeds", *heads], rows)


def value_table(results: Results, way: str) -> list[str]:
    """Table 3: every pair on its train and eval config; ours, the paper's, and the best blind policy's."""
    rows = []
    for pair in kage.ALL:
        trainings, paper = results.of(pair), results.paper_pairs[pair.name]
        if trainings:
            ours = [
                spread(values_of(trainings, each.name, task, way), each.digits)
                for task in (pair.train, pair.evaluate)
                for each in MEASURES
            ]
            rows.append([pair.name, f"ours, {count(len(trainings))}", *ours])
        else:
            rows.append([pair.name, "ours, not trained yet", *["–"] * 8])
        sides = paper.train, paper.evaluate
        rows.append(["", "paper", *(spread(side[m.name], m.digits) for side in sides for m in MEASURES)])
        rows.append(["", "blind", *blind_cells(results.blind) * 2])
    heads = [f"{side} {head}" for side in ("train", "eval") for head in HEADS]
    return table(["pair", "", *heads], rows)


def blind_cells(blind: BlindPlay | None) -> list[str]:
    """Of each measure the best blind policy by it; the same in every appearance."""
    return [number(blind.most(each.name).value, each.digits) if blind else "–" for each in MEASURES]


def success_table(results: Results) -> list[str]:
    """Both kinds of success, in the last state and at any step, by all three ways."""
    heads = [
        f"{side}, {way}{mark}"
        for mark in ("", ", once")
        for side in ("train", "eval")
        for way in ("largest", "sixth", "final")
    ]
    rows = []
    for pair in results.trained_pairs:
        trainings = results.of(pair)
        cells = [
            spread(values_of(trainings, measure.name, task, way), 2)
            for measure in (SUCCESS, ONCE)
            for task in (pair.train, pair.evaluate)
            for way in ("largest", "every sixth", "final")
        ]
        rows.append([pair.name, str(len(trainings)), *cells])
    return table(["pair", "seeds", *heads], rows)


def dose_table(results: Results, name: str, way: str) -> list[str]:
    """The values at every dose, mean ± standard error over seeds."""
    suite = next(each for each in kage.SUITES if each.name == f"kage/{name}")
    trainings = results.of(suite.pairs[0])
    rows = [
        [dose, *(spread(values_of(trainings, m.name, pair.evaluate, way), m.digits) for m in MEASURES)]
        for dose, pair in zip(kage.DOSES[name][2], suite.pairs)
    ]
    return table(["dose", *HEADS], rows)
