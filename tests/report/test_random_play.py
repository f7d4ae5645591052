"""A report says which random player stands beside an agent whose settings leave actions out."""

import dataclasses

from assay.analysis.gaps import Gap, Gaps, PairGaps
from assay.plans.plan import MeasurePlan
from assay.report.gap_table import gap_tables
from assay.report.method import method
from assay.stats.aggregate import Interval

from .sample import minimal


def effect_of(exam):
    return " ".join(said for _, said in method(exam))


def test_an_agent_of_occupied_cells_is_told_from_random_play_over_all():
    exam = minimal()
    assert "Random play chooses among all actions" not in effect_of(exam)
    whole = dataclasses.replace(exam, config={"actions": "all"})
    assert "Random play chooses among all actions" not in effect_of(whole)
    some = dataclasses.replace(exam, config={"actions": "occupied"})
    assert "Random play chooses among all actions of the task" in effect_of(some)
    assert "actions=occupied leaves out" in effect_of(some)


def gaps_of(lost):
    nothing = Interval(0.0, float("-inf"), float("inf"))
    gap = Gap("errors", nothing, nothing, lost, ("trained", "evaluated"))
    measure = MeasurePlan("errors", "errors", "difference", 1)
    return Gaps("final", (measure,), (PairGaps("rules/a", "own", "", 4, 1, (gap,)),), ())


def test_where_no_pair_is_varied_nothing_is_a_row_of_dashes():
    (table,) = gap_tables(gaps_of(None), trained=False)
    assert table.headings == ["pair", "seeds", "first task"]
    assert table.rows == [["rules/a", "4", "0.0 (all 4 seeds alike, no interval)"]]
    varied, axes = gap_tables(gaps_of(Interval(1.0, 0.0, 2.0)))
    assert varied.headings == ["pair", "seeds", "trained", "evaluated", "lost"] and "by axis" in axes.caption
