"""A report's files are whole or not there."""

import json
import os

import pytest

from assay.errors import AssayError
from assay.report import write as writing
from assay.report.write import write

from .sample import hostile, minimal, rich


def test_four_files_and_nothing_else(tmp_path):
    paths = write(rich(), tmp_path / "deep" / "run")
    assert [path.name for path in paths] == ["report.html", "report.md", "report.csv", "report.json"]
    assert sorted(os.listdir(tmp_path / "deep" / "run")) == sorted(path.name for path in paths)
    assert json.loads(paths[3].read_text())["agent"] == "dqn"


def test_only_the_forms_asked_for(tmp_path):
    assert [path.name for path in write(minimal(), tmp_path, ["csv"])] == ["report.csv"]
    assert os.listdir(tmp_path) == ["report.csv"]


def test_an_unknown_form_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(AssayError, match="no form 'pdf'; choose from html, md, csv, json"):
        write(minimal(), tmp_path / "new", ["csv", "pdf"])
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("call", ["replace", "write_bytes"])
def test_an_error_leaves_the_old_files_and_no_leftovers(tmp_path, monkeypatch, call):
    write(minimal(), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fails(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(writing.os if call == "replace" else writing.Path, call, fails)
    with pytest.raises(OSError, match="no space"):
        write(rich(), tmp_path)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_form_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(writing.FORMS, "md", lambda exam: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write(rich(), tmp_path)
    assert os.listdir(tmp_path) == []


def test_bytes_that_are_no_text_do_not_stop_a_report(tmp_path):
    exam = hostile()
    exam.config["name"] = "bad \udcff byte"
    assert len(write(exam, tmp_path)) == 4
