"""Rows of a report for programs: typed cells under headings, which every format takes its columns from."""

from __future__ import annotations

import csv
import io
import math
from typing import NamedTuple

Cell = str | bool | float | None


class Rows(NamedTuple):
    """Cells under headings. Columns in `texts` hold text, those in `flags` hold bools, all others floats."""

    headings: tuple[str, ...]
    texts: tuple[str, ...]
    flags: tuple[str, ...]
    rows: list[list[Cell]]  # None stands for an unknown number

    def as_csv(self) -> str:
        """Numbers to the last digit, an end without a bound as `inf`, an unknown number as an empty cell."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows([cell_text(cell) for cell in row] for row in self.rows)
        return out.getvalue()


def known_number(value: float | None) -> float | None:
    """A number as a cell holds it: NaN is unknown."""
    return None if value is None or math.isnan(value) else float(value)


def cell_text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return repr(cell) if isinstance(cell, float) else str(cell)
