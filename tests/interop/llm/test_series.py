"""A series of episodes by the command line: killed and resumed, with other workers, judged and sealed."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from assay.interop.llm.notes import read_notes
from assay.results import open_run
from tests.interop.llm.stub import serve
from tests.interop.llm.test_memory import TASK, remembering

SUITE = f"""
name: series
asks: does it remember the rule?
pairs: ['{TASK}', '{TASK.replace("bucket:2", "bucket:3")}']
seeds: 2
episodes: 12
"""


def start(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "assay", *words],
        cwd=folder, env={**os.environ, "COLUMNS": "200"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def call(folder, *words, expected=0):
    process = start(folder, *words)
    said, _ = process.communicate(timeout=500)
    assert process.returncode == expected, said
    return " ".join(said.split())


def contents(folder):
    """What a run holds that must not depend on workers and kills: episodes, and answers."""
    with open_run(folder) as run:
        rows = run.episodes().to_pylist()
    moves = [move for path in sorted((folder / "llm").iterdir()) for move in read_notes(path)]
    return sorted(rows, key=lambda row: (row["job"], row["task"], row["episode"])), set(moves), len(moves)


@pytest.mark.slow
def test_a_series_is_the_same_however_it_is_worked_on_and_is_judged_and_sealed(tmp_path):
    asked = []

    def answer(messages):
        asked.append(messages)
        time.sleep(0.02)  # so that the kill falls into the middle
        return remembering(messages)

    (tmp_path / "series.yaml").write_text(SUITE)
    with serve(answer) as stub:
        (tmp_path / "player.yaml").write_text(f"endpoint: {stub.url}\nmodel: stub\n")
        words = ("run", "series.yaml", "--agent", "llm:player.yaml")
        call(tmp_path, *words, "--workers", "2", "--out", "whole")
        asked.clear()
        process = start(tmp_path, *words, "--workers", "1", "--out", "killed")
        while len(asked) < 12 and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        torn = [move for path in (tmp_path / "killed" / "llm").iterdir() for move in read_notes(path)]
        assert torn[-1].episode > 0 and torn[-1].remembered > 0  # in the middle of a series
        call(tmp_path, "resume", "killed")
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    require_series(tmp_path)
    require_seal(tmp_path)


def require_series(folder):
    """The errors of each series, by episode, are those of a player that learned in the first one."""
    rows, moves, _ = contents(folder / "whole")
    errors = {}
    for row in rows:
        errors.setdefault((row["job"], row["task"]), []).append(-row["score"])
    assert len(errors) == 4 and all(each[0] > 0 and not any(each[1:]) for each in errors.values())
    assert {move.episode for move in moves} == set(range(12))
    found = json.loads(call(folder, "rules", "difficulty", "whole", "--draws", "100", "--json"))
    assert [each["mastered"] for each in found["cells"]] == [[0, 1], [0, 1]]


def findings(folder):
    with open_run(folder) as run:
        return [each.says for each in run.verify().findings]


def require_seal(folder):
    run = folder / "whole"
    assert findings(run) == []
    note = sorted((run / "llm").iterdir())[0]
    kept = note.read_bytes()
    note.write_bytes(kept.replace(b'"prompt_tokens": 10', b'"prompt_tokens": 11', 1))
    edited = f"the notes {note} are not the ones that were written."
    assert findings(run) == [edited]
    assert edited in call(folder, "verify", "whole", "--digests-only", expected=1)
    note.unlink()
    assert findings(run) == [f"the notes {note} are missing; restore them from a copy."]
    note.write_bytes(kept)
    other = note.with_name("other.jsonl")
    shutil.copy(note, other)
    assert findings(run) == [f"no job of the ledger left {other}."]
    other.unlink()
    assert findings(run) == []
