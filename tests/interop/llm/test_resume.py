"""A run that is killed and resumed asks for no move again; verify says why it does nothing again."""

import os
import subprocess
import sys
import time

import pytest

from assay.interop.llm.notes import read_notes
from tests.interop.llm.stub import serve, try_pieces

TASK = 'rules/custom+rule="(bucket:2)"+pieces=2+shapes=2+colors=2+horizon=12'
KEY = "sk-very-secret"


def start(folder, *words):
    command = [sys.executable, "-m", "assay", *words]
    environment = {**os.environ, "PLAYER_KEY": KEY}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.mark.slow
def test_a_killed_run_is_resumed_without_asking_again(tmp_path):
    asked = []

    def answer(messages):
        asked.append(messages)
        time.sleep(0.05)  # so that the kill falls into the middle
        return try_pieces(messages)

    with serve(answer) as stub:
        player = f"endpoint: {stub.url}\nmodel: stub\nkey_variable: PLAYER_KEY\n"
        (tmp_path / "player.yaml").write_text(player)
        words = ("examine", "llm:player.yaml", TASK, "--axes", "hide_color", "--episodes", "12")
        process = start(tmp_path, *words, "--workers", "1", "--out", "run")
        while len(asked) < 20 and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.communicate()
        before = [move for path in (tmp_path / "run" / "llm").iterdir() for move in read_notes(path)]
        assert len(before) >= 19
        asked.clear()
        resumed = start(tmp_path, "resume", "run")
        said, _ = resumed.communicate(timeout=500)
        assert resumed.returncode == 0, said
        after = [move for path in (tmp_path / "run" / "llm").iterdir() for move in read_notes(path)]
        assert len(asked) == len(after) - len(before) > 0
        assert set(before) <= set(after) and len(set(after)) == len(after)
        assert "a language model played: its answers are not reproducible" in " ".join(said.split())
        asked.clear()
        verify = start(tmp_path, "verify", "run")
        said, _ = verify.communicate(timeout=500)
        assert "every digest holds; not done again: llm:player.yaml is a language model" in said
        assert not asked
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in path.read_bytes() for path in files)
