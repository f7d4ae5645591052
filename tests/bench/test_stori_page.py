"""The page of the results on STORI's experiment: made-up findings, and whether page and kept files agree."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MODULES = (
    "stori_page",
    "stori_frequencies",
    "stori_tables",
    "stori_notes",
    "stori_figures",
    "stori_results",
    "stori_words",
)
RUN = {
    "command": "assay run x", "settings": {"batch": 7}, "versions": {"jax": "1"}, "source": "abc",
    "max_steps": 2000, "jobs": 14,
}  # fmt: skip


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import stori_page
    import stori_results
    import stori_tables

    yield stori_page, stori_tables, stori_results
    for name in MODULES:
        sys.modules.pop(name, None)


def cell(preset, mean, agent="dqn", seed=0, game="Breakout"):
    """A hundred episodes around a mean, and a learning curve up to it."""
    scores = (mean + np.linspace(-0.5, 0.5, 100)).round(3).tolist()
    curve = [[step, mean * step / 20_000] for step in range(2000, 22_000, 2000)] if agent == "dqn" else []
    return {
        "game": game, "preset": preset, "agent": agent, "seed": seed, "steps": 100_000, "cpu_s": 9.0,
        "wall_s": 9.0, "scores": scores, "lengths": [150] * 100, "cut": 0, "events": {}, "curve": curve,
    }  # fmt: skip


def page_of(scripts, tmp_path, monkeypatch, **runs):
    page, tables, results = scripts
    monkeypatch.setattr(tables, "KEPT", tmp_path)
    for name, cells in runs.items():
        results.write(tmp_path / f"{name.replace('_', '-')}.json", RUN | {"cells": cells})
    return page.page()


def test_a_share_is_kept_of_what_is_above_random_play(scripts, tmp_path, monkeypatch):
    means = {"1": 5.0, "2.1": 9.5, "3.1": 9.0, "3.2C": 3.0}
    cells = [cell(kind, mean) for kind, mean in means.items()] + [cell("3.1", 1.0, "random")]
    text = page_of(scripts, tmp_path, monkeypatch, dqn_breakout=cells)
    rows = {line.split(":")[0]: line for line in text.splitlines() if line.startswith("| 3.")}
    assert "| 0.25 |" in rows["| 3.2C"] and "| baseline |" in rows["| 3.1"]
    assert "| not run |" in rows["| 3.2A"] and "60.71 ± 41.89" in rows["| 3.1"]
    order = "2.1 > 3.1 > 1 > 3.2C"
    assert f"by the last policy {order}; by the second half of training {order}; DreamerV3 3.1 > 2.1" in text
    assert "Spearman's correlation is with DreamerV3 0.80 by the last policy" in text
    assert "Breakout: seed 0 on 1, 2.1, 3.1, 3.2C" in text
    assert "Unfinished runs: `dqn-breakout`" in text and "`batch=7`" in text


def test_there_is_no_share_where_the_plain_game_is_not_above_random_play(scripts, tmp_path, monkeypatch):
    cells = [cell("3.1", 1.0), cell("1", 0.5), cell("3.1", 1.0, "random")]
    text = page_of(scripts, tmp_path, monkeypatch, dqn_breakout=cells)
    assert "not above random play, so there is no scale and no share kept" in text
    [row] = [line for line in text.splitlines() if line.startswith("| 1:")]
    assert "no scale" in row


def test_a_second_seed_has_its_own_scores_and_the_sd(scripts, tmp_path, monkeypatch):
    first = [cell("3.1", 9.0), cell("3.1", 1.0, "random")]
    second = [cell("3.1", 5.0, seed=7)]
    text = page_of(scripts, tmp_path, monkeypatch, dqn_breakout=first, dqn_breakout_7=second)
    assert "| score, seed 0 | score, seed 7 | mean ± sd |" in text
    [row] = [line for line in text.splitlines() if line.startswith("| 3.1:")]
    assert "| 7.00 ± 2.83 |" in row


def test_page_and_figures_are_those_of_the_kept_files(scripts):
    page, _, _ = scripts
    assert page.PAGE.read_text() == page.page()
    for name, text in page.figures().items():
        assert (page.DOCS / "images" / name).read_text() == text


def test_every_picture_of_the_page_is_there(scripts):
    page, _, _ = scripts
    names = [
        line.partition("](")[2].rstrip(")") for line in page.PAGE.read_text().splitlines() if line[:1] == "!"
    ]
    assert names and all((page.PAGE.parent / name).exists() for name in names)


def test_tasks_of_the_suites_are_known_by_their_presets(scripts):
    _, _, results = scripts
    from assay.suites.stori import SUITES

    for name in ("stori/breakout", "stori/boxing", "stori/gopher", "stori/bankheist"):
        [suite] = [each for each in SUITES if each.name == name]
        for pair in suite.pairs:
            assert " ".join(results.TASKS[pair.train]) == pair.name


def test_kept_files_are_small():
    files = list((BENCHMARKS / "stori").iterdir())
    assert files and sum(path.stat().st_size for path in files) < 300_000
    for path in files:
        if path.suffix == ".json":
            json.loads(path.read_text())


def test_the_torch_that_the_agents_saw_is_not_said_to_agree():
    text = (BENCHMARKS.parent / "docs" / "results" / "stori.md").read_text()
    agrees, differs = (
        next(line for line in text.splitlines() if line.startswith(start) and "torch" in line)
        for start in ("- Agrees", "- Does not agree")
    )
    assert "0.355" in agrees and "0.288" not in agrees and "0.288" in differs
