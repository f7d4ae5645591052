"""The report on pairs in its four forms: whole, escaped, and the same numbers in each."""

import csv
import io
import json
import math
import re
from dataclasses import replace

import pytest

from assay.report import learning
from assay.report.bars import bars
from assay.report.frame import plain_table
from assay.report.gap_table import Table
from assay.report.pair_markdown import pair_markdown
from assay.report.pair_page import pair_page
from assay.report.pair_table import csv_rows
from assay.report.pair_text import answer, describe_intervals, method, setting
from assay.report.write import write

from .sample_pairs import PAIR_SAMPLES, dose, finding, hostile, nothing, over_two
from .test_page import Balance


@pytest.mark.parametrize("name", PAIR_SAMPLES)
def test_a_page_is_whole_and_nothing_comes_from_outside(name):
    text = pair_page(PAIR_SAMPLES[name]())
    parsed = Balance(text)
    assert parsed.open == [] and not {tag for tag, _ in parsed.seen} & {"script", "img", "iframe"}
    addresses = [each[key] for _, each in parsed.seen for key in ("href", "src") if key in each]
    ids = {each["id"] for _, each in parsed.seen if "id" in each}
    assert {address[1:] for address in addresses if address.startswith("#")} <= ids
    for tag, attributes in parsed.seen:
        for key in ("x", "y", "x1", "x2", "y1", "y2", "d", "width", "height", "fill-opacity"):
            assert not re.search(r"nan|inf|None", attributes.get(key) or ""), (tag, key)


def test_the_page_has_bars_curves_maps_and_how_it_was_made():
    text = pair_page(dose())
    assert text.count('class="level-bar"') == 6 * 5 and text.count("<svg viewBox") == 5
    assert text.count('class="seed"') == 50 and text.count("mean over seeds</title>") == 5
    for said in ("assay</span> <span>run", "jax 0.10.2", "10: 0 to 9", "20,000 env steps", "99.5% each"):
        assert said in text
    assert pair_page(over_two()).count('class="cell"') == 6 * 49


def test_files_in_four_forms(tmp_path):
    paths = write(dose(), tmp_path)
    assert [path.name for path in paths] == ["report.html", "report.md", "report.csv", "report.json"]
    told = json.loads(paths[3].read_text())
    assert told["form"] == "assay-pairs-1" and len(told["findings"]) == 5
    assert told["findings"][0]["area"]["value"] == dose().findings[0].area.value


def test_csv_has_a_row_per_pair_and_every_digit():
    rows = list(csv.DictReader(io.StringIO(csv_rows(dose()))))
    first = dose().findings[0]
    assert [row["label"] for row in rows] == [f"delay={level}" for level in (0, 1, 2, 4, 8)]
    assert float(rows[0]["area"]) == first.area.value and float(rows[0]["area_low"]) == first.area.low
    assert rows[0]["last"] == ""  # nobody measured it


def test_markdown_says_the_same():
    text = pair_markdown(dose())
    assert text.startswith(
        "# dqn on playground/delay\n\n**How much harder is learning when rewards come late?**"
    )
    assert "| `toy/discrete+delay=8` | toy/discrete | 10 |" in text and "**Normalised.**" in text
    assert "## Learning (AUC): mean ± sd over seeds" in pair_markdown(over_two())
    assert "<script" not in pair_markdown(hostile()).replace("`", "").replace("&lt;", "")[:40]


def test_the_answer_in_one_breath():
    assert answer(dose()).startswith("Best at delay=0, worst at delay=8: mean score while learning ")
    assert answer(nothing()) == "No pair is finished yet."
    assert setting(dose()).startswith("10 seeds trained for 20,000 steps each, each in an MDP of its own")
    assert describe_intervals(dose()).endswith("; over 10 seeds")


def test_the_mean_of_lines_leaves_out_what_is_not_known():
    lines = [[(1, 2.0), (2, math.nan)], [(1, 4.0), (2, math.nan)], [(1, math.nan), (3, 5.0)]]
    found = learning.mean_line(lines)
    assert found[0] == (1, 3.0) and math.isnan(found[1][1]) and found[2] == (3, 5.0)


def test_an_agent_that_was_not_trained_is_not_said_to_be():
    trained, given = (dict(method(replace(dose(), budget=budget))) for budget in (20_000, 0))
    assert "trained from scratch" in trained["Unit"] and "after training" in trained["Score trained"]
    assert "trained from scratch" not in given["Unit"] and "after training" not in given["Score trained"]


def test_one_seed_has_no_whisker_and_its_cell_does_not_break():
    """An arrow on both sides would say that an interval is known, and wide."""
    alone = finding("a", {"delay": 1}, "delay=1", 30.0, seeds=1, boundless=True)
    several = finding("a", {"delay": 2}, "delay=2", 30.0)
    assert 'class="interval' not in bars([alone], "trained", "trained")
    assert 'class="interval' in bars([alone, several], "trained", "trained")
    page = plain_table(Table("a table", ["task", "score", "others"], [["a", "0.67 ± -", "0.1 [0.0, 0.2]"]]))
    assert '<td data-label="score" class="together">0.67 ± -' in page and page.count("together") == 1


def test_the_digits_of_a_number_stay_on_one_line():
    row = ["a", "-2.00", "-85% [-92, -78]", "12 (38%)", "undefined", "atari/Pong+lazy_enemy"]
    page = plain_table(Table("a table", ["task", "score", "PC", "lost", "why", "where"], [row]))
    assert page.count('class="number"') == 3 and 'class="number">\N{MINUS SIGN}2.00' in page
    assert ".measures td.number { overflow-wrap: normal; }" in pair_page(over_two())
