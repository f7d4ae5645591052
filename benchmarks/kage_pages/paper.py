"""The figures of KAGE-Bench's Tables 1 and 3, as printed, from the CSV files beside our own results.

The printed tables hold misprints (filters 3 and 4, the return gap of the background axis); they are kept.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from assay.stats.gap import MeanError

from .arithmetic import MEASURES

SEEDS = 10
# By measure: the name in the files, and half a unit of the last printed digit.
PRINTED = {
    "passed_distance": ("distance", 0.05),
    "progress": ("progress", 0.005),
    "success": ("success", 0.005),
    "return": ("return", 0.05),
}


class PaperRow(NamedTuple):
    """One row of a table; each by measure."""

    train: dict[str, MeanError]
    evaluate: dict[str, MeanError]
    gaps: dict[str, float]  # in percent, of the return a difference


def read_paper(path: Path) -> dict[str, PaperRow]:
    """By the name in the first column: a pair, or an axis."""

    def side(row: dict[str, str], which: str) -> dict[str, MeanError]:
        names = {each.name: f"{which}_{PRINTED[each.name][0]}" for each in MEASURES}
        return {name: MeanError(float(row[at]), float(row[f"{at}_sem"])) for name, at in names.items()}

    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {
        next(iter(row.values())): PaperRow(
            side(row, "train"),
            side(row, "eval"),
            {each.name: float(row[f"gap_{PRINTED[each.name][0]}"]) for each in MEASURES},
        )
        for row in rows
    }
