"""`docs/records.md` is true: its snippets run, and its tables are those of the code."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.results.record import IDENTITY, SCHEMA, TABLES, columns

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \| ([A-Z]+)( or NULL)? \| (\*)?", re.MULTILINE)
PRINTED = [
    ["is done.", "()"],
    ["dqn", "2.25", "mean: [[2.25]]"],
    ["4 2.25"],
    ["1.3333333333333333"],
    ["{'learning_rate': 0.001} (8, 8)"],
    ["1 True []"],
]


def test_every_snippet_runs_and_prints_the_truth(tmp_path):
    assert len(SNIPPETS) == len(PRINTED)
    for snippet, expected in zip(SNIPPETS, PRINTED):
        words = [sys.executable, "-c", snippet]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, env=os.environ)
        assert done.returncode == 0, done.stderr
        for text in expected:
            assert text in done.stdout
    assert (tmp_path / "exported" / "episode.csv").exists()


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_there_with_its_type(table):
    section = PAGE.split(f"\n### {table}\n")[1].split("\n### ")[0]
    declared = [
        (
            column.name,
            column.sql,
            " or NULL" if column.optional else "",
            "*" if column.name in identity else "",
        )
        for identity in [IDENTITY if table == "job" else ()]
        for column in columns(TABLES[table])
    ]
    assert ROW.findall(section) == declared


def test_the_schema_s_number_is_the_code_s():
    assert f"This is schema {SCHEMA}." in PAGE
