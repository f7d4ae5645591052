"""Ctrl-C in the middle of an exam: one line that says how to go on, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

AGENTS = """
import os, time

def slow(observation):
    open("began", "w").close()
    time.sleep(0.02)
    return 0

def deaf(observation):
    open("began", "w").close()
    try:
        time.sleep(0.02)
    except BaseException:
        pass
    return 0
"""


@pytest.mark.parametrize("agent, workers, presses", [("slow", 1, 1), ("slow", 2, 1), ("deaf", 1, 2)])
def test_one_line_with_the_command_that_goes_on(tmp_path, agent, workers, presses):
    (tmp_path / "mine.py").write_text(AGENTS)
    words = ["examine", f"mine:{agent}", "gym/CartPole-v1", "--axes", "action.delay", "--episodes", "60"]
    process = subprocess.Popen(
        [sys.executable, "-m", "assay.cli.main", *words, "--workers", str(workers), "--out", "run"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 90
    while not (tmp_path / "began").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    for _ in range(presses):  # to the whole group, as a terminal does
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.3)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == ""
    lines = [line for line in err.splitlines() if " jobs, " not in line]
    assert lines == ["  stopped; finished jobs are kept: assay resume run"], err
