"""The page of the results on hidden rules: made-up findings, and whether page and kept files agree."""

import json
import sys
from pathlib import Path

import pytest

from assay.analysis.difficulty import judge_difficulty
from assay.analysis.episode_errors import ErrorRun, Played

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MEDIANS = {"shape_match": 355, "clockwise": 379, "b23_then_b01": 222, "b3_then_b1": 400}
RUN = {
    "command": "assay run x", "settings": {"memory": 1000}, "seeds": 9, "jobs": 36, "versions": {"jax": "1"},
    "cpu_s": 1.0,
}  # fmt: skip


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gohr_page
    import gohr_results

    yield gohr_page, gohr_results
    for name in ("gohr_page", "gohr_results", "gohr_figures"):
        sys.modules.pop(name, None)


def keep(results, path, medians):
    """Nine runs a cell, a few errors around the median; the second episode is clean."""
    played = [
        Played(f"rules/{rule}", player, tuple(
            ErrorRun(seed, (median + seed - 4.0, 0.0), (True, True)) for seed in range(9)
        ))
        for (rule, player), median in medians.items()
    ]  # fmt: skip
    cells = [results.keep_cell(cell, True) for cell in judge_difficulty(played, draws=100).cells]
    results.write(path, {"draws": 100, "runs": [RUN], "cells": cells})


def test_the_page_says_what_agrees_and_what_does_not(scripts, tmp_path, monkeypatch):
    page, results = scripts
    monkeypatch.setattr(page, "KEPT", tmp_path)
    medians = {
        (rule, f"linear_q actions={actions}"): median
        for actions in ("all", "occupied")
        for rule, median in MEDIANS.items()
    }
    keep(results, tmp_path / "paper.json", medians)
    text = page.page()
    assert "`memory=1000`" in text and "Not run yet: benchmark, facets, exam." in text
    # With all actions b3_then_b1 is 83% above the prototype, the other three are on it.
    assert "3 of 4 medians lie within 20% of the prototype's; the farthest is 83% off." in text
    assert "| `b3_then_b1` | 400 |" in text and "219 (+83%)" in text
    assert "`b3_then_b1` over `clockwise` p =" in text and "so has every two neighbours here" in text
    assert "36 of 36 runs still made errors" in text


def test_a_facet_is_judged_against_its_plain_rule(scripts, tmp_path, monkeypatch):
    page, results = scripts
    monkeypatch.setattr(page, "KEPT", tmp_path)
    medians = {"a": 100, "a+metering=2": 300, "a+shapes=1": 50, "a+priority=T": 100}
    keep(results, tmp_path / "facets.json", {(rule, "p"): median for rule, median in medians.items()})
    rows = {line.split("|")[2].strip(): line for line in page.page().splitlines() if line.startswith("| `a`")}
    assert rows["`metering=2`"].endswith("| harder |") and "| 3.00 |" in rows["`metering=2`"]
    assert rows["`shapes=1`"].endswith("| easier |")
    assert rows["`priority=T`"].endswith("| not told apart |")


def test_page_and_figures_are_those_of_the_kept_files(scripts):
    page, _ = scripts
    assert page.PAGE.read_text() == page.page()
    for name, text in page.figures(page.difficulty_in(page.load("paper"))).items():
        assert (page.DOCS / "images" / name).read_text() == text


def test_kept_files_are_small():
    files = list((BENCHMARKS / "gohr").iterdir())
    assert sum(path.stat().st_size for path in files) < 300_000
    for path in files:
        if path.suffix == ".json":
            json.loads(path.read_text())
