"""`assay play`: an episode through a pipe, its refusals and its record."""

import json

import pytest
from typer.testing import CliRunner

from assay.cli.main import app

CORNERS = "rules/shape_match+board=example:corners"
CLEARED = "1 0\n6 3\n31 2\n36 1\n"  # one piece into each bucket, without an error


def test_an_episode_is_played_and_recorded(tmp_path):
    path = tmp_path / "moves.jsonl"
    words = "1 2\nnonsense\nhelp\n" + CLEARED
    arguments = ["play", CORNERS, "--record", str(path), "--episodes", "1"]
    done = CliRunner().invoke(app, arguments, input=words)
    assert done.exit_code == 0, done.stdout
    assert "   1 x cell 1 (red star) to bucket 2: denied\n" in done.stdout
    assert "   2 + cell 1 (red star) to bucket 0: accepted\n" in done.stdout
    assert "'nonsense' is no move" in done.stdout and done.stdout.count("Write two numbers") == 2
    assert done.stdout.endswith(
        "Episode 1 of 1: the board was cleared, 5 moves, 1 error, score -1.\n"
        "1 episode finished, 1 error, score -1.\n"
    )
    assert "\033" not in done.stdout  # no colours in a pipe
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("name") for line in lines[:2]] == ["cell 1 to bucket 2", "cell 1 to bucket 0"]
    assert lines[-1]["score"] == -1 and lines[-1]["over"] and lines[-1]["steps"] == 5
    assert lines[-1]["errors"] == 1


def test_errors_are_told_over_episodes():
    words = "1 2\n" + CLEARED + CLEARED + "1 1\nquit\n"
    done = CliRunner().invoke(app, ["play", CORNERS], input=words)
    assert done.exit_code == 0, done.stdout
    assert "episode 2 of 10  0 moves, 0 errors\nerrors of earlier episodes: 1\n" in done.stdout
    assert "Episode 3 of 10: left before its end, 1 move, 1 error, score -1." in done.stdout
    assert done.stdout.endswith("2 episodes finished, 1 error (1 0), score -1.\n")


@pytest.mark.parametrize("words", ["quit\n", "", "Q\n"])
def test_a_player_may_leave(words):
    done = CliRunner().invoke(app, ["play", CORNERS], input=words)
    assert done.exit_code == 0 and done.stdout.endswith("No episode was finished.\n")


def test_a_task_without_a_text_view_is_refused():
    done = CliRunner().invoke(app, ["play", "toy/grid"])
    assert done.exit_code == 2
