"""A report's analysis digest covers the tables of which its numbers are made, beside the code."""

from assay.analysis import origin
from assay.analysis.origin import DECIDING, analysis_digest, with_tables
from assay.digests.closure import closure
from assay.suites import hackatari_published, hackatari_random


def test_shipped_tables_count():
    counted = set(with_tables(closure(DECIDING)).values())
    assert {hackatari_random.FILE, hackatari_published.FILE} <= counted


def test_an_edited_table_has_another_digest(tmp_path, monkeypatch):
    code, table = tmp_path / "scores.py", tmp_path / "scores.json"
    code.write_text("FILE = 1\n")
    table.write_text("[1, 2]")
    monkeypatch.setattr(origin, "closure", lambda roots: {"assay.scores": code})
    before = analysis_digest.__wrapped__()
    assert analysis_digest.__wrapped__() == before
    table.write_text("[1, 2, 3]")
    assert analysis_digest.__wrapped__() != before
