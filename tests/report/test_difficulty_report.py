"""The page, tables and figures of difficulty."""

import json
import re

from assay.analysis.difficulty import judge_difficulty
from assay.analysis.episode_errors import ErrorRun, Played
from assay.report.difficulty_page import difficulty_markdown, difficulty_page, difficulty_section
from assay.report.difficulty_tables import as_json, chance_text, seed_list, tables_of


def played(rule, player, *errors):
    runs = (ErrorRun(seed, (each, 0.0), (True, True)) for seed, each in enumerate(errors))
    return Played(rule, player, tuple(runs))


SAMPLE = judge_difficulty(
    [
        played("rules/<b>", "a", 1, 2, 3, 400),
        played("rules/two", "a", 5, 6, 7, 8),
        played("rules/two", "b", 9, 9, 9, 9),
    ],
    draws=100,
)


def test_the_three_figures_are_there():
    page = difficulty_page(SAMPLE, ["runs/one"])
    headings = re.findall(r"<h3>([^<]+)</h3>", page)
    assert headings[:3] == ["Cumulated errors", "Terminal cumulated errors", "More errors than"]
    # Curves and boxes for each of two players, a map of a's two rules and one of the two players.
    assert page.count('class="difficulty"') == 2 + 2 + 2
    assert page.count('class="outlier"') == 1 and "runs/one" in page
    assert "<b>," not in page and "rules/&lt;b&gt;" in page


def test_tables_by_hand():
    tables = {table.caption.partition(" (")[0]: table for table in tables_of(SAMPLE)}
    errors = tables["Errors"]
    assert errors.rows[1] == ("rules/two", "a", "4", "2", "6.5 [5, 8]", "5", "8", "0 of 4", "-", "4 of 4")
    assert tables["Runs that never mastered their rule"].rows[2][5:] == ("0 to 3", "0 to 3")
    (row,) = tables["Players compared on a rule"].rows
    assert row[:5] == ("rules/two", "b", "a", "16 of 16", "1.00") and row[-1] == "17"


def test_names_stand_at_the_left():
    page = difficulty_page(SAMPLE, ["runs/one"])
    assert '<td data-label="player" class="name">b</td>' in page
    assert '<td data-label="runs">4</td>' in page


def test_seeds_and_chances_in_words():
    assert seed_list([7, 0, 2, 1, 9, 8]) == "0 to 2, 7 to 9" and seed_list([4, 5]) == "4, 5"
    assert seed_list([]) == "-" and chance_text(2e-5) == "< 0.0001" and chance_text(0.0123) == "0.0123"


def test_other_forms():
    assert "| rules/two | b |" in difficulty_markdown(SAMPLE) and difficulty_section(None) == ""
    document = json.loads(json.dumps(as_json(SAMPLE), allow_nan=False))
    assert document["form"] == "assay-difficulty-1" and document["cells"][0]["tce"] == [1, 2, 3, 400]
