"""`assay play`: an episode through a pipe, its refusals and its record."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from assay.cli import play_screen
from assay.cli.main import app
from assay.interop.gymnasium import make
from assay.interop.text_views import view_of
from assay.tasks import resolve

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
    assert lines[0]["task"] == CORNERS and len(lines[0]["board"]["value"]) == 4
    assert [line.get("name") for line in lines[1:3]] == ["cell 1 to bucket 2", "cell 1 to bucket 0"]
    facts = [[line[each] for each in ("cell", "bucket", "response", "looks")] for line in lines[1:3]]
    assert facts == [[1, 2, "denied", "red star"], [1, 0, "accepted", "red star"]]
    piece = next(each for each in lines[0]["board"]["value"] if each["id"] == lines[1]["piece"])
    assert (piece["x"], piece["y"], piece["shape"]) == (1, 1, "STAR")
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


def test_ctrl_c_is_told_and_recorded_like_quit(tmp_path, monkeypatch):
    path, typed = tmp_path / "moves.jsonl", iter(["1 2"])

    def ask(*_):
        for word in typed:
            return word
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.play_screen.Screen.ask", ask)
    done = CliRunner().invoke(app, ["play", CORNERS, "--record", str(path)])
    assert "Episode 1 of 10: left before its end, 1 move, 1 error, score -1." in done.stdout
    assert done.stdout.endswith("No episode was finished.\n")
    last = json.loads(path.read_text().splitlines()[-1])
    assert last["steps"] == 1 and not last["over"]


@pytest.mark.parametrize("words", [("rules/custom",), (CORNERS, "--record", "no/such/folder/moves.jsonl")])
def test_what_is_refused_tells_nothing_before(words):
    done = CliRunner().invoke(app, ["play", *words])
    assert done.exit_code == 2 and not done.stdout and done.stderr.count("\n") == 1


def test_a_hidden_rule_is_not_told_and_recorded(tmp_path):
    path = tmp_path / "moves.jsonl"
    done = CliRunner().invoke(app, ["play", CORNERS, "--hidden", "--record", str(path)], input="1 2\nquit\n")
    assert done.stdout.startswith("a hidden rule\n") and "shape_match" not in done.stdout
    assert json.loads(path.read_text().splitlines()[0])["task"] == CORNERS


def test_a_game_that_is_over_before_it_begins_asks_for_no_move():
    task = 'rules/custom+rule="(bucket:p)"'
    done = CliRunner().invoke(app, ["play", task, "--episodes", "1"], input="1 0\n")
    assert "Episode 1 of 1: nothing could be moved: the game was over before it began" in done.stdout
    assert ">" not in done.stdout and " + " not in done.stdout
    assert "0 errors\n" not in done.stdout.rpartition("Episode 1 of 1")[2]
    assert done.stdout.endswith(
        "No episode was finished. 1 episode could not be played, for no move was accepted at the start.\n"
    )


def test_a_rule_without_a_first_move_does_not_run_through_all_episodes():
    done = CliRunner().invoke(app, ["play", 'rules/custom+rule="(bucket:p)"'], input="")
    assert "Episode 3 of 10" in done.stdout and "Episode 4 of 10" not in done.stdout
    assert done.stdout.endswith(
        "No episode was finished. 3 episodes could not be played, for no move was accepted at the start, and "
        "no further one was begun: the rule accepts no first move there.\n"
    )


def test_a_locale_without_signs_is_written_to_in_letters():
    """Signs of pieces are no ASCII, and the legend tells which letter stands for which shape."""
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "assay", "play", CORNERS, "--episodes", "1"], input=CLEARED.encode(),
        capture_output=True, env=os.environ | plain, timeout=300, check=False,
    )  # fmt: skip
    said = done.stdout.decode("ascii")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert "R*" in said and "# square, * star, O circle, T triangle" in said
    assert "the board was cleared, 4 moves, 0 errors" in said


def test_a_terminal_that_is_too_narrow_for_the_board_is_told(monkeypatch, capsys):
    monkeypatch.setattr(play_screen, "is_terminal", lambda: True)
    view, env = view_of(resolve(CORNERS)), make(CORNERS)
    sight = play_screen.Sight(*env.reset(seed=0))
    for columns, told in ((80, False), (40, False), (30, True)):
        size = os.terminal_size((columns, 40))
        monkeypatch.setattr(play_screen.shutil, "get_terminal_size", lambda size=size: size)
        play_screen.Screen(view, "", 1).show(sight, play_screen.Tally(1), [])
        said = " ".join(capsys.readouterr().out.split())
        assert (f"The board needs 35 columns, and this terminal has {columns}: widen it." in said) is told


def test_pieces_are_played_by_the_numbers_on_the_board():
    done = CliRunner().invoke(app, ["play", CORNERS + "+actions=pieces"], input="0 9\n0 0\nquit\n")
    assert done.exit_code == 0, done.stdout
    assert "there is no bucket 9" in done.stdout and "   1 " in done.stdout and ", cell " in done.stdout
    assert any("|[" in line or " [" in line for line in done.stdout.splitlines() if "|" in line)
