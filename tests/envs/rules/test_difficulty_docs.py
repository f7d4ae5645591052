"""The page on difficulty, references and the leader-board: its commands print what it says."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.main import app
from assay.envs.rules.blind_play import list_players
from assay.envs.rules.game_graph import MOST_STATES
from assay.envs.rules.geometry import STANDARD
from assay.envs.rules.random_play import GAMES

PAGE = (Path(__file__).parents[3] / "docs" / "rules-difficulty.md").read_text()
BLOCKS = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=["references", "leader-board"])
def test_commands_print_what_the_page_says(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part in block.split("$ ")[1:]:
        command, _, expected = part.partition("\n")
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        assert done.exit_code == 0, done.stderr
        assert done.stdout.split() == expected.split()


def test_the_numbers_of_the_page():
    assert sorted(len(list_players(each, STANDARD)) for each in ("all", "occupied")) == [224, 232]
    assert "at most 2,000 states" in PAGE and MOST_STATES == 2000 and "20 games" in PAGE and GAMES == 20


def test_the_player_of_the_page_plays(tmp_path, monkeypatch):
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "player_of_the_page.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    words = [
        "--rule",
        "clockwise",
        "--board-seed",
        "7",
        "--runs",
        "1",
        "--episodes",
        "10",
        "--out",
        str(tmp_path),
    ]
    done = CliRunner().invoke(app, ["rules", "submit", "player_of_the_page:play", *words])
    assert done.exit_code == 0, done.stderr
