"""`assay play`: an episode through a pipe, its refusals and its record."""

import json

import pytest
from typer.testing import CliRunner

from assay.cli.main import app


def test_an_episode_is_played_and_recorded(tmp_path):
    path = tmp_path / "moves.jsonl"
    words = "1 2\nnonsense\nhelp\n1 0\n6 3\n31 2\n36 1\n"
    done = CliRunner().invoke(
        app, ["play", "rules/shape_match+board=example:corners", "--record", str(path)], input=words
    )
    assert done.exit_code == 0, done.stdout
    assert "cell 1 to bucket 2: denied. Moves 1, score -1." in done.stdout
    assert "'nonsense' is no move" in done.stdout and done.stdout.count("Write two numbers") == 2
    assert "Episode 1 of 1: 5 moves, score -1.\nTotal score -1." in done.stdout
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("name") for line in lines[:2]] == ["cell 1 to bucket 2", "cell 1 to bucket 0"]
    assert lines[-1]["score"] == -1 and lines[-1]["over"] and lines[-1]["steps"] == 5


@pytest.mark.parametrize("words", ["quit\n", ""])
def test_a_player_may_leave(words):
    done = CliRunner().invoke(app, ["play", "rules/shape_match+board=example:corners"], input=words)
    assert done.exit_code == 0 and "0 moves, score 0" in done.stdout


def test_a_task_without_a_text_view_is_refused():
    done = CliRunner().invoke(app, ["play", "toy/grid"])
    assert done.exit_code == 2
