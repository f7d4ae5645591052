"""A client in another language plays a whole session."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[3] / "examples" / "captive_client.sh"
SERVER = f"{sys.executable} -m assay rules serve -Doutput=STANDARD edu.wisc.game.engine.Captive"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def run_client(*words: str):
    return subprocess.run(
        [str(CLIENT), *words],
        env={**os.environ, "CAPTIVE": SERVER},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_it_plays_two_episodes_and_leaves():
    done = run_client("position_A", "9", "4", "4", "seed=7")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines() == [
        "episode 1: finish 1 after 9 attempts",
        "episode 2: finish 1 after 9 attempts",
        "left with 5 1 9",
    ]


def test_it_meets_a_stalemate():
    done = run_client("red_then_blue", "9", "4", "4", "seed=7")
    assert done.returncode == 0 and "finish 2" in done.stdout


def test_it_says_that_a_server_did_not_start():
    done = run_client("nothere.txt", "9")
    assert done.returncode != 0 and "no rule file" in done.stderr


def test_it_is_short():
    assert len(CLIENT.read_text().splitlines()) < 60
