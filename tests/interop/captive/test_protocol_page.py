"""The page on the protocol: its sessions are played, its files are compared, its Python is run."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from assay.interop.captive.arguments import READERS
from tests.interop.captive.play import open_words

PAGE = Path(__file__).parents[3] / "docs" / "rules-protocol.md"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = FENCED.findall(PAGE.read_text())
PROGRAMS = {
    "assay": [sys.executable, "-m", "assay"],
    "assay-captive": [sys.executable, "-c", "from assay.interop.captive.main import main; main()"],
}


def blocks(language: str) -> list[str]:
    return [block for kind, block in BLOCKS if kind == language]


def write_files(folder: Path) -> None:
    (folder / "rule.txt").write_text(blocks("text")[0])
    (folder / "board.json").write_text(blocks("json")[0])


def play(block: str, folder: Path):
    """The process of a block's command after its `> ` lines, and the lines that it should have printed."""
    command, *lines = block.splitlines()
    program, *words = shlex.split(command.removeprefix("$ "))
    sent = "".join(line[2:] + "\n" for line in lines if line.startswith("> "))
    done = subprocess.run(
        [*PROGRAMS[program], *words], cwd=folder, input=sent, capture_output=True, text=True, timeout=60
    )
    return done, [line for line in lines if not line.startswith("> ")]


@pytest.mark.parametrize("block", blocks("session"), ids=lambda block: block.splitlines()[0])
def test_sessions(block, tmp_path):
    write_files(tmp_path)
    done, shown = play(block, tmp_path)
    errors = [line[2:] for line in shown if line.startswith("! ")]
    wanted = "\n".join(line for line in shown if not line.startswith("! "))
    assert doctest.OutputChecker().check_output(wanted + "\n" * bool(wanted), done.stdout, doctest.ELLIPSIS)
    assert done.stderr.splitlines() == errors and done.returncode == bool(errors)


def test_results(tmp_path):
    write_files(tmp_path)
    (block,) = [block for block in blocks("session") if "log=" in block]
    play(block, tmp_path)
    assert (tmp_path / "results.csv").read_text() == blocks("csv")[0]
    assert len((tmp_path / "moves.csv").read_text().splitlines()) == 4
    play(block.replace("log.run=0", "log.run=0 log.format=Compact"), tmp_path)
    assert (tmp_path / "results.csv").read_text() == blocks("csv")[1]


def test_the_python_runs(tmp_path):
    (block,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_every_option_and_command_is_on_the_page():
    text = PAGE.read_text()
    assert all(f"`{name}" in text for name in READERS)
    session = open_words("shape_match", "9")
    assert all(f"`{name.decode()}" in text for name in session.commands)
