"""Tails in a table: an end that nothing bounds is said."""

import math

from assay.analysis.tails import Tail, TaskTails
from assay.report.tail_table import tail_tables
from assay.stats.aggregate import Interval


def cell(low, high):
    tails = (TaskTails("plain", 100, (Tail(0.05, Interval(1.0, low, high)),)),)
    (table,) = tail_tables(tails)
    return table.rows[0][2]


def test_ends_that_nothing_bounds_are_said():
    assert cell(0.5, 2.0) == "1.00 [0.50, 2.00]"
    assert cell(-math.inf, 2.0) == "1.00 [no bound, 2.00]"
    assert cell(-math.inf, math.inf) == "1.00 (no interval)"
