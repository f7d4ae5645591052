"""CVaR in rows: the mean score of the worst episodes, task by task."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.analysis.tails import TaskTails
from assay.report.gap_table import NONE, Table
from assay.report.rows import Cell, known_number
from assay.report.text import number
from assay.stats.aggregate import Interval

CAPTION = "risk: mean score of the worst episodes (CVaR)"
MEANS = (
    "The mean score of the worst 5%, 10% and 25% of all episodes on a task, where that are at least five of "
    "them, with intervals of 95%. Over episodes they hold for scores of any distribution, and the upper end "
    "comes from order statistics; over trained agents, each with all of its episodes, it is the higher of "
    "that and of Student's for the mean of the agents' own tails. The episodes that were played do not show "
    "how low others can fall, so there is a lower bound only where the task's least score is known. Fewer "
    "than five agents, and agents that are all alike, show too little of others for an interval."
)


def tail_tables(tails: Sequence[TaskTails]) -> list[Table]:
    if not tails:
        return []
    shares = shares_of(tails)
    heads = ["task", "episodes", *(f"worst {share:.0%}" for share in shares)]
    rows = []
    for each in tails:
        by_share = {tail.share: tail.score for tail in each.tails}
        cells = [tail_text(at) if (at := by_share.get(share)) else NONE for share in shares]
        rows.append([each.label, str(each.episodes), *cells])
    return [Table(CAPTION, heads, rows)]


def tail_text(score: Interval) -> str:
    """`12.1 [no bound, 20.2]`, or `1.00 (no interval)`."""
    if math.isinf(score.low) and math.isinf(score.high):
        return f"{number(score.value)} (no interval)"
    return f"{number(score.value)} [{number(score.low)}, {number(score.high)}]"


def shares_of(tails: Sequence[TaskTails]) -> list[float]:
    return sorted({tail.share for each in tails for tail in each.tails})


def tail_headings(tails: Sequence[TaskTails]) -> list[str]:
    """The columns that tails add to the rows of pairs."""
    return [f"cvar_{share:g}{end}" for share in shares_of(tails) for end in ("", "_low", "_high")]


def tail_cells(tails: Sequence[TaskTails], label: str) -> list[Cell]:
    row = next((each for each in tails if each.label == label), None)
    by_share = {tail.share: tail.score for tail in row.tails} if row else {}
    intervals = [by_share.get(share) for share in shares_of(tails)]
    return [known_number(end) for each in intervals for end in (each or (None, None, None))]
