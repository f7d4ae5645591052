"""Programs that one test compiled are loaded by the next, as in real runs, and a module of one's own."""

from pathlib import Path

import pytest

from assay.runs.cache import keep_programs


@pytest.fixture(autouse=True, scope="session")
def programs_kept():
    keep_programs()


@pytest.fixture(autouse=True)
def others(tmp_path, monkeypatch):
    """An agent that acts, one that is trained, and a variation, in a module of one's own."""
    (tmp_path / "request_others.py").write_text((Path(__file__).parent / "request_others.py").read_text())
    monkeypatch.syspath_prepend(str(tmp_path))
