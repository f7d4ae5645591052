"""The result of a run: verdicts, typed tables and words, of planted findings."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import assay
from assay.plans.question import CARRY, LEARN
from assay.report.pair_table import csv_rows as pair_csv
from assay.report.table import csv_rows
from assay.stats.verdict import BREAKS, CANNOT_TELL, HOLDS
from tests.analysis.records import made_run, train_plan
from tests.report.sample import finding, minimal, rich
from tests.report.sample_pairs import over_two

TEXTS = "agent task arm axis side neutral verdict verdict_level level varied_task".split()  # noqa: SIM905
HELD, BROKEN, DOUBTED = "1 -1 1", "1 -50 5", "1 -8 9"  # level, effect and half of its interval, in percent
WORDS = {HELD: HOLDS, BROKEN: BREAKS, DOUBTED: CANNOT_TELL}


def result_of(*findings):
    return assay.RunResult(Path("nowhere"), exam=replace(minimal(), findings=findings))


@pytest.mark.parametrize(
    ("first", "second", "worst"),
    [
        (HELD, BROKEN, BREAKS),
        (BROKEN, HELD, BREAKS),
        (HELD, DOUBTED, CANNOT_TELL),
        (DOUBTED, HELD, CANNOT_TELL),
        (DOUBTED, BROKEN, BREAKS),
        (BROKEN, DOUBTED, BREAKS),
        (HELD, HELD, HOLDS),
    ],
)
def test_an_axis_has_the_worst_word_of_its_sides(first, second, worst):
    sides = [finding("noise", levels, side=side) for levels, side in ((first, "below"), (second, "above"))]
    assert [side.word for side in sides] == [WORDS[first], WORDS[second]]
    assert result_of(*sides, finding("delay", HELD)).verdicts == {"noise": worst, "delay": HOLDS}


def test_an_axis_has_the_worst_word_of_its_arms():
    arms = [finding("scale", HELD, arm=CARRY), finding("scale", BROKEN, arm=LEARN)]
    assert result_of(*arms).verdicts == {"scale": BREAKS}


def test_a_table_has_the_same_types_whatever_its_values_are():
    numbers = result_of(finding("noise", "0.5 -1 1", neutral="0"))
    words = result_of(finding("rule", "[1,2] -50 5", neutral="none", ordered=False))
    tables = [numbers.table(), words.table(), result_of().table(), assay.RunResult(Path("x"), rich()).table()]
    assert tables[2].num_rows == 0
    for table in tables:
        assert table.schema == tables[0].schema
        for name in table.column_names:
            text, flag = name in TEXTS, name == "ordered"
            assert table.schema.field(name).type == (
                pa.string() if text else pa.bool_() if flag else pa.float64()
            )
    assert tables[0]["level"].to_pylist() == ["0.5"] and tables[0]["ordered"].to_pylist() == [True]
    assert tables[1]["level"].to_pylist() == ["[1,2]"] and tables[1]["ordered"].to_pylist() == [False]


def test_a_table_has_the_rows_of_the_csv():
    exam, pairs = rich(), over_two()
    for result, text in (
        (assay.RunResult(Path("x"), exam), csv_rows(exam)),
        (assay.RunResult(Path("x"), experiment=pairs), pair_csv(pairs)),
    ):
        heading, *rows = text.splitlines()
        assert result.table().column_names == heading.split(",") and result.table().num_rows == len(rows) > 1


def test_a_table_of_pairs_has_types_without_a_row():
    pairs = over_two()
    full, empty = (assay.RunResult(Path("x"), experiment=replace(pairs, findings=found)).table()
                   for found in (pairs.findings, ()))  # fmt: skip
    assert full.schema == empty.schema and empty.num_rows == 0
    for name in full.column_names:
        text = name in ("agent", "suite", "label", "train", "evaluate")
        assert full.schema.field(name).type == (pa.string() if text else pa.float64())


def test_a_report_is_named_where_it_is_and_else_the_records(tmp_path):
    result = assay.RunResult(tmp_path, exam=rich())
    assert repr(result).splitlines()[-1] == f"records  {tmp_path}" and "report.html" not in repr(result)
    result.write(tmp_path)
    assert repr(result).splitlines()[-1] == f"report  {tmp_path / 'report.html'}"


def test_an_experiment_says_what_is_left_and_what_failed(tmp_path):
    result = assay.RunResult(
        tmp_path,
        experiment=replace(over_two(), unfinished="3 of 8 jobs done"),
        failed=("seed 1 ran out of memory",),
    )
    first, heading, row, *_, failed, _ = repr(result).splitlines()
    assert heading.index("seeds") == row.index("10 ")  # in columns
    assert first == f"unfinished: 3 of 8 jobs done; `assay resume {tmp_path}` does the rest"
    assert failed == "failed  seed 1 ran out of memory"


def test_a_failure_is_told_once():
    said = "seed 1 ran out of memory"
    result = assay.RunResult(Path("x"), exam=replace(rich(), failed=(said,)), failed=(said,))
    assert repr(result).count(said) == 1


def test_a_run_without_a_result_yet_says_so(tmp_path):
    made_run(tmp_path / "begun", train_plan(seeds=2)).close()
    result = assay.open_run(tmp_path / "begun")
    assert repr(result).splitlines()[-1] == f"records  {tmp_path / 'begun'}"
