"""CSV and JSON: what is written can be read back, to the last digit."""

import csv
import io
import json
import math

import numpy as np
import pytest

from assay.report.table import COLUMNS, as_json, csv_rows
from assay.stats.aggregate import Interval

from .sample import SAMPLES, hostile, rich


@pytest.mark.parametrize("name", SAMPLES)
def test_csv_has_one_row_per_level_and_reads_back(name):
    exam = SAMPLES[name]()
    rows = list(csv.DictReader(io.StringIO(csv_rows(exam), newline="")))
    levels = [(finding, level) for finding in exam.findings for level in finding.levels]
    assert len(rows) == len(levels)
    for row, (finding, level) in zip(rows, levels):
        assert tuple(row) == COLUMNS
        assert (row["agent"], row["task"], row["axis"]) == (exam.agent, exam.task, finding.axis)
        assert (row["arm"], row["verdict"], row["level"]) == (finding.arm, finding.word, level.level)
        numbers = (row["effect"], row["effect_low"], row["effect_high"], row["score"], row["optimum"])
        for text, value in zip(numbers, (*level.effect, level.score, level.optimum)):
            known = value is not None and not math.isnan(value)
            assert float(text) == value if known else text == ""


@pytest.mark.parametrize("name", SAMPLES)
def test_json_is_strict_and_reads_back(name):
    document = as_json(SAMPLES[name]())
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_json_holds_the_records_under_their_own_names():
    exam, document = rich(), as_json(rich())
    assert document["form"] == "assay-report-1"
    first = document["findings"][0]
    assert (first["axis"], first["word"], first["whose"]["word"]) == (
        "observation.delay",
        "breaks",
        "the agent",
    )
    assert Interval(**first["effect"]) == exam.findings[0].effect
    assert document["curves"][0]["steps"] == list(exam.curves[0].steps)


def test_what_json_lacks_becomes_null():
    document = as_json(hostile())
    undecided = next(each for each in document["findings"] if each["axis"] == "undecidable")
    assert undecided["effect"] == {"value": None, "low": None, "high": None}
    assert document["wall_s"] is None and document["config"]["nan"] is None


def test_settings_may_hold_numpy_and_other_things():
    exam = rich()
    exam.config.update({"rate": np.float32(0.5), "sizes": np.array([1, 2]), "where": {1: {"x"}}, "path": io})
    config = as_json(exam)["config"]
    assert (config["rate"], config["sizes"], config["where"]) == (0.5, [1, 2], {"1": ["x"]})
    assert isinstance(config["path"], str)
