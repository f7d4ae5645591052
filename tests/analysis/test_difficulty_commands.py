"""`assay rules difficulty` and `assay report` on runs whose errors are told episode by episode."""

import json

from typer.testing import CliRunner

from assay.cli.main import app

from .test_difficulty import EASY, HARD, learned_run


def test_the_command_writes_its_files(tmp_path):
    for agent in ("one", "two"):
        learned_run(
            tmp_path / agent, {EASY: [[1], [2], [3], [4]], HARD: [[5], [6], [7], [8]]}, agent=agent
        ).close()
    words = [
        "rules",
        "difficulty",
        str(tmp_path / "one"),
        str(tmp_path / "two"),
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, [*words, "--draws", "100"])
    assert done.exit_code == 0, done.stderr
    assert "Easiest: rules/easy; hardest: rules/hard." in done.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"difficulty.html", "difficulty.md", "difficulty.json"}
    assert json.loads((tmp_path / "out" / "difficulty.json").read_text())["players"] == ["one", "two"]


def test_runs_that_do_not_tell_rules_apart_name_no_hardest_rule(tmp_path):
    learned_run(tmp_path / "run", {EASY: [[1], [4]], HARD: [[2], [3]]}).close()
    done = CliRunner().invoke(app, ["rules", "difficulty", str(tmp_path / "run"), "--draws", "100"])
    assert "The runs do not tell the rules apart" in done.stdout and "asiest:" not in done.stdout
    assert "2.5 [1, 4]" in done.stdout  # the median TCE with its band
    assert "Rating and Perron grow with ease" in done.stdout


def test_the_report_of_such_a_run_has_a_section(tmp_path):
    learned_run(tmp_path / "run", {EASY: [[1], [2]], HARD: [[3], [4]]}).close()
    done = CliRunner().invoke(app, ["report", str(tmp_path / "run")])
    assert done.exit_code == 0, done.stderr
    assert "Rules from the easiest on" in done.stdout
    assert 'id="difficulty"' in (tmp_path / "run" / "report.html").read_text()
    assert "## Difficulty" in (tmp_path / "run" / "report.md").read_text()
