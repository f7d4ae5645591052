"""Gaps in rows, with the same captions and cells on the terminal, in Markdown and on the page."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.analysis.gaps import KAGE, SHARE, AxisGap, Blind, Gap, Gaps, PairGaps
from assay.plans.plan import MeasurePlan
from assay.report.rows import Cell, known_number
from assay.report.text import count, ends_in_words
from assay.stats.aggregate import Interval

NONE = "-"


class Table(NamedTuple):
    caption: str
    headings: list[str]
    rows: list[list[str]]


def gap_tables(gaps: Gaps | None, trained: bool = True) -> list[Table]:
    """One table for each measure, then the axes, then the best blind policies; `trained`: agents were."""
    if gaps is None or not gaps.pairs:
        return []
    tables = [measure_table(gaps, number, trained) for number in range(len(gaps.measures))]
    return [*tables, *([axes_table(gaps)] if is_varied(gaps) else []), *blind_tables(gaps)]


def is_varied(gaps: Gaps) -> bool:
    """Whether any pair has two tasks; else nothing can be lost."""
    return any(gap.lost is not None for pair in gaps.pairs for gap in pair.gaps)


def describe_gaps(gaps: Gaps, budget: int) -> str:
    """How the values were measured, in one sentence; `budget` is 0 for an agent that was not trained."""
    fewest, most = (f(each.evaluations for each in gaps.pairs) for f in (min, max))
    times = count(most, "evaluation") if fewest == most else f"{fewest} to {count(most, 'evaluation')}"
    if gaps.way == KAGE:
        return (
            f"as in KAGE-Bench: for each measure and task, the largest mean over {times}, so a row may mix "
            "moments of training and all values are too high; mean ± standard error over seeds"
        )
    when = "after training" if budget else "of an agent that was not trained here"
    return f"{when} (1 evaluation), on the same levels in both tasks; means with intervals over seeds"


def measure_table(gaps: Gaps, number: int, trained: bool = True) -> Table:
    measure = gaps.measures[number]
    shown = 3 if is_varied(gaps) else 1  # of trained, evaluated and lost
    lost = "lost, %" if measure.gap == SHARE else "lost"
    ways = list(dict.fromkeys(each.by for pair in gaps.pairs for each in pair.blind))
    values = ["trained" if trained else "first task", "evaluated", lost]
    heads = ["pair", "seeds", *values[:shown], *(f"best blind policy, by {way}" for way in ways)]
    rows = []
    for pair in gaps.pairs:
        gap = pair.gaps[number]
        cells = gap_numbers(gap, measure, gaps.way, pair.seeds)[:shown]
        blind = {each.by: each for each in pair.blind}
        blind_cells = [blind_cell(blind.get(way), measure) for way in ways]
        rows.append([pair.label, str(pair.seeds), *cells, *blind_cells])
    for axis in gaps.axes:
        if axis.measure == measure.name and axis.pairs > 1:
            cells = gap_numbers(axis, measure, KAGE)[:shown]
            rows.append(
                [f"{axis.axis}: mean of {axis.pairs} pairs ± standard error", "", *cells, *[""] * len(ways)]
            )
    return Table(measure.title, heads, rows)


def gap_numbers(gap: Gap | AxisGap, measure: MeasurePlan, way: str, seeds: int = 2) -> list[str]:
    digits = measure.digits
    percent = 1 if measure.gap == SHARE else digits
    alike = gap.alike if isinstance(gap, Gap) else ()
    sides = (("trained", digits), ("evaluated", digits), ("lost", percent))
    return [interval_text(getattr(gap, side), shown, way, seeds, side in alike) for side, shown in sides]


def interval_text(
    interval: Interval | None, digits: int, way: str, seeds: int = 2, alike: bool = False
) -> str:
    """`470.2 [460.1, 480.3]`, or `470.2 ± 5.1`; of one seed `470.2 (one seed, no interval)`."""
    if interval is None:
        return NONE
    if way == KAGE and seeds > 1:
        error = interval.half_width
        return f"{interval.value:.{digits}f} ± " + (f"{error:.{digits}f}" if math.isfinite(error) else "?")
    return f"{interval.value:.{digits}f} {ends_in_words(interval, f'.{digits}f', seeds, alike=alike)}"


def blind_cell(blind: Blind | None, measure: MeasurePlan) -> str:
    """What a blind policy scores: one number where both tasks give it the same score, else both numbers."""
    if blind is None:
        return NONE
    name, digits = measure.name, measure.digits
    before, after = blind.trained[name], blind.evaluated[name]
    return f"{after:.{digits}f}" if before == after else f"{before:.{digits}f} → {after:.{digits}f}"


def axes_table(gaps: Gaps) -> Table:
    """What each axis costs, all measures side by side."""
    heads = ["axis", "pairs"]
    heads += [f"{m.title} lost" + (", %" if m.gap == SHARE else "") for m in gaps.measures]
    rows: dict[str, list[str]] = {}
    for each in gaps.axes:
        row = rows.setdefault(each.axis, [each.axis, str(each.pairs)])
        row.append(interval_text(each.lost, 1, KAGE))
    return Table("by axis: mean over pairs ± standard error over pairs", heads, list(rows.values()))


def blind_tables(gaps: Gaps) -> list[Table]:
    """The best blind policies; pairs with the same policy and scores share a row."""
    groups: dict[tuple, list[PairGaps]] = {}
    for pair in gaps.pairs:
        for blind in pair.blind:
            key = blind.by, blind.policy, *(blind_cell(blind, measure) for measure in gaps.measures)
            groups.setdefault(key, []).append(pair)
    rows = []
    for (by, policy, *cells), pairs in groups.items():
        everywhere = 1 < len(pairs) == len(gaps.pairs)
        labels = f"all {len(pairs)}" if everywhere else ", ".join(pair.label for pair in pairs)
        rows.append([labels, by, policy, *cells])
    heads = ["pair", "chosen by", "policy", *(measure.title for measure in gaps.measures)]
    title = "best blind policies, which see nothing, on the same levels"
    return [Table(title, heads, rows)] if rows else []


def gap_headings(gaps: Gaps | None) -> list[str]:
    """The columns that measures add to the rows of pairs."""
    names = [measure.name for measure in gaps.measures] if gaps else []
    return [f"{name}_{what}{end}" for name in names for what in ("trained", "evaluated", "lost")
            for end in ("", "_low", "_high")]  # fmt: skip


def gap_cells(gaps: Gaps | None, label: str) -> list[Cell]:
    """The cells of one pair in these columns; None where a number is not known."""
    if gaps is None:
        return []
    pair = next((each for each in gaps.pairs if each.label == label), None)
    if pair is None:
        return [None] * len(gap_headings(gaps))
    intervals = [side for gap in pair.gaps for side in (gap.trained, gap.evaluated, gap.lost)]
    return [known_number(end) for interval in intervals for end in (interval or (None, None, None))]
