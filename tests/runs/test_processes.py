"""Processes that we start do not run the script that started them."""

import os
import subprocess
import sys
from pathlib import Path

SRC = str(Path(__file__).parents[2] / "src")
# Without a `__main__` guard: where a child ran it again, it would print twice, and Python would raise.
SCRIPT = """
import multiprocessing
import sys

from assay.runs.processes import block_interrupts

print("the script runs")
process = multiprocessing.get_context("spawn").Process(target=print, args=("a child acts",))
with block_interrupts():
    process.start()
process.join()
print(process.exitcode, __file__ == sys.argv[0], __spec__)
"""


def test_a_script_without_a_guard_starts_processes(tmp_path):
    script = tmp_path / "bare.py"
    script.write_text(SCRIPT)
    path = os.pathsep.join([SRC, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-u", str(script)], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["the script runs", "a child acts", "0 True None"], done.stderr
    assert not done.stderr
